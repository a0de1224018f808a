import type { Json } from '../../../core/index.ts'
import { checkWrites } from './channel.ts'
import type { Channel } from './channel.ts'

/** False until this many values have been written, then true; the next value starts a new count. */
export function barrier(count: number): Channel {
  return {
    kind: 'barrier',
    initial: 0,
    fold: (kept, writes) => (Number(kept) >= count ? writes.length : Number(kept) + writes.length),
    view: (kept) => Number(kept) >= count,
  }
}

/** False until every one of these names has been written, then true; the next name starts again. */
export function namedBarrier(names: readonly string[]): Channel {
  const problem = (value: Json): string | undefined =>
    [value].flat().every((each) => typeof each === 'string' && names.includes(each))
      ? undefined
      : `it waits for ${names.map((each) => `"${each}"`).join(', ')}. Write one of these.`
  return {
    kind: 'named_barrier',
    initial: Object.freeze([]),
    problem,
    fold: (kept, writes, name) => {
      checkWrites({ problem }, writes, name)
      const before = kept as readonly Json[]
      const arrived = new Set<Json>(before.length >= names.length ? [] : before)
      for (const { value } of writes) for (const each of [value].flat()) arrived.add(each)
      return names.filter((each) => arrived.has(each))
    },
    view: (kept) => (kept as readonly Json[]).length >= names.length,
  }
}
