import { MandateError, canonical, checkFields, checkId, onAbort, sha256 } from '../../core/index.ts'
import type { BudgetLimits, FieldNames, JsonObject } from '../../core/index.ts'
import { kernelOf } from '../../agent/index.ts'
import type { AgentService } from '../../agent/index.ts'
import type { Identity } from '../../journal/index.ts'
import type { ChatMessage, ChatRole } from '../message/chat-message.ts'
import { readMessage } from '../message/given-message.ts'
import type { GivenMessage } from '../message/given-message.ts'
import { modelMessages, plainRole } from '../message/model-messages.ts'
import { LiveStream } from '../turn/atlas-stream.ts'
import { NO_HOOKS } from '../turn/turn-hooks.ts'
import type { TurnHooks } from '../turn/turn-hooks.ts'
import type { TurnPlace, TurnRun } from '../turn/turn-run.ts'
import { ConversationKeeper, unknownConversation } from './conversation-keeper.ts'
import type { ConversationHead } from './conversation-record.ts'
import type { ConversationStore } from './conversation-store.ts'
import { continueTurn, takeTurn } from './conversation-turn.ts'
import { checkMessageId } from './message-ids.ts'
import { viewTurn } from './open-turn.ts'
import { settleEnded } from './turn-claim.ts'
import { cancelTurn } from './turn-end.ts'
import { checkOwnSession, nothingOpen, withTurn } from './turn-scene.ts'
import type { TurnScene } from './turn-scene.ts'

/** Options of one message: the agent that answers, tools, limits, an abort signal. */
export interface SendOptions {
  /** The agent that answers this message. */
  readonly agentId?: string | undefined
  /** `auto`, `none`, `required`, or the name of a tool. */
  readonly toolChoice?: string | undefined
  /** Instructions placed before the agent's own. */
  readonly instructions?: string | undefined
  readonly budget?: BudgetLimits | undefined
  readonly signal?: AbortSignal | undefined
  /** Idempotency key: a message that is sent again under the same key returns the existing turn, and is not answered twice. */
  readonly idempotencyKey?: string | undefined
  /** `false` rejects the message (`RUN_STATE`) while a turn is running, instead of queueing it in this process. */
  readonly queue?: boolean | undefined
}

const SEND: FieldNames<SendOptions> = {
  agentId: 'text',
  toolChoice: 'text',
  instructions: 'text',
  budget: 'object',
  signal: 'object',
  idempotencyKey: 'text',
  queue: 'flag',
}

/** A message to send, with the hooks of its turn. */
interface Sent {
  readonly message: GivenMessage
  readonly options: SendOptions
  readonly hooks?: TurnHooks | undefined
  /** Awaited first: creates the conversation if it does not exist. */
  readonly opening?: Promise<unknown> | undefined
}

/** Roles of messages that can be appended without an answer: all except `tool`. */
const APPENDED: readonly [ChatRole, ...ChatRole[]] = ['user', 'assistant', 'system']

/** The conversations of a service. Methods take the identity that they act for. */
export class ConversationRoom {
  readonly service: AgentService
  readonly keeper: ConversationKeeper
  readonly #parked = new Map<string, TurnRun>()
  /** Streams of the messages whose turns this process takes, by run id. */
  readonly #streams = new Map<string, LiveStream>()

  constructor(service: AgentService, store: ConversationStore) {
    this.service = service
    this.keeper = new ConversationKeeper(service, store)
  }

  async create(
    by: Identity,
    {
      id,
      agentId,
      metadata,
    }: { readonly id: string; readonly agentId: string | null; readonly metadata?: JsonObject | undefined },
  ): Promise<ConversationHead> {
    const { keeper } = this
    checkId(id, 'The conversation id')
    await checkOwnSession(this.service.as(by), id)
    const now = keeper.now()
    const head: ConversationHead = {
      ...{ id, owner: by.id, agentId, createdAt: now, updatedAt: now, version: 1, blocks: 0 },
      blocksId: keeper.newId('blocks'),
      ...(metadata === undefined ? {} : { metadata: keeper.redacted(metadata) }),
      turn: null,
    }
    if (await keeper.store.write(head, undefined)) return head
    throw new MandateError(
      'DUPLICATE',
      `There is a conversation "${id}" already. Give another id, or open that one if it is yours.`,
    )
  }

  /** Returns the head of a conversation that this identity owns. */
  async owned(by: Identity, id: string): Promise<ConversationHead> {
    const head = await this.keeper.read(id)
    if (head.owner === by.id) return head
    throw unknownConversation(id)
  }

  /** Returns the head of a conversation that this identity may read: its own, or any with the permission to read journals. */
  async readable(by: Identity, id: string): Promise<ConversationHead> {
    const head = await this.keeper.read(id)
    if (head.owner === by.id) return head
    try {
      kernelOf(this.service).check(by, 'read-journal')
    } catch {
      throw unknownConversation(id)
    }
    return head
  }

  /** Returns the messages, including those that an open turn has so far. */
  async messages(by: Identity, head: ConversationHead): Promise<readonly ChatMessage[]> {
    const blocks = await this.keeper.blocks(head)
    const settled = blocks.flatMap(({ messages }) => messages)
    const view = await this.view(by, head)
    return view === undefined ? settled : [...settled, ...(await view.messages())]
  }

  /** Returns the run ids of all turns, the open one last. */
  async runs(head: ConversationHead): Promise<readonly string[]> {
    const blocks = await this.keeper.blocks(head)
    return [...blocks.flatMap(({ runId }) => runId ?? []), ...(head.turn === null ? [] : [head.turn.runId])]
  }

