import { MandateError, isRecord, messageOf } from '../../core/index.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import { mendedMessage, mendedSaid } from '../message/stored-message.ts'
import { kindOf } from '../turn/turn-failure.ts'
import type { ConversationBlock, ConversationHead, OpenTurn } from './conversation-record.ts'
import type { ConversationStore } from './conversation-store.ts'

/**
 * A store whose answers can be relied on: an exception or an answer of the wrong kind is an error that names the store's method, and messages that were stored although they cannot
 * be read are mended.
 */
export class CheckedStore implements ConversationStore {
  readonly #store: ConversationStore
  /** Heads as they are stored, by their mended form: a compare-and-set compares with what is stored. */
  readonly #stored = new WeakMap<ConversationHead, ConversationHead>()

  constructor(store: ConversationStore) {
    this.#store = store
  }

  async read(id: string): Promise<ConversationHead | undefined> {
    const head: unknown = await this.#call('read', (store) => store.read(id))
    return head === undefined || head === null ? undefined : this.#head('read', head)
  }

  async write(head: ConversationHead, before: ConversationHead | undefined): Promise<boolean> {
    const stored = before === undefined ? undefined : (this.#stored.get(before) ?? before)
    const isWritten: unknown = await this.#call('write', (store) => store.write(head, stored))
    if (typeof isWritten !== 'boolean')
      throw wrong('write', isWritten, 'true if the head was written, and false on a conflict')
    return isWritten
  }

  async writeBlock(blocksId: string, index: number, block: ConversationBlock): Promise<void> {
    await this.#call('writeBlock', (store) => store.writeBlock(blocksId, index, block))
  }

  async readBlocks(blocksId: string, from: number): Promise<readonly ConversationBlock[]> {
    const blocks: unknown = await this.#call('readBlocks', (store) => store.readBlocks(blocksId, from))
    if (!Array.isArray(blocks)) throw wrong('readBlocks', blocks, 'the list of blocks')
    return blocks.map((block, index) => mendedBlock(block, `${blocksId}.${from + index}`))
  }

  async list(filter: Parameters<ConversationStore['list']>[0]): Promise<readonly ConversationHead[]> {
    const heads: unknown = await this.#call('list', (store) => store.list(filter))
    if (!Array.isArray(heads)) throw wrong('list', heads, 'the list of heads')
    return heads.map((head) => this.#head('list', head))
  }

  async delete(head: ConversationHead): Promise<void> {
    await this.#call('delete', (store) => store.delete(head))
  }

  async #call<T>(method: keyof ConversationStore, call: (store: ConversationStore) => Promise<T>): Promise<T> {
    try {
      return await call(this.#store)
    } catch (error) {
      if (MandateError.isInstance(error)) throw error
      const message = `The store of conversations threw an error in \`${method}\`: ${messageOf(error)}`
      throw new MandateError('STORE_FAILED', message, { cause: error })
    }
  }

  #head(method: 'read' | 'list', stored: unknown): ConversationHead {
    if (!isRecord(stored) || typeof stored['id'] !== 'string' || typeof stored['blocksId'] !== 'string')
      throw wrong(method, stored, 'the head that was written')
    const head = stored as unknown as ConversationHead
    const turn = head.turn === null ? null : mendedTurn(head)
    if (turn === head.turn) return head
    const mended = { ...head, turn }
    this.#stored.set(mended, head)
    return mended
  }
}

function mendedTurn({ turn: stored, createdAt }: ConversationHead): OpenTurn {
  const turn = stored!
  const mend = (message: unknown, name: string): ChatMessage =>
    mendedMessage(message, { id: `${turn.runId}.${name}`, role: 'user', createdAt })
  const prompt = mend(turn.prompt, 'prompt')
  const before = turn.before.map((message, index) => mend(message, `before.${index + 1}`))
  const after = turn.after.map((message, index) => mend(message, `after.${index + 1}`))
  const isSame =
    prompt === turn.prompt &&
    before.every((message, index) => message === turn.before[index]) &&
    after.every((message, index) => message === turn.after[index])
  return isSame ? turn : { ...turn, prompt, before, after }
}

function mendedBlock(stored: unknown, name: string): ConversationBlock {
  if (!isRecord(stored) || !Array.isArray(stored['messages']))
    throw wrong('readBlocks', stored, 'the blocks that were written')
  const block = stored as unknown as ConversationBlock
  const messages = block.messages.map((message, index) =>
    mendedMessage(message, { id: `${name}.${index + 1}`, role: 'assistant', createdAt: 0 }),
  )
  const said = mendedSaid(block.said, messages)
  const isSame = said === block.said && messages.every((message, index) => message === block.messages[index])
  return isSame ? block : { ...block, messages, said }
}

function wrong(method: keyof ConversationStore, given: unknown, expected: string): MandateError {
  return new MandateError(
    'STORE_FAILED',
    `\`${method}\` of the store of conversations returned ${kindOf(given)}. It returns ${expected}.`,
  )
}
