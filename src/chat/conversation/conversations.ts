import { MandateError, checkFields, checkNumbers, isRecord } from '../../core/index.ts'
import type { FieldNames, JsonObject } from '../../core/index.ts'
import { AgentService, kernelOf } from '../../agent/index.ts'
import type { PendingCall } from '../../agent/index.ts'
import { frozenIdentity } from '../../journal/index.ts'
import type { Identity } from '../../journal/index.ts'
import { inMemoryDatabase } from '../../memory/index.ts'
import type { ChatMessage, Conversation } from '../message/chat-message.ts'
import type { GivenMessage } from '../message/given-message.ts'
import type { AtlasStream } from '../turn/atlas-stream.ts'
import { forkConversation } from './conversation-fork.ts'
import type { ConversationHead } from './conversation-record.ts'
import { ConversationRoom } from './conversation-room.ts'
import type { SendOptions } from './conversation-room.ts'
import type { ConversationStore } from './conversation-store.ts'
import { databaseConversations } from './database-conversations.ts'

/** A conversation in a list, without its messages. */
interface ConversationSummary extends Omit<Conversation, 'messages'> {
  /** Id of the identity that owns the conversation. */
  readonly owner: string
  /** The agent that answers where a message names none. */
  readonly agentId: string | null
  readonly createdAt: number
  readonly updatedAt: number
  /** `running` while a turn is running; `suspended` while a turn waits for a person, or to be continued after its process ended. */
  readonly status: 'idle' | 'running' | 'suspended'
  /** Id of the stream and of the run of the open turn. */
  readonly streamId?: string | undefined
  /** The calls that a suspended turn waits for. */
  readonly pending: readonly PendingCall[]
}

/** A stored conversation with its messages. */
export interface StoredConversation extends ConversationSummary {
  readonly messages: readonly ChatMessage[]
  /** Run ids of its turns, oldest first, including turns that a fork copied and the open turn. */
  readonly runs: readonly string[]
}

interface ConversationsOptions {
  /** Store of the conversations; in memory when absent. */
  readonly store?: ConversationStore | undefined
}

interface CreateConversationOptions {
  readonly id?: string | undefined
  /** The agent that answers where a message names none. */
  readonly agentId?: string | undefined
  readonly metadata?: JsonObject | undefined
}

interface ListConversationsOptions {
  /** Maximum number of conversations; 50 when absent. */
  readonly limit?: number | undefined
  /** Number of conversations to skip. */
  readonly offset?: number | undefined
}

interface ForkConversationOptions {
  /** The id of the new conversation. */
  readonly id?: string | undefined
  /** Number of turns to copy; all when absent. A negative number leaves out that many of the last turns; an open turn counts as the last. */
  readonly turns?: number | undefined
}

const FORK: FieldNames<ForkConversationOptions> = { id: 'text', turns: true }
const CONVERSATIONS: FieldNames<ConversationsOptions> = { store: 'object' }
const CREATE: FieldNames<CreateConversationOptions> = { id: 'text', agentId: 'text', metadata: true }
const LIST: FieldNames<ListConversationsOptions> = { limit: 'number', offset: true }

/**
 * Conversations as one identity can use them: its own, and with the permission to read journals also those of others, read-only. `conversations.as(identity)`
 * makes one for a request.
 */
export class ConversationsAs {
  readonly identity: Identity
  readonly #room: ConversationRoom

  /** `room` is made by `Conversations` and `Atlas`; typed as `object` to keep its type out of the public API. */
  constructor(room: object, identity: Identity) {
    if (!(room instanceof ConversationRoom))
      throw new MandateError('CONFIG_INVALID', 'Views of conversations are made by `conversations.as(identity)`.')
    this.identity = frozenIdentity(identity)
    this.#room = room
  }

  /** Creates a conversation, owned by this identity. */
  async create(options: CreateConversationOptions = {}): Promise<StoredConversation> {
    checkFields(options, 'an option of a conversation', CREATE, 'INPUT_INVALID')
    const { keeper, service } = this.#room
    const { id = keeper.newId('chat'), agentId = null, metadata } = options
    if (agentId !== null) service.agent(agentId)
    return this.#shown(await this.#room.create(this.identity, { id, agentId, metadata }))
  }

  /** Returns a conversation with its messages, including those that an open turn has so far. */
  async get(id: string): Promise<StoredConversation> {
    return this.#shown(await this.#room.readable(this.identity, id))
  }

