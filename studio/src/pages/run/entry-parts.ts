/** The content of an entry, in order of importance. */
export interface EntryParts {
  /** Inputs, outputs and texts, each with its title. */
  readonly main: readonly (readonly [title: string, value: unknown])[]
  /** The other, small fields. */
  readonly facts: Readonly<Record<string, unknown>>
}

const TITLES: Readonly<Record<string, string>> = {
  input: 'Input',
  edit: 'Input as edited',
  output: 'Output',
  value: 'Value',
  message: 'Message',
  error: 'Error',
}
/** Fields that are shown separately above, or that are only needed for checks and replays. */
const AT_THE_END = new Set([
  'outcome',
  'decision',
  'pins',
  'blobs',
  'hash',
  'asked',
  'signature',
  'binding',
  'seed',
  'reserved',
])

/** Splits an entry into parts: input, output and errors first, hashes and pins last. No field is left out. */
export function entryParts(data: unknown): EntryParts {
  const members = Object.entries((data ?? {}) as Readonly<Record<string, unknown>>)
  const outcome = ((data ?? {}) as { outcome?: { value?: unknown; error?: unknown } }).outcome
  const main: (readonly [string, unknown])[] = [
    ...(outcome?.error === undefined ? [] : [['Error', outcome.error] as const]),
    ...(outcome?.value === undefined ? [] : [['Output', outcome.value] as const]),
  ]
  const facts: Record<string, unknown> = {}
  for (const [name, value] of members) {
    if (value === null || value === undefined || AT_THE_END.has(name)) continue
    if (TITLES[name] !== undefined) main.push([TITLES[name], value])
    else facts[name] = value
  }
  return { main, facts }
}
