import { MandateError, checkFields, messageOf, newId } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import { AgentService, kernelOf } from '../agent/index.ts'
import type { AgentSpec, HistoryWindow } from '../agent/index.ts'
import type { Tool, ToolLike } from '../tool/index.ts'
import type { ChatAgent, ChatTool } from './chat-agent.ts'
import type { ChatMessage, Conversation } from './message/chat-message.ts'
import { readMessage } from './message/given-message.ts'
import type { GivenMessage } from './message/given-message.ts'
import { checkConversation } from './message/stored-message.ts'
import { modelMessages } from './message/model-messages.ts'
import { turnError } from './provider/provider-error.ts'
import { ProviderRegistry } from './provider/provider-registry.ts'
import { configOf, providerId } from './runtime-config.ts'
import { LiveStream } from './turn/atlas-stream.ts'
import type { AtlasStream } from './turn/atlas-stream.ts'
import { agentChatResult } from './turn/chat-result.ts'
import type { AgentChatResult } from './turn/chat-result.ts'
import { TurnRun } from './turn/turn-run.ts'

/** A streamed turn; `result` resolves to the complete turn. */
export interface AgentChatStream extends AtlasStream {
  readonly result: Promise<AgentChatResult>
}

interface AgentRuntimeOptions {
  /** Service that runs the turns; a private one in memory when absent. */
  readonly service?: AgentService | undefined
  /** Handlers of tools that the agent defines without one. */
  readonly tools?: readonly (ChatTool | ToolLike)[] | undefined
  /** System text placed before the agent's own prompt. */
  readonly systemPrompt?: string | undefined
  readonly history?: HistoryWindow | undefined
}

interface AgentChatOptions {
  /** Streams the provider's answer, and returns at once. */
  readonly streaming?: boolean | undefined
  readonly toolChoice?: string | undefined
  readonly signal?: AbortSignal | undefined
}

const RUNTIME: FieldNames<AgentRuntimeOptions> = {
  service: 'object',
  tools: 'list',
  systemPrompt: 'text',
  history: 'object',
}
const CHAT: FieldNames<AgentChatOptions> = { streaming: 'flag', toolChoice: 'text', signal: 'object' }

/**
 * Binds an agent to its provider and its tools, and takes single turns of conversations that are stored elsewhere. A turn is a run of the service, gated and
 * journaled.
 *
 * @example
 * ```ts
 * import { AgentRuntime, agent } from 'mandate/chat'
 * import { scripted } from 'mandate/model'
 * const runtime = new AgentRuntime(agent({ id: 'helper', model: scripted(['Hello.']) }))
 * const { assistantMessage } = await runtime.chat({ id: 'c1', messages: [] }, 'Hi.')
 * ```
 */
export class AgentRuntime {
  readonly agent: ChatAgent
  readonly tools: ReadonlyMap<string, Tool>
  readonly providerId: string
  readonly #service: AgentService
  readonly #systemPrompt: string | undefined
  /** Ids of runs whose provider is called with `complete` instead of `stream`. */
  readonly #whole = new Set<string>()

  constructor(
    agent: ChatAgent,
    providers: ProviderRegistry = new ProviderRegistry(),
    options: AgentRuntimeOptions = {},
  ) {
    checkFields(options, 'an option of a runtime', RUNTIME)
    this.agent = agent
    this.providerId = providerId(agent)
    this.#service = options.service ?? new AgentService()
    this.#systemPrompt = options.systemPrompt
    const isWhole = ({ idempotencyKey }: { readonly idempotencyKey: string }): boolean =>
      this.#whole.has(idempotencyKey.split('/', 1)[0]!)
    const surroundings = { providers, tools: options.tools ?? [], history: options.history, isWhole }
    const spec = this.#register(agent, surroundings)
    this.tools = new Map(spec.tools.map((tool) => [tool.name, tool]))
  }

  #register(agent: ChatAgent, surroundings: Parameters<typeof configOf>[1]): AgentSpec {
    const config = configOf(agent, surroundings)
    try {
      return this.#service.register(config)
    } catch (error) {
      // The error names only the model, and only the providers of packages: add the agent and the registered providers.
      const isOfModel = typeof config.model === 'string' && messageOf(error).startsWith(JSON.stringify(config.model))
      if (!isOfModel || !MandateError.isInstance(error)) throw error
      const given = surroundings.providers.ids().join(', ') || 'none'
      throw new MandateError(
        error.code,
        `The model of the agent "${agent.id}": ${error.message} Providers that were given here: ${given}.`,
        { cause: error },
      )
    }
  }

  /** Takes one turn: returns the answer to `nextMessage`, which may be missing from the conversation's messages. The conversation is not changed. */
  chat(
    conversation: Conversation,
    nextMessage: GivenMessage,
    options?: AgentChatOptions & { readonly streaming?: false | undefined },
  ): Promise<AgentChatResult>
  chat(
    conversation: Conversation,
    nextMessage: GivenMessage,
    options: AgentChatOptions & { readonly streaming: true },
  ): Promise<AgentChatStream>
  async chat(
    conversation: Conversation,
    nextMessage: GivenMessage,
    options: AgentChatOptions = {},
  ): Promise<AgentChatResult | AgentChatStream> {
    checkFields(options, 'an option of `chat`', CHAT, 'INPUT_INVALID')
    checkConversation(conversation)
    const { clock, random } = kernelOf(this.#service)
    const frame = { newId: () => newId('message', clock, random), now: () => clock.now() }
    const message = readMessage(nextMessage, { roles: ['user'], ...frame })
    const stream = new LiveStream(newId('run', clock, random))
    const result = this.#turn(conversation, { message, stream, options })
    result.then(
      ({ assistantMessage }) => stream.end(assistantMessage, endOf(assistantMessage)),
      (error: unknown) => stream.fail(error),
    )
    return options.streaming === true ? Object.assign(stream, { result }) : result
  }

  /** Calls the provider's `complete` in this run, until the returned function is called. */
  askWhole(runId: string): () => void {
    this.#whole.add(runId)
    return () => void this.#whole.delete(runId)
  }

  async #turn(conversation: Conversation, { message, stream, options }: Turn): Promise<AgentChatResult> {
    const before = conversation.messages.filter(({ id }) => id !== message.id)
    const run = new TurnRun({ service: this.#service, as: this.#service }, stream.streamId)
    run.fold.listen((event) => (event.type === 'text' ? stream.push(event.text) : undefined))
    stream.run((reason) => run.cancel(reason))
    void run.begun.then(() => stream.start())
    const done = options.streaming === true ? (): void => {} : this.askWhole(stream.streamId)
    try {
      const result = await run.start({
        agentId: this.agent.id,
        prompt: modelMessages([message])[0]!,
        options: {
          sessionId: conversation.id,
          history: modelMessages(before),
          instructions: this.#systemPrompt,
          toolChoice: options.toolChoice,
          signal: options.signal,
        },
      })
      if (result.error !== undefined && result.status !== 'cancelled' && result.status !== 'max_tokens')
        throw turnError(result.error)
      return agentChatResult(result, run.fold.shown)
    } finally {
      done()
      run.leave()
    }
  }
}

interface Turn {
  readonly message: ChatMessage
  readonly stream: LiveStream
  readonly options: AgentChatOptions
}

function endOf({ metadata = {} }: ChatMessage): 'completed' | 'cancelled' | 'suspended' {
  if (metadata['cancelled'] === true) return 'cancelled'
  return metadata['suspended'] === true ? 'suspended' : 'completed'
}