  async setAgent(by: Identity, id: string, agentId: string): Promise<void> {
    await this.owned(by, id)
    await this.keeper.change(id, (head) => (head.agentId === agentId ? undefined : { ...head, agentId }))
  }

  async setMetadata(by: Identity, id: string, given: JsonObject): Promise<void> {
    await this.owned(by, id)
    const metadata = this.keeper.redacted(given)
    await this.keeper.change(id, (head) => ({ ...head, metadata }))
  }

  /** Returns the open turn as its journal has it; undefined when there is none. */
  async view(by: Identity, { turn }: ConversationHead): Promise<Awaited<ReturnType<typeof viewTurn>> | undefined> {
    return turn === null ? undefined : viewTurn(this.#place(by), turn, this.keeper.now())
  }

  /** Returns the head of a conversation that this identity owns. An open turn whose run has ended is stored first. */
  async settled(by: Identity, id: string): Promise<ConversationHead> {
    await settleEnded(this.#scene(by, id, NO_HOOKS), await this.owned(by, id))
    return this.owned(by, id)
  }

  /** Adds a message that is not answered: as a block of its own, or to the open turn. */
  async append(by: Identity, id: string, given: GivenMessage, metadata: JsonObject = {}): Promise<ChatMessage> {
    const { keeper } = this
    const read = readMessage(given, { roles: APPENDED, newId: () => keeper.newId('message'), now: () => keeper.now() })
    const hasMetadata = read.metadata !== undefined || Object.keys(metadata).length > 0
    const message = keeper.redacted(hasMetadata ? { ...read, metadata: { ...read.metadata, ...metadata } } : read)
    await this.owned(by, id)
    await keeper.change(id, async (head) => {
      const { turn } = head
      checkMessageId(head, await keeper.blocks(head), message.id)
      if (turn !== null) {
        const place = turn.status === 'starting' ? 'before' : 'after'
        return withTurn(head, turn.runId, { [place]: [...turn[place], message] })
      }
      const block = { messages: [message], said: modelMessages([message]).map(plainRole) }
      await keeper.store.writeBlock(head.blocksId, head.blocks, block)
      return { ...head, blocks: head.blocks + 1 }
    })
    return message
  }

  /** Sends a message. The stream reports all errors. */
  send(by: Identity, id: string, { message, options, hooks = NO_HOOKS, opening }: Sent): LiveStream {
    const { keeper } = this
    const { idempotencyKey: key, queue = true } = options
    const stream = new LiveStream(key === undefined ? keeper.newId('run') : keyedRunId(by, id, key))
    try {
      this.#checkSent(message, options)
    } catch (error) {
      stream.fail(error)
      return stream
    }
    const take = async (): Promise<void> => {
      try {
        const read = this.#readSent(message)
        await opening
        await this.owned(by, id)
        const stop = onAbort(options.signal, () => void stream.cancel('aborted by the caller'))
        this.#streams.set(stream.streamId, stream)
        await takeTurn(this.#scene(by, id, hooks), { message: read, options, stream }).finally(stop)
      } catch (error) {
        stream.fail(error)
      } finally {
        if (this.#streams.get(stream.streamId) === stream) this.#streams.delete(stream.streamId)
      }
    }
    // A message that does not wait for other turns is not queued.
    void (queue ? keeper.inTurn(id, take) : take())
    return stream
  }

  /** Validates a message at once, not when its turn begins. */
  #checkSent(message: GivenMessage, options: SendOptions): void {
    checkFields(options, 'an option of sending a message', SEND, 'INPUT_INVALID')
    const { idempotencyKey: key } = options
    if (key !== undefined && (typeof key !== 'string' || key === ''))
      throw new MandateError('INPUT_INVALID', '`idempotencyKey` must be a text.')
    if (options.agentId !== undefined) this.service.agent(options.agentId)
    readMessage(message, { roles: ['user'], newId: () => 'new', now: () => 0 })
  }

  /** Reads a message when its turn begins: its id and time are generated then. */
  #readSent(message: GivenMessage): ChatMessage {
    const { keeper } = this
    return readMessage(message, {
      roles: ['user'],
      newId: () => keeper.newId('message'),
      now: () => keeper.now(),
    })
  }

  /** Continues the open turn. */
  async continue(by: Identity, id: string, hooks: TurnHooks = NO_HOOKS): Promise<LiveStream> {
    const { turn } = await this.owned(by, id)
    if (turn === null) throw nothingOpen(id)
    const stream = new LiveStream(turn.runId)
    void this.keeper.inTurn(id, () => continueTurn(this.#scene(by, id, hooks), stream, turn))
    return stream
  }

  async cancel(by: Identity, id: string, reason: string): Promise<void> {
    const { turn } = await this.owned(by, id)
    if (turn === null) return
    // While the agent is being chosen, there is no run to cancel.
    const choosing = turn.status === 'starting' ? this.#streams.get(turn.runId) : undefined
    await (choosing === undefined ? cancelTurn(this.#scene(by, id, NO_HOOKS), turn, reason) : choosing.cancel(reason))
  }

  async delete(by: Identity, id: string): Promise<void> {
    await this.cancel(by, id, 'the conversation was deleted')
    await this.keeper.delete(await this.owned(by, id))
  }

  #scene(by: Identity, id: string, hooks: TurnHooks): TurnScene {
    return { id, keeper: this.keeper, hooks, parked: this.#parked, place: this.#place(by) }
  }

  #place(by: Identity): TurnPlace {
    return { service: this.service, as: this.service.as(by) }
  }
}

/** Derives the run id from identity, conversation and key, so that every process finds the turn of a message that is sent again. */
function keyedRunId(by: Identity, conversation: string, key: string): string {
  return `run_${sha256(canonical([by.id, conversation, key])).slice(0, 32)}`
}
