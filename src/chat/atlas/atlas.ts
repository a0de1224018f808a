import { MandateError, checkId, isRecord } from '../../core/index.ts'
import { AgentService } from '../../agent/index.ts'
import type { AgentSpec } from '../../agent/index.ts'
import { frozenIdentity } from '../../journal/index.ts'
import type { Identity } from '../../journal/index.ts'
import type { StopReport } from '../../run/index.ts'
import { AgentRuntime } from '../agent-runtime.ts'
import { agent as newAgent } from '../chat-agent.ts'
import type { ChatAgent, ChatAgentOptions } from '../chat-agent.ts'
import { ConversationRoom } from '../conversation/conversation-room.ts'
import { ConversationsAs, memoryConversations } from '../conversation/conversations.ts'
import type { StoredConversation } from '../conversation/conversations.ts'
import { databaseConversations } from '../conversation/database-conversations.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import type { GivenMessage } from '../message/given-message.ts'
import { ProviderRegistry } from '../provider/provider-registry.ts'
import type { AtlasStream } from '../turn/atlas-stream.ts'
import type { TurnContext, TurnHooks } from '../turn/turn-hooks.ts'
import { asFailure, callGiven, kindOf } from '../turn/turn-failure.ts'
import { AtlasListeners } from './atlas-events.ts'
import type { AtlasEventName, AtlasEvents, AtlasListener } from './atlas-events.ts'
import { checkAtlasOptions, intercept } from './atlas-options.ts'
import type { AskOptions, AtlasOptions, AtlasPlugin } from './atlas-options.ts'
import type { MultiAgentStrategy } from './agent-strategy.ts'
import { newsTeller } from './turn-news.ts'

/**
 * A conversation with agents: `ask` for whole answers, `send` for streamed ones, with agents to choose from, events, interceptors and a store. It has no loop
 * of its own: each turn is a run of a service, so mandates, budgets, approvals, redaction and the journal hold as for any run.
 *
 * @example
 * ```ts
 * import { Atlas, agent } from 'mandate/chat'
 * import { scripted } from 'mandate/model'
 * const atlas = new Atlas({ agents: [agent({ id: 'helper', model: scripted(['Hello.', 'And again.']) })] })
 * const reply = await atlas.ask('Hi.')
 * for await (const text of atlas.send('Once more.')) process.stdout.write(text)
 * ```
 */
export class Atlas {
  readonly conversationId: string
  readonly #service: AgentService
  readonly #ownsService: boolean
  readonly #room: ConversationRoom
  readonly #identity: Identity
  readonly #options: AtlasOptions
  readonly #providers: ProviderRegistry
  readonly #runtimes = new Map<string, AgentRuntime>()
  readonly #listeners = new AtlasListeners()
  /** Functions that end the use of `complete` for a turn, by stream id. */
  readonly #whole = new Map<string, () => void>()
  #currentAgentId: string | null = null
  #opened: Promise<void> | undefined

