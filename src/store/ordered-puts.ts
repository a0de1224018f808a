import type { StoredRow } from '../memory/index.ts'
import { Gathering } from './batcher.ts'
import type { Settled } from './batcher.ts'

/** Rows to be written into a space by one caller. */
export interface Put {
  readonly space: string
  readonly rows: readonly StoredRow[]
}

/** Lets writes that are asked for at the same time go together, in the order in which they were asked for. */
export function orderedPuts(
  carry: (puts: readonly Put[]) => Promise<readonly Settled<void>[]>,
): (space: string, rows: readonly StoredRow[]) => Promise<void> {
  let order = 0
  const gathering = new Gathering<Put & { readonly order: number }, void>({
    carry,
    // All go together; one load at a time keeps the order.
    keyOf: (put) => String(put.order),
    sizeOf: ({ rows }) => rows.reduce((sum, { text }) => sum + text.length, 0),
    lanes: 1,
  })
  return (space, rows) => gathering.ask({ space, rows, order: order++ })
}
