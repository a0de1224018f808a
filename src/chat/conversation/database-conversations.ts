import { MandateError } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { DatabaseClient } from '../../memory/index.ts'
import type { ConversationBlock, ConversationHead } from './conversation-record.ts'
import type { ConversationStore } from './conversation-store.ts'

const HEADS = 'mandate.conversations'
const BLOCKS = 'mandate.conversation-blocks'

type StoredBlock = { readonly conversation: string; readonly index: number; readonly block: ConversationBlock }

/**
 * Stores conversations in a database: in memory, SQLite, Postgres, Redis, or a custom one with `writeIf` and `delete`.
 *
 * @example
 * ```ts
 * import { Atlas, agent, databaseConversations } from 'mandate/chat'
 * import { inMemoryDatabase } from 'mandate/memory'
 * import { scripted } from 'mandate/model'
 * const conversations = databaseConversations(inMemoryDatabase())
 * const atlas = new Atlas({ agents: [agent({ id: 'helper', model: scripted(['Hello.']) })], conversations, conversationId: 'support-1' })
 * ```
 */
export function databaseConversations(database: DatabaseClient): ConversationStore {
  if (database.writeIf === undefined || database.delete === undefined)
    throw new MandateError(
      'CONFIG_INVALID',
      'Conversations need a database with `writeIf` and `delete`, so that two writers cannot overwrite each other.',
    )
  return {
    async read(id) {
      return ((await database.read(HEADS, id)) ?? undefined) as unknown as ConversationHead | undefined
    },
    write: (head, before) =>
      database.writeIf!(HEADS, head.id, plain(head), { expected: before === undefined ? null : plain(before) }),
    async writeBlock(blocksId, index, block) {
      const stored: StoredBlock = { conversation: blocksId, index, block }
      await database.writeIf!(BLOCKS, blockKey(blocksId, index), plain(stored), { expected: null })
    },
    async readBlocks(blocksId, from) {
      const query = { conversation: blocksId, index: { $gte: from } }
      const found = await database.query(BLOCKS, query, { orderBy: 'index' })
      return found.map(({ value }) => (value as unknown as StoredBlock).block)
    },
    async list({ owner, limit = 50, offset }) {
      const query = owner === undefined ? {} : { owner }
      const found = await database.query(HEADS, query, { orderBy: 'updatedAt', descending: true, limit, offset })
      return found.map(({ value }) => value as unknown as ConversationHead)
    },
    async delete({ id, blocksId }) {
      const deleteBlocks = async (): Promise<void> => {
        const query = { conversation: blocksId }
        for (const { key } of await database.query(BLOCKS, query, { orderBy: 'index', descending: true }))
          await database.delete!(BLOCKS, key)
      }
      // Blocks are deleted before the head, so that after a crash the remaining ones can still be found and deleted.
      await deleteBlocks()
      await database.delete!(HEADS, id)
      // A turn that ended in another process may have written a block meanwhile.
      await deleteBlocks()
    },
  }
}

function blockKey(blocksId: string, index: number): string {
  return `${blocksId}/${String(index).padStart(8, '0')}`
}

/** Returns a value as a store returns it: undefined fields are left out. */
function plain(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json
}
