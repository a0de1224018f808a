import { MandateError, newId } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { kernelOf } from '../../agent/index.ts'
import type { AgentService } from '../../agent/index.ts'
import { redactedBy } from '../../run/index.ts'
import { CheckedStore } from './checked-store.ts'
import type { ConversationBlock, ConversationHead } from './conversation-record.ts'
import type { ConversationStore } from './conversation-store.ts'

/** Characters of all cached blocks together: those used longest ago are dropped first. */
const CACHED_CHARS = 16 * 1024 * 1024

interface Cached {
  readonly blocks: readonly ConversationBlock[]
  readonly chars: number
}

/** Conflicts in a row of one change. A store that compares heads by identity would report a conflict for ever. */
const CONFLICTS_MAX = 10_000

/** Changes heads and reads blocks. A change is a compare-and-set: after a conflict it is applied again, to the newer head. */
export class ConversationKeeper {
  readonly store: ConversationStore
  readonly #kernel: ReturnType<typeof kernelOf>
  readonly #blocks = new Map<string, Cached>()
  #chars = 0
  readonly #queues = new Map<string, Promise<unknown>>()

  constructor(service: AgentService, store: ConversationStore) {
    this.store = new CheckedStore(store)
    this.#kernel = kernelOf(service)
  }

  get clock(): ReturnType<typeof kernelOf>['clock'] {
    return this.#kernel.clock
  }

  now(): number {
    return this.#kernel.clock.now()
  }

  newId(prefix: string): string {
    return newId(prefix, this.#kernel.clock, this.#kernel.random)
  }

  /** Redacts a value as the journal of the service does. */
  redacted<T extends object>(value: T): T {
    return redactedBy(this.#kernel, value as unknown as Json) as unknown as T
  }

  /** Runs work on one conversation serially, within this process. */
  inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(id) ?? Promise.resolve()
    const next = before.then(work, work)
    const settled = next.catch(() => {})
    this.#queues.set(id, settled)
    void settled.then(() => {
      if (this.#queues.get(id) === settled) this.#queues.delete(id)
    })
    return next
  }

  async read(id: string): Promise<ConversationHead> {
    const head = await this.store.read(id)
    if (head !== undefined) return head
    throw unknownConversation(id)
  }

  /** Changes a head: `edit` returns the new head, or undefined for no change. Returns the head that is stored afterwards. */
  async change(
    id: string,
    edit: (head: ConversationHead) => ConversationHead | undefined | Promise<ConversationHead | undefined>,
  ): Promise<ConversationHead> {
    for (let conflicts = 0; conflicts < CONFLICTS_MAX; conflicts++) {
      const before = await this.read(id)
      const edited = await edit(before)
      if (edited === undefined) return before
      const head = { ...edited, updatedAt: this.now(), version: before.version + 1 }
      if (await this.store.write(head, before)) return head
    }
    throw new MandateError(
      'STORE_FAILED',
      `\`write\` of the store of conversations reported ${CONFLICTS_MAX} conflicts in a row. It replaces a head that equals \`before\`: compare what is in them, or their \`version\`.`,
    )
  }

  /** Returns the blocks of a conversation, in order. Blocks never change, so cached blocks are not read again. */
  async blocks({ blocksId, blocks: count }: ConversationHead): Promise<readonly ConversationBlock[]> {
    const { blocks: known, chars } = this.#blocks.get(blocksId) ?? { blocks: [], chars: 0 }
    if (known.length > count) return known.slice(0, count)
    const added = known.length === count ? [] : await this.store.readBlocks(blocksId, known.length)
    const all = [...known, ...added].slice(0, count)
    const more = all.slice(known.length).reduce((sum, block) => sum + JSON.stringify(block).length, 0)
    this.#keep(blocksId, { blocks: all, chars: chars + more })
    return all
  }

  #keep(blocksId: string, cached: Cached): void {
    this.#forget(blocksId)
    this.#blocks.set(blocksId, cached)
    this.#chars += cached.chars
    for (const oldest of this.#blocks.keys()) {
      if (this.#chars <= CACHED_CHARS) return
      this.#forget(oldest)
    }
  }

  #forget(blocksId: string): void {
    this.#chars -= this.#blocks.get(blocksId)?.chars ?? 0
    this.#blocks.delete(blocksId)
  }

  async delete(head: ConversationHead): Promise<void> {
    await this.store.delete(head)
    this.#forget(head.blocksId)
  }
}

/** The error for a conversation that does not exist, or that this identity may not see. */
export function unknownConversation(id: string): MandateError {
  return new MandateError('NOT_FOUND', `There is no conversation "${id}". List the conversations to see what there is.`)
}
