import type { ConversationBlock, ConversationHead } from './conversation-record.ts'

/** Selects the conversations of a list, which is sorted by last change, newest first. */
interface ConversationFilter {
  readonly owner?: string | undefined
  readonly limit?: number | undefined
  /** Number of conversations to skip. */
  readonly offset?: number | undefined
}

/**
 * Stores conversations. A store must support compare-and-set: replace a record only if it is still the one that was read. That alone keeps two processes, or
 * two tabs, from writing into each other's turns. `databaseConversations` makes a store from any database of `mandate/memory`.
 */
export interface ConversationStore {
  read(id: string): Promise<ConversationHead | undefined>
  /** Replaces the head if it still equals `before`, or adds it if `before` is undefined and no head exists. Returns false on a conflict. */
  write(head: ConversationHead, before: ConversationHead | undefined): Promise<boolean>
  /** Adds a block at its index, once: an existing block is kept. */
  writeBlock(blocksId: string, index: number, block: ConversationBlock): Promise<void>
  /** Returns the blocks from an index on, in order. */
  readBlocks(blocksId: string, from: number): Promise<readonly ConversationBlock[]>
  list(filter: ConversationFilter): Promise<readonly ConversationHead[]>
  /** Deletes a head with all blocks of its `blocksId`. */
  delete(head: ConversationHead): Promise<void>
}
