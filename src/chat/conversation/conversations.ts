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

/** A conversation in a list: without its messages. */
interface ConversationSummary extends Omit<Conversation, 'messages'> {
  /** The id of the identity whose conversation it is. */
  readonly owner: string
  /** The agent that answers where a message names none. */
  readonly agentId: string | null
  readonly createdAt: number
  readonly updatedAt: number
  /** `running` while a turn is under way; `suspended` while one waits for a person, or to be continued because its process ended. */
  readonly status: 'idle' | 'running' | 'suspended'
  /** The stream, and the run, of the turn that is under way or waits. */
  readonly streamId?: string | undefined
  /** What a suspended turn waits for. */
  readonly pending: readonly PendingCall[]
}

/** A conversation as it is kept. */
export interface StoredConversation extends ConversationSummary {
  readonly messages: readonly ChatMessage[]
  /** The runs of its turns, oldest first: also of those that were copied by a fork, and of the one that is open. */
  readonly runs: readonly string[]
}

interface ConversationsOptions {
  /** Where they are kept; in memory when absent. */
  readonly store?: ConversationStore | undefined
}

interface CreateConversationOptions {
  readonly id?: string | undefined
  /** The agent that answers where a message names none. */
  readonly agentId?: string | undefined
  readonly metadata?: JsonObject | undefined
}

interface ListConversationsOptions {
  /** 50 when absent. */
  readonly limit?: number | undefined
  /** So many are passed over. */
  readonly offset?: number | undefined
}

interface ForkConversationOptions {
  /** The id of the new conversation. */
  readonly id?: string | undefined
  /** How many of its turns are taken over: all when absent; a negative number leaves out so many of the last ones, of which one that is not over is the last. */
  readonly turns?: number | undefined
}

const FORK: FieldNames<ForkConversationOptions> = { id: true, turns: true }
const CONVERSATIONS: FieldNames<ConversationsOptions> = { store: true }
const CREATE: FieldNames<CreateConversationOptions> = { id: true, agentId: true, metadata: true }
const LIST: FieldNames<ListConversationsOptions> = { limit: true, offset: true }

/**
 * Conversations in the name of one identity: its own, and to read, with the right to read journals, those of others. `conversations.as(identity)` makes one
 * for a request.
 */
export class ConversationsAs {
  readonly identity: Identity
  readonly #room: ConversationRoom

  /** `room` is made by `Conversations` and `Atlas`; its type stays out of what users see. */
  constructor(room: object, identity: Identity) {
    if (!(room instanceof ConversationRoom))
      throw new MandateError('CONFIG_INVALID', 'Views of conversations are made by `conversations.as(identity)`.')
    this.identity = frozenIdentity(identity)
    this.#room = room
  }

  /** Begins a conversation. Its owner is whoever begins it. */
  async create(options: CreateConversationOptions = {}): Promise<StoredConversation> {
    checkFields(options, 'an option of a conversation', CREATE, 'INPUT_INVALID')
    const { keeper, service } = this.#room
    const { id = keeper.newId('chat'), agentId = null, metadata } = options
    if (agentId !== null) service.agent(agentId)
    return this.#shown(await this.#room.create(this.identity, { id, agentId, metadata }))
  }

  /** A conversation with its messages; those of a turn that is under way as far as it is. */
  async get(id: string): Promise<StoredConversation> {
    return this.#shown(await this.#room.readable(this.identity, id))
  }

  /** The conversations of this identity, the last one spoken in first. */
  async list(options: ListConversationsOptions = {}): Promise<readonly ConversationSummary[]> {
    checkFields(options, 'an option of listing conversations', LIST, 'INPUT_INVALID')
    checkNumbers(options, 'an option of listing conversations', { limit: 'count', offset: 'count' }, 'INPUT_INVALID')
    const { limit = 50, offset = 0 } = options
    const heads = await this.#room.keeper.store.list({ owner: this.identity.id, limit, offset })
    return Promise.all(heads.map((head) => this.#summary(head)))
  }

  /** Adds a message that nobody is to answer. While a turn is under way it comes after it. */
  append(id: string, message: GivenMessage): Promise<ChatMessage> {
    return this.#room.append(this.identity, id, message)
  }

  /**
   * Sends a message to the agent of the conversation, or to the one that is named, and returns the answer as a stream at once. It waits for the turns
   * that were sent before, in any process; a conversation that waits for a person takes no message (`RUN_STATE`).
   */
  send(id: string, message: GivenMessage, options: SendOptions = {}): AtlasStream {
    return this.#room.send(this.identity, id, { message, options })
  }

  /** Goes on with a turn that waited for a person, once that is answered, or whose process ended. The stream has the same id. */
  continue(id: string): Promise<AtlasStream> {
    return this.#room.continue(this.identity, id)
  }

  /** Ends the turn that is under way or waits; what was said until then stays. */
  cancel(id: string, reason = 'cancelled'): Promise<void> {
    return this.#room.cancel(this.identity, id, reason)
  }

  /**
   * A new conversation with the turns of another, which stays as it is: to try something else, or to take back the last turns (`turns: -1`). What they did
   * outside stays done. `metadata.forkedFrom` says where it comes from.
   */
  async fork(id: string, options: ForkConversationOptions = {}): Promise<StoredConversation> {
    checkFields(options, 'an option of forking a conversation', FORK, 'INPUT_INVALID')
    const { id: own = this.#room.keeper.newId('chat'), turns } = options
    if (turns !== undefined && !Number.isSafeInteger(turns))
      throw new MandateError('INPUT_INVALID', `\`turns\` is ${String(turns)}. Give a whole number.`)
    return this.#shown(await forkConversation(this.#room, this.identity, id, { id: own, turns }))
  }

  /** Says who answers from now on where a message names no agent. */
  async setAgent(id: string, agentId: string): Promise<void> {
    this.#room.service.agent(agentId)
    await this.#room.setAgent(this.identity, id, agentId)
  }

  /** Replaces the metadata of a conversation: a title, a folder, whatever belongs to it. */
  async setMetadata(id: string, metadata: JsonObject): Promise<void> {
    if (!isRecord(metadata))
      throw new MandateError('INPUT_INVALID', 'The metadata of a conversation is an object of plain data.')
    await this.#room.setMetadata(this.identity, id, metadata)
  }

  /** Deletes a conversation with its messages. The journals of its runs stay, with whatever keeps them. */
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
 * Conversations with the agents of a service, each with an owner. Every turn is a run of the service: gated, journaled, within its budget. Turns of one
 * conversation follow each other, in whichever process they are sent.
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

  /** The same conversations as another identity sees them. Make one for each request. */
  as(identity: Identity): ConversationsAs {
    return new ConversationsAs(this.#room, identity)
  }
}

/** Conversations that are gone with the process. */
export function memoryConversations(service: AgentService): ConversationStore {
  return databaseConversations(inMemoryDatabase({ clock: kernelOf(service).clock }))
}
