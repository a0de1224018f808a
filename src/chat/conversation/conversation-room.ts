import { MandateError, checkFields, checkId, onAbort } from '../../core/index.ts'
import type { BudgetLimits, FieldNames, JsonObject } from '../../core/index.ts'
import { kernelOf, saidSoFar } from '../../agent/index.ts'
import type { AgentService } from '../../agent/index.ts'
import { readAll } from '../../journal/index.ts'
import type { Identity } from '../../journal/index.ts'
import type { ChatMessage, ChatRole } from '../message/chat-message.ts'
import { readMessage } from '../message/given-message.ts'
import type { GivenMessage } from '../message/given-message.ts'
import { chatMessages, modelMessages } from '../message/model-messages.ts'
import { LiveStream } from '../turn/atlas-stream.ts'
import { plainRole } from '../turn/turn-block.ts'
import { NO_HOOKS } from '../turn/turn-hooks.ts'
import type { TurnHooks } from '../turn/turn-hooks.ts'
import type { TurnRun } from '../turn/turn-run.ts'
import { ConversationKeeper, unknownConversation } from './conversation-keeper.ts'
import type { ConversationHead, OpenTurn } from './conversation-record.ts'
import type { ConversationStore } from './conversation-store.ts'
import { continueTurn, takeTurn } from './conversation-turn.ts'
import { cancelTurn } from './turn-end.ts'
import { nothingOpen, withTurn } from './turn-scene.ts'
import type { TurnScene } from './turn-scene.ts'

/** What can be said of one message: who answers, tools, limits, a signal. */
export interface SendOptions {
  /** Who answers this message. */
  readonly agentId?: string | undefined
  /** `auto`, `none`, `required`, or the name of a tool. */
  readonly toolChoice?: string | undefined
  /** What the agent is told before its own instructions. */
  readonly instructions?: string | undefined
  readonly budget?: BudgetLimits | undefined
  readonly signal?: AbortSignal | undefined
}

const SEND: FieldNames<SendOptions> = {
  agentId: true,
  toolChoice: true,
  instructions: true,
  budget: true,
  signal: true,
}

/** A message that is sent, and who has a say in its turn. */
interface Sent {
  readonly message: GivenMessage
  readonly options: SendOptions
  readonly hooks?: TurnHooks | undefined
  /** Waited for first: the conversation may have to be made. */
  readonly opening?: Promise<unknown> | undefined
}

/** Who may add messages that nobody answers: not tools. */
const APPENDED: readonly [ChatRole, ...ChatRole[]] = ['user', 'assistant', 'system']

/** The conversations of a service, for whoever asks in the name of an identity. */
export class ConversationRoom {
  readonly service: AgentService
  readonly keeper: ConversationKeeper
  readonly #parked = new Map<string, TurnRun>()

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
    const now = keeper.now()
    const head: ConversationHead = {
      ...{ id, owner: by.id, agentId, createdAt: now, updatedAt: now, version: 1, blocks: 0 },
      ...(metadata === undefined ? {} : { metadata: keeper.redacted(metadata) }),
      turn: null,
    }
    if (await keeper.store.write(head, undefined)) return head
    throw new MandateError('DUPLICATE', `There is a conversation "${id}" already. Give another id, or open that one.`)
  }

  /** The head of a conversation that this identity may speak in. */
  async owned(by: Identity, id: string): Promise<ConversationHead> {
    const head = await this.keeper.read(id)
    if (head.owner === by.id) return head
    throw unknownConversation(id)
  }

  /** The head of one that it may read: its own, or any with the right to read journals. */
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

  /** The messages, those of a turn that is under way as far as it is. */
  async messages(head: ConversationHead): Promise<readonly ChatMessage[]> {
    const blocks = await this.keeper.blocks(head)
    const settled = blocks.flatMap(({ messages }) => messages)
    return head.turn === null ? settled : [...settled, ...(await this.#open(head.turn))]
  }

  async #open({ runId, before, prompt, after }: OpenTurn): Promise<readonly ChatMessage[]> {
    const said = saidSoFar(await readAll(this.service.journal, runId))
    const middle = said.flatMap(({ message, at }, index) =>
      chatMessages(message, { id: `${runId}.${index + 1}`, createdAt: at }),
    )
    return [...before, prompt, ...middle, ...after]
  }

  /** Adds a message that nobody answers: alone, or to the turn that is under way. */
  async append(by: Identity, id: string, given: GivenMessage, metadata: JsonObject = {}): Promise<ChatMessage> {
    const { keeper } = this
    const read = readMessage(given, { roles: APPENDED, newId: () => keeper.newId('message'), now: () => keeper.now() })
    const hasMetadata = read.metadata !== undefined || Object.keys(metadata).length > 0
    const message = keeper.redacted(hasMetadata ? { ...read, metadata: { ...read.metadata, ...metadata } } : read)
    await this.owned(by, id)
    await keeper.change(id, async (head) => {
      const { turn } = head
      if (turn !== null) {
        const place = turn.status === 'starting' ? 'before' : 'after'
        return withTurn(head, turn.runId, { [place]: [...turn[place], message] })
      }
      const block = { messages: [message], said: modelMessages([message]).map(plainRole) }
      await keeper.store.writeBlock(id, head.blocks, block)
      return { ...head, blocks: head.blocks + 1 }
    })
    return message
  }

  /** Sends a message; whatever goes wrong is told by the stream. */
  send(by: Identity, id: string, { message, options, hooks = NO_HOOKS, opening }: Sent): LiveStream {
    const { keeper } = this
    const stream = new LiveStream(keeper.newId('run'))
    void keeper.inTurn(id, async () => {
      try {
        const read = this.#readSent(message, options)
        await opening
        await this.owned(by, id)
        const stop = onAbort(options.signal, () => void stream.cancel('aborted by the caller'))
        await takeTurn(this.#scene(by, id, hooks), { message: read, options, stream }).finally(stop)
      } catch (error) {
        stream.fail(error)
      }
    })
    return stream
  }

  #readSent(message: GivenMessage, options: SendOptions): ChatMessage {
    const { keeper } = this
    checkFields(options, 'an option of sending a message', SEND, 'INPUT_INVALID')
    if (options.agentId !== undefined) this.service.agent(options.agentId)
    return readMessage(message, {
      roles: ['user'],
      newId: () => keeper.newId('message'),
      now: () => keeper.now(),
    })
  }

  /** Goes on with the open turn. */
  async continue(by: Identity, id: string, hooks: TurnHooks = NO_HOOKS): Promise<LiveStream> {
    const { turn } = await this.owned(by, id)
    if (turn === null) throw nothingOpen(id)
    const stream = new LiveStream(turn.runId)
    void this.keeper.inTurn(id, () => continueTurn(this.#scene(by, id, hooks), stream, turn))
    return stream
  }

  async cancel(by: Identity, id: string, reason: string): Promise<void> {
    const { turn } = await this.owned(by, id)
    if (turn !== null) await cancelTurn(this.#scene(by, id, NO_HOOKS), turn, reason)
  }

  async delete(by: Identity, id: string): Promise<void> {
    await this.cancel(by, id, 'the conversation was deleted')
    await this.keeper.store.delete(id)
    this.keeper.forget(id)
  }

  #scene(by: Identity, id: string, hooks: TurnHooks): TurnScene {
    const { service, keeper } = this
    return { id, keeper, hooks, parked: this.#parked, place: { service, as: service.as(by) } }
  }
}