  constructor(options: AtlasOptions = {}) {
    checkAtlasOptions(options)
    this.#options = options
    this.#ownsService = options.service === undefined
    this.#service = options.service ?? new AgentService({ store: options.store })
    this.#identity = frozenIdentity(options.identity ?? this.#service.identity)
    this.#providers =
      options.providers instanceof ProviderRegistry ? options.providers : new ProviderRegistry(options.providers)
    this.#room = new ConversationRoom(this.#service, options.conversations ?? this.#conversationsOf(options))
    this.conversationId = checkId(options.conversationId ?? this.#room.keeper.newId('chat'), 'The conversation id')
    for (const given of options.agents ?? []) this.registerAgent(given)
    if (options.defaultAgentId !== undefined) this.setAgentById(options.defaultAgentId)
    for (const plugin of options.plugins ?? []) this.use(plugin)
  }

  #conversationsOf({ store }: AtlasOptions): ReturnType<typeof databaseConversations> {
    return store?.data === undefined ? memoryConversations(this.#service) : databaseConversations(store.data.database())
  }

  /** The conversations of this identity, of which this Atlas uses one: to list and open others. */
  get conversations(): ConversationsAs {
    return new ConversationsAs(this.#room, this.#identity)
  }

  /** The service that runs the turns: it approves, lists, replays and cancels them. */
  get service(): AgentService {
    return this.#service
  }

  /**
   * Sends a message and returns the whole answer, using the provider's `complete`. An answer that waits for a person is marked with `metadata.suspended`. A
   * failed turn rejects, with a `ProviderError` if the provider failed.
   */
  ask(message: GivenMessage, options: AskOptions = {}): Promise<ChatMessage> {
    return this.#send(message, options, false).finalMessage
  }

  /** Sends a message and returns the answer as a stream, at once. */
  send(message: GivenMessage, options: AskOptions = {}): AtlasStream {
    return this.#send(message, options, true)
  }

  /** Continues a turn that waited for a person, once the pending calls are answered, or whose process ended. The stream has the same id. */
  async continue(): Promise<AtlasStream> {
    await this.#open()
    return this.#room.continue(this.#identity, this.conversationId, this.#hooks(true))
  }

  /** Cancels the running or suspended turn, here or in another process. What it has written so far stays. */
  async cancel(reason = 'cancelled'): Promise<void> {
    await this.#open()
    await this.#room.cancel(this.#identity, this.conversationId, reason)
  }

  /** Returns the conversation with its messages. */
  async getConversation(): Promise<StoredConversation> {
    await this.#open()
    return this.conversations.get(this.conversationId)
  }

  /** Adds a message that is not answered, marked with `metadata.synthetic`. It comes after a running turn, but before a turn whose agent is not chosen yet. */
  async addMessage(message: GivenMessage): Promise<ChatMessage> {
    await this.#open()
    return this.#room.append(this.#identity, this.conversationId, message, { synthetic: true })
  }

  /** Sets the agent that answers from now on. Registers it if it is not registered yet. */
  setAgent(agent: ChatAgent): this {
    if (this.#runtimes.get(agent.id)?.agent !== agent) this.registerAgent(agent)
    return this.setAgentById(agent.id)
  }

  setAgentById(agentId: string): this {
    if (!this.#runtimes.has(agentId)) this.#service.agent(agentId)
    this.#currentAgentId = agentId
    return this
  }

  /** Returns the current agent; null when there is none. */
  getAgent(): ChatAgent | null {
    if (this.#currentAgentId === null) return null
    return this.#runtimes.get(this.#currentAgentId)?.agent ?? chatAgentOf(this.#service.agent(this.#currentAgentId))
  }

  /** The agents that were registered here. */
  get agents(): readonly ChatAgent[] {
    return [...this.#runtimes.values()].map(({ agent }) => agent)
  }

  /** Adds an agent. Throws if its id is taken: an agent keeps its provider, so another provider needs another agent. */
  registerAgent(given: ChatAgent | ChatAgentOptions): this {
    const agent = 'options' in given ? newAgent(given.options) : newAgent(given)
    const kept = 'options' in given && Object.isFrozen(given) ? given : agent
    const { tools, history } = this.#options
    this.#runtimes.set(agent.id, new AgentRuntime(kept, this.#providers, { service: this.#service, tools, history }))
    this.#currentAgentId ??= agent.id
    return this
  }

  /** Lets a strategy choose the agent for each message without `agentId`. It is a listener to `message:sent`, as a plugin could add. */
  routeMessage(strategy: MultiAgentStrategy): this {
    if (typeof strategy !== 'function')
      throw new MandateError('INPUT_INVALID', 'A strategy is a function that gives the id of an agent, or null.')
    this.on('message:sent', async (message, context) => {
      if (context?.agentId !== undefined) return
      try {
        const { agents } = this
        const routing = { atlas: this, agents, current: this.getAgent() }
        const chosen = await callGiven('The routing strategy', () => strategy(message, routing))
        if (typeof chosen === 'string') this.setAgentById(chosen)
        else if (isChatAgent(chosen)) this.setAgent(chosen)
        else if (chosen !== null && chosen !== undefined)
          throw new MandateError(
            'CONFIG_INVALID',
            `The routing strategy returned ${kindOf(chosen)}. Return an agent or its id, or null to keep the current agent.`,
          )
      } catch (error) {
        // Errors of listeners are dropped, so report this one. The current agent answers the message.
        this.#listeners.emit('error', asFailure(error), context)
      }
    })
    return this
  }

  use(plugin: AtlasPlugin): this {
    if (typeof plugin !== 'function')
      throw new MandateError('CONFIG_INVALID', 'A plugin is a function that is given the Atlas.')
    plugin(this)
    return this
  }

  /** Adds a listener. Returns the function that removes it. Errors of a listener are dropped. */
  on<N extends AtlasEventName>(name: N, listener: AtlasListener<AtlasEvents[N]>): () => void
  on(name: string, listener: AtlasListener<unknown>): () => void
  on(name: string, listener: AtlasListener<never>): () => void {
    return this.#listeners.add(name, listener)
  }

  /** Emits an event, also one that a plugin defines. */
  emit<N extends AtlasEventName>(name: N, payload: AtlasEvents[N]): void
  emit(name: string, payload: unknown): void
  emit(name: string, payload: unknown): void {
    this.#listeners.emit(name, payload)
  }

  /** Stops the service if this Atlas created it: running turns are suspended durably. A service from the options keeps running, so the report is empty. */
  async stop(): Promise<StopReport> {
    return this.#ownsService ? this.#service.stop() : { suspended: [], left: [], unfinished: [] }
  }

  #send(message: GivenMessage, options: AskOptions, isStreamed: boolean): AtlasStream {
    const { systemPrompt } = this.#options
    const told = [systemPrompt, options.instructions].filter((text) => text !== undefined && text !== '')
    const instructions = told.length === 0 ? undefined : told.join('\n\n')
    const hooks = this.#hooks(isStreamed)
    const opening = this.#open()
    return this.#room.send(this.#identity, this.conversationId, {
      message,
      options: { ...options, instructions },
      hooks,
      opening,
    })
  }

  /** Finds the conversation, or creates it. */
  #open(): Promise<void> {
    this.#opened ??= this.#find()
    // A failed attempt can be retried.
    this.#opened.catch(() => (this.#opened = undefined))
    return this.#opened
  }

  async #find(): Promise<void> {
    const { store } = this.#room.keeper
    if ((await store.read(this.conversationId)) !== undefined) return
    try {
      await this.#room.create(this.#identity, { id: this.conversationId, agentId: null })
    } catch (error) {
      // Another tab or process may have created it meanwhile.
      if ((await store.read(this.conversationId)) === undefined) throw error
    }
  }

  #hooks(isStreamed: boolean): TurnHooks {
    const { interceptors = {} } = this.#options
    const listeners = this.#listeners
    const tell = newsTeller(listeners, isStreamed)
    return {
      outgoing: (message) => intercept('outgoingMessage', interceptors.outgoingMessage, message),
      choose: (message, context) => this.#choose(message, context, isStreamed),
      window: this.#options.history,
      incoming:
        interceptors.incomingMessage === undefined
          ? undefined
          : (message) => intercept('incomingMessage', interceptors.incomingMessage, message),
      tell: (news, context) => {
        tell(news, context)
        if (news.type === 'end' || news.type === 'error') this.#forgetWhole(context.streamId)
      },
    }
  }

  async #choose(message: ChatMessage, context: TurnContext, isStreamed: boolean): Promise<string> {
    await this.#listeners.emitAndWait('message:sent', message, context)
    const agentId = context.agentId ?? this.#currentAgentId
    if (agentId === null)
      throw new MandateError('CONFIG_INVALID', 'There is no agent to answer. Give Atlas `agents`, or `agentId`.')
    const forget = isStreamed ? undefined : this.#runtimes.get(agentId)?.askWhole(context.streamId)
    if (forget !== undefined) this.#whole.set(context.streamId, forget)
    return agentId
  }

  #forgetWhole(streamId: string): void {
    this.#whole.get(streamId)?.()
    this.#whole.delete(streamId)
  }
}

function isChatAgent(given: unknown): given is ChatAgent {
  return isRecord(given) && typeof given['id'] === 'string' && isRecord(given['options'])
}

/** Describes an agent of the service as a `ChatAgent`. */
function chatAgentOf({ id, name, systemPrompt, models, metadata }: AgentSpec): ChatAgent {
  const prompt = typeof systemPrompt === 'string' ? { systemPrompt } : {}
  return { id, options: { id, name, model: models[0] ?? id, ...prompt, metadata } }
}
