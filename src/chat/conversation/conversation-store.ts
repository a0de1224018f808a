import type { ConversationBlock, ConversationHead } from './conversation-record.ts'

/** Which conversations are listed: newest change first. */
interface ConversationFilter {
  readonly owner?: string | undefined
  readonly limit?: number | undefined
  /** So many are passed over. */
  readonly offset?: number | undefined
}

/**
 * Where conversations are kept. Any store will do that can replace a record on the condition that it is still the one that was read: that alone keeps two
 * processes, or two tabs, from writing into each other's turns. `databaseConversations` makes one of any database of `mandate/memory`.
 */
export interface ConversationStore {
  read(id: string): Promise<ConversationHead | undefined>
  /** Replaces the head if it is still `before`, or adds it where `before` is undefined and there is none. False when it is another one by now. */
  write(head: ConversationHead, before: ConversationHead | undefined): Promise<boolean>
  /** Adds a block under its number, once: a block that is there already stays. */
  writeBlock(blocksId: string, index: number, block: ConversationBlock): Promise<void>
  /** The blocks from a number up, in order. */
  readBlocks(blocksId: string, from: number): Promise<readonly ConversationBlock[]>
  list(filter: ConversationFilter): Promise<readonly ConversationHead[]>
  /** Deletes a head with all blocks of its `blocksId`. */
  delete(head: ConversationHead): Promise<void>
}