  /** Lists the conversations of this identity, the last changed first. */
  async list(options: ListConversationsOptions = {}): Promise<readonly ConversationSummary[]> {
    checkFields(options, 'an option of listing conversations', LIST, 'INPUT_INVALID')
    checkNumbers(options, 'an option of listing conversations', { limit: 'count', offset: 'count' }, 'INPUT_INVALID')
    const { limit = 50, offset = 0 } = options
    const heads = await this.#room.keeper.store.list({ owner: this.identity.id, limit, offset })
    return Promise.all(heads.map((head) => this.#summary(head)))
  }

  /** Adds a message that is not answered. It comes after a turn that is running. */
  append(id: string, message: GivenMessage): Promise<ChatMessage> {
    return this.#room.append(this.identity, id, message)
  }

  /**
   * Sends a message to the agent of the conversation, or to `agentId`, and returns the answer as a stream at once. The message waits for the turns that were
   * sent before, in any process. A conversation that waits for a person rejects it (`RUN_STATE`).
   */
  send(id: string, message: GivenMessage, options: SendOptions = {}): AtlasStream {
    return this.#room.send(this.identity, id, { message, options })
  }

  /** Continues a turn that waited for a person, once the pending calls are answered, or whose process ended. The stream has the same id. */
  continue(id: string): Promise<AtlasStream> {
    return this.#room.continue(this.identity, id)
  }

  /** Cancels the running or suspended turn. What it has written so far stays. */
  cancel(id: string, reason = 'cancelled'): Promise<void> {
    return this.#room.cancel(this.identity, id, reason)
  }

  /**
   * Creates a conversation with the turns of another, which is not changed: to try an alternative, or to take back the last turns (`turns: -1`). Effects of the
   * turns are not undone. `metadata.forkedFrom` is the id of the original.
   */
  async fork(id: string, options: ForkConversationOptions = {}): Promise<StoredConversation> {
    checkFields(options, 'an option of forking a conversation', FORK, 'INPUT_INVALID')
    const { id: own = this.#room.keeper.newId('chat'), turns } = options
    if (turns !== undefined && !Number.isSafeInteger(turns))
      throw new MandateError('INPUT_INVALID', `\`turns\` is ${String(turns)}. Give a whole number.`)
    return this.#shown(await forkConversation(this.#room, this.identity, id, { id: own, turns }))
  }

  /** Sets the agent that answers when a message names none. */
  async setAgent(id: string, agentId: string): Promise<void> {
    this.#room.service.agent(agentId)
    await this.#room.setAgent(this.identity, id, agentId)
  }

  /** Replaces the metadata of a conversation, such as its title or folder. */
  async setMetadata(id: string, metadata: JsonObject): Promise<void> {
    if (!isRecord(metadata))
      throw new MandateError('INPUT_INVALID', 'The metadata of a conversation is an object of plain data.')
    await this.#room.setMetadata(this.identity, id, metadata)
  }

  /** Deletes a conversation with its messages. The journals of its runs are not deleted. */
  delete(id: string): Promise<void> {
    return this.#room.delete(this.identity, id)
  }

  async #shown(head: ConversationHead): Promise<StoredConversation> {
    const [summary, messages, runs] = await Promise.all([
      this.#summary(head),
      this.#room.messages(this.identity, head),
      this.#room.runs(head),
    ])
    return { ...summary, messages, runs }
  }

  async #summary(head: ConversationHead): Promise<ConversationSummary> {
    const { id, owner, agentId, createdAt, updatedAt, metadata, turn } = head
    const { status = 'idle', pending = [] } = (await this.#room.view(this.identity, head)) ?? {}
    return {
      ...{ id, owner, agentId, createdAt, updatedAt },
      ...(metadata === undefined ? {} : { metadata }),
      status,
      ...(turn === null || status === 'idle' ? {} : { streamId: turn.runId }),
      pending,
    }
  }
}

/**
 * Conversations with the agents of a service, each owned by an identity. Every turn is a run of the service: gated, journaled, within its budget. Turns of one
 * conversation run one after another, also across processes.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { Conversations } from 'mandate/chat'
 * import { scripted } from 'mandate/model'
 * const service = new AgentService({ agents: [{ id: 'helper', model: scripted(['Hello.']) }] })
 * const conversations = new Conversations(service)
 * const { id } = await conversations.create({ agentId: 'helper' })
 * for await (const text of conversations.send(id, 'Hi.')) process.stdout.write(text)
 * const { messages } = await conversations.get(id)
 * ```
 */
export class Conversations extends ConversationsAs {
  readonly #room: ConversationRoom

  constructor(service: AgentService, options: ConversationsOptions = {}) {
    checkFields(options, 'an option of conversations', CONVERSATIONS)
    if (!(service instanceof AgentService))
      throw new MandateError('CONFIG_INVALID', 'Conversations are held with the agents of an `AgentService`. Give one.')
    const room = new ConversationRoom(service, options.store ?? memoryConversations(service))
    super(room, service.identity)
    this.#room = room
  }

  /** Returns the same conversations for another identity. Make one for each request. */
  as(identity: Identity): ConversationsAs {
    return new ConversationsAs(this.#room, identity)
  }
}

/** Keeps conversations in memory; they are lost when the process ends. */
export function memoryConversations(service: AgentService): ConversationStore {
  return databaseConversations(inMemoryDatabase({ clock: kernelOf(service).clock }))
}
