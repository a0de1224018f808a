import type { Json } from '../../../core/index.ts'
import { checkWrites, conflict } from './channel.ts'
import type { Channel, Write } from './channel.ts'

/** The only write of a step. */
function onlyWrite(name: string, writes: readonly Write[]): Json {
  if (writes.length > 1) throw conflict(name, writes)
  return writes[0]!.value
}

/** Holds the last value. One node may write to it per step. */
export function lastValue(initial?: Json): Channel {
  return { kind: 'last_value', initial, fold: (_kept, writes, name) => onlyWrite(name, writes) }
}

/** Holds a value for the next step only. */
export function ephemeral(): Channel {
  return {
    kind: 'ephemeral',
    initial: undefined,
    isEphemeral: true,
    fold: (_, writes, name) => onlyWrite(name, writes),
  }
}

/** Holds the last value in memory only: it is lost when the run continues in another process, and routes cannot read it. */
export function untracked(initial?: Json): Channel {
  return { kind: 'untracked', initial, isUntracked: true, fold: (_, writes, name) => onlyWrite(name, writes) }
}

/** A list that grows: a written list is appended item by item. */
export function topic(): Channel {
  return {
    kind: 'topic',
    initial: Object.freeze([]),
    fold: (kept, writes) =>
      Object.freeze([...((kept as readonly Json[]) ?? []), ...writes.flatMap(({ value }) => value)]),
  }
}

/** A number to which written values are added. */
export function delta(initial = 0): Channel {
  const problem = (value: Json): string | undefined =>
    typeof value === 'number' ? undefined : 'a `delta` adds numbers. Write a number.'
  return {
    kind: 'delta',
    initial,
    problem,
    fold: (kept, writes, name) => {
      checkWrites({ problem }, writes, name)
      let sum = Number(kept ?? 0)
      for (const { value } of writes) sum += value as number
      return sum
    },
  }
}

/** Folds each value into the previous one by a pure function. */
export function aggregate(reduce: (current: Json | undefined, update: Json) => Json, initial?: Json): Channel {
  return {
    kind: 'aggregate',
    initial,
    fold: (kept, writes) => {
      let value = kept
      for (const write of writes) value = reduce(value, write.value)
      return value
    },
  }
}
