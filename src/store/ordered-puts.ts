import type { StoredRow } from '../memory/index.ts'
import { Batcher } from './batcher.ts'
import type { Settled } from './batcher.ts'

/** Rows that one caller writes into a space. */
export interface Put {
  readonly space: string
  readonly rows: readonly StoredRow[]
}

/** Batches concurrent writes, keeping the order in which they were requested. */
export function orderedPuts(
  execute: (puts: readonly Put[]) => Promise<readonly Settled<void>[]>,
): (space: string, rows: readonly StoredRow[]) => Promise<void> {
  let order = 0
  const gathering = new Batcher<Put & { readonly order: number }, void>({
    execute,
    // Every put has its own key, so all may share a batch; one batch at a time keeps the order.
    keyOf: (put) => String(put.order),
    sizeOf: ({ rows }) => rows.reduce((sum, { text }) => sum + text.length, 0),
    lanes: 1,
  })
  return (space, rows) => gathering.ask({ space, rows, order: order++ })
}
