import type { Json } from '../../../src/core/index.ts'
import { RandomSource } from '../../differential/random-source.ts'

export interface SinkCall {
  readonly input: Json
  readonly labels: Readonly<Record<string, readonly string[]>>
}

/** What one execution showed to the outside. */
export interface Shown {
  readonly calls: readonly SinkCall[]
  /** It ended by itself. */
  readonly isWhole: boolean
  readonly result: SinkCall | undefined
}

/** What the untrusted side says: never the same twice. */
export function untrusted(seed: number): Json {
  const random = new RandomSource(seed)
  const list = Array.from({ length: random.below(4) }, () => random.below(4))
  return {
    n: random.below(4),
    s: random.pick(['p', 'q', 'pq', '', '7', '{"a":1}']),
    b: random.chance(0.5),
    i: random.below(3),
    k: random.pick(['a', 'b', 'd', '0']),
    l: list,
    o: random.chance(0.5) ? { a: random.below(3), b: 1 } : { b: random.below(3), d: 2 },
    z: random.chance(0.5) ? null : { y: random.chance(0.5) ? null : { x: 1 } },
    f: null,
  }
}

export const CLEAN: Json = { n: 2, s: 'p', b: true, l: [3, 1], o: { a: 5, b: 6 } }

interface Part {
  readonly labels: readonly string[]
  /** Nothing, where there is only a label. */
  readonly value: Json | undefined
}

function keysOf(value: Json): string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : []
}

/** Every part of a value by its pointer, with its labels; also those that are not there and have labels all the same. */
function partsOf({ input, labels }: SinkCall): Map<string, Part> {
  const parts = new Map<string, Part>()
  const visit = (value: Json, pointer: string, around: readonly string[]): void => {
    const own = labels[pointer] ?? around
    parts.set(pointer, { labels: own, value })
    for (const key of keysOf(value)) visit((value as Record<string, Json>)[key]!, `${pointer}/${key}`, own)
  }
  visit(input, '', [])
  for (const [pointer, own] of Object.entries(labels))
    if (pointer.startsWith('/') && !parts.has(pointer)) parts.set(pointer, { labels: own, value: undefined })
  return parts
}

/** Whether a part that is clean here is the same there. A member that carries a label, there and here, may be missing on one side because of it. */
function isSame(pointer: string, mine: Map<string, Part>, others: Map<string, Part>): boolean {
  const here = mine.get(pointer)!.value
  const there = others.get(pointer)?.value
  if (there === undefined || typeof here !== 'object' || here === null) return here === there
  if (typeof there !== 'object' || there === null || Array.isArray(here) !== Array.isArray(there)) return false
  if (Array.isArray(here)) return here.length === (there as readonly Json[]).length
  const isLabelled = (key: string): boolean =>
    [mine, others].every((parts) => (parts.get(`${pointer}/${key}`) ?? parts.get(pointer))!.labels.length > 0)
  const plain = (value: Json): string =>
    keysOf(value)
      .filter((key) => !isLabelled(key))
      .join()
  return plain(here) === plain(there)
}

function difference(a: SinkCall, b: SinkCall): string | undefined {
  const [left, right] = [partsOf(a), partsOf(b)]
  for (const [mine, others] of [
    [left, right],
    [right, left],
  ] as const)
    for (const [pointer, { labels, value }] of mine)
      if (labels.length === 0 && !isSame(pointer, mine, others))
        return `${pointer || 'the whole'} is clean, yet ${JSON.stringify(value)} in one and ${JSON.stringify(others.get(pointer)?.value)} in the other`
  return undefined
}

/** What an observer of clean values can tell two executions apart by; nothing, if labels hold. */
export function violation(one: Shown, other: Shown): string | undefined {
  const clean = ({ calls }: Shown): SinkCall[] => calls.filter(({ labels }) => labels['pc'] === undefined)
  const [left, right] = [clean(one), clean(other)]
  // An execution that ends early tells that it did: a channel of its own.
  const isWhole = one.isWhole && other.isWhole
  if (isWhole && left.length !== right.length)
    return `${left.length} calls with a clean counter in one, ${right.length} in the other`
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const found = difference(left[i]!, right[i]!)
    if (found !== undefined) return `call ${i}: ${found}`
  }
  if (!isWhole || one.result === undefined || other.result === undefined) return undefined
  const found = difference(one.result, other.result)
  return found === undefined ? undefined : `the result: ${found}`
}

/** How many parts an execution showed as clean: labels that are on everything would never be wrong. */
export function cleanParts({ calls }: Shown): number {
  const clean = calls.filter(({ labels }) => labels['pc'] === undefined)
  return clean.flatMap((call) => [...partsOf(call).values()]).filter(({ labels }) => labels.length === 0).length
}
