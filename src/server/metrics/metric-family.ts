type Labels = Readonly<Record<string, string>>

/** The maximum number of label combinations of a metric; further ones are counted together, so that names from outside cannot exhaust the memory. */
const SERIES_MAX = 1_000
const OTHER = 'other'

/** A counter or gauge with labels. */
export class CounterFamily {
  readonly #name: string
  readonly #help: string
  readonly #type: 'counter' | 'gauge'
  readonly #series = new Map<string, number>()

  constructor(name: string, help: string, type: 'counter' | 'gauge' = 'counter') {
    this.#name = name
    this.#help = help
    this.#type = type
  }

  add(labels: Labels, amount = 1): void {
    const key = keyOf(labels, this.#series)
    this.#series.set(key, (this.#series.get(key) ?? 0) + amount)
  }

  text(): string {
    const samples = [...this.#series].map(([labels, value]) => `${this.#name}${labels} ${number(value)}\n`)
    return `${head(this.#name, this.#help, this.#type)}${samples.join('')}`
  }
}

interface Buckets {
  readonly labels: Labels
  readonly counts: number[]
  sum: number
  count: number
}

/** A histogram with labels. */
export class HistogramFamily {
  readonly #name: string
  readonly #help: string
  readonly #bounds: readonly number[]
  readonly #series = new Map<string, Buckets>()

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name
    this.#help = help
    this.#bounds = bounds
  }

  observe(labels: Labels, value: number): void {
    const key = keyOf(labels, this.#series)
    const known = this.#series.get(key) ?? {
      labels: key === keyOf(labels) ? labels : otherOf(labels),
      counts: this.#bounds.map(() => 0),
      sum: 0,
      count: 0,
    }
    this.#series.set(key, known)
    for (const [at, bound] of this.#bounds.entries()) if (value <= bound) known.counts[at]! += 1
    known.sum += value
    known.count += 1
  }

  text(): string {
    return (
      head(this.#name, this.#help, 'histogram') + [...this.#series.values()].map((one) => this.#samples(one)).join('')
    )
  }

  #samples({ labels, counts, sum, count }: Buckets): string {
    const bucket = (le: string, value: number): string => `${this.#name}_bucket${keyOf({ ...labels, le })} ${value}\n`
    const buckets = this.#bounds.map((bound, at) => bucket(number(bound), counts[at]!)).join('')
    const key = keyOf(labels)
    return `${buckets}${bucket('+Inf', count)}${this.#name}_sum${key} ${number(sum)}\n${this.#name}_count${key} ${count}\n`
  }
}

function head(name: string, help: string, type: string): string {
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`
}

/** Formats labels as a series key. A new combination beyond the maximum gets the key of all others together. */
function keyOf(labels: Labels, known?: ReadonlyMap<string, unknown>): string {
  const written = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  const key = written.length === 0 ? '' : `{${written.join(',')}}`
  return known === undefined || known.has(key) || known.size < SERIES_MAX ? key : keyOf(otherOf(labels))
}

function otherOf(labels: Labels): Labels {
  return Object.fromEntries(Object.keys(labels).map((name) => [name, OTHER]))
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function number(value: number): string {
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : Number.isNaN(value) ? 'NaN' : '-Inf'
}
