import type { Json } from '../core/index.ts'
import type { Message } from '../model/index.ts'
import type { AnyTools, KnownTools, SchemaOutput, ToolList, ToolTypes, ToolTypesOf } from '../tool/index.ts'
import { eventFilter } from './session/agent-events.ts'
import type { AgentEventListener, AgentEventName } from './session/agent-events.ts'
import type { AgentRun } from './session/agent-run.ts'
import { keepDefinition } from './config/agent-definition.ts'
import type { AgentConfig, AgentSpec } from './config/config-types.ts'
import type { Prompt, ResumeOptions } from './session/run-options.ts'
import type { Health, ServiceOptions } from './service/service-options.ts'
import type { AgentCall, AiSdkGenerated, AiSdkStreamed, AiSdkToolSet } from './ai-sdk/agent-shapes.ts'
import { toolSetOf } from './ai-sdk/tool-set.ts'
import { callableAgents } from './config/callable-agents.ts'
import { AgentService } from './service/service.ts'
import type { AgentSession, SessionOptions, SessionRunOptions } from './session/session.ts'

class Agent<Output = unknown, Tools extends ToolTypes = AnyTools> {
  /** The AI SDK's agent interface: this agent can be given to `createAgentUIStreamResponse` and whatever else takes an agent. */
  readonly version = 'agent-v1' as const
  readonly spec: AgentSpec
  readonly service: AgentService
  readonly #session: AgentSession<Output, Tools>
  readonly #ownsService: boolean
  #tools: AiSdkToolSet<Tools> | undefined

  constructor(config: AgentConfig, host: AgentService | ServiceOptions = {}) {
    this.#ownsService = !(host instanceof AgentService)
    this.service = host instanceof AgentService ? host : new AgentService(host)
    this.spec = this.service.register(config)
    if (!(host instanceof AgentService)) keepDefinition(this, { config: { ...config, id: this.spec.id }, host })
    this.#session = this.createSession({ sessionId: this.spec.sessionId })
  }

  get id(): string {
    return this.spec.id
  }

  /** The tools as the AI SDK wants to know them; they are run by this agent alone. */
  get tools(): AiSdkToolSet<Tools> {
    return (this.#tools ??= toolSetOf(this.spec.tools, callableAgents(this.spec)) as AiSdkToolSet<Tools>)
  }

  /** The AI SDK's way of asking for a whole answer. A run that fails or is cut throws; one that waits for an approval says so in `content`. */
  async generate(call: AgentCall): Promise<AiSdkGenerated<Output, Tools>> {
    const { generateWith } = await import('./ai-sdk/agent-interface.ts')
    return generateWith<Output, Tools>(this, call)
  }

  /**
   * The AI SDK's way of streaming. Answers to approvals among the messages let exactly that run go on; anything else begins a run with
   * the messages as its history.
   */
  async stream(call: AgentCall): Promise<AiSdkStreamed<Output, Tools>> {
    const { streamWith } = await import('./ai-sdk/agent-interface.ts')
    return streamWith<Output, Tools>(this, call)
  }

  /**
   * Runs a task after those that were asked for before; what was said in earlier runs is remembered. Returns a handle at once: await it for the result,
   * iterate over it for the events, read `textStream` for the text, call `cancel()` to end it. A failed run is a status, not an exception.
   *
   * @example
   * ```ts
   * import { Agent } from 'mandate'
   * import { scripted } from 'mandate/model'
   * const agent = new Agent({ id: 'greeter', model: scripted(['Hello.', 'Hello again.']) })
   * const { text } = await agent.run('Say hello.')
   * const run = agent.run('Once more.')
   * for await (const piece of run.textStream) process.stdout.write(piece)
   * ```
   */
  run(prompt?: Prompt, options: SessionRunOptions = {}): AgentRun<Output, Tools> {
    return this.#session.run(prompt, options)
  }

  /** An isolated conversation with this agent. */
  createSession(options: SessionOptions = {}): AgentSession<Output, Tools> {
    return this.service.createSession(this.id, options) as AgentSession<Output, Tools>
  }

  /** One task in a session of its own. */
  runOnce(options: SessionOptions & { readonly prompt?: Prompt } = {}): AgentRun<Output, Tools> {
    return this.service.runOnce(this.id, options) as AgentRun<Output, Tools>
  }

  resume(runId: string, options: ResumeOptions = {}): AgentRun<Output, Tools> {
    return this.service.resume(runId, options) as AgentRun<Output, Tools>
  }

  get history(): readonly Message[] {
    return this.#session.history
  }

  clearHistory(): void {
    this.#session.clearHistory()
  }

  abort(): void {
    this.#session.abort()
  }

  /** Listens to what the agent does, in every run. Returns the function that stops it. */
  on<N extends AgentEventName>(name: N, listener: AgentEventListener<N, Tools>): () => void {
    const concerns = eventFilter<N, Tools>(name)
    return this.service.events.on('*', (event) => {
      const known = event.agentId === this.id ? concerns(event) : undefined
      return known === undefined ? undefined : listener(known)
    })
  }

  health(): Promise<Health> {
    return this.service.health()
  }

  /** Stops the agent's own host. An agent that lives in a service leaves that to the service, and only puts away what it is running. */
  async stop(): Promise<void> {
    await (this.#ownsService ? this.service.stop() : this.#session.suspend())
  }
}

/** What `new Agent(config)` makes: the type of the result follows from `output`, those of the calls from `tools`. */
interface AgentConstructor {
  new <const S extends object | undefined = undefined, const T extends KnownTools<T> | undefined = undefined>(
    config: AgentConfig<S, T>,
    host?: AgentService | ServiceOptions,
  ): Agent<S extends object ? SchemaOutput<S> : Json, T extends ToolList ? ToolTypesOf<T> : ToolTypes>
  readonly prototype: Agent
}

/**
 * An agent on its own: the loop, the gate and the journal in one object. With `service` it lives in that host; without it has one of its own.
 *
 * @example
 * ```ts
 * import { Agent } from 'mandate'
 * import { scripted } from 'mandate/model'
 * const agent = new Agent({ id: 'greeter', model: scripted(['Hello.']) })
 * const { status, text } = await agent.run('Say hello.')
 * ```
 */
const TypedAgent: AgentConstructor = Agent
type TypedAgent<Output = unknown, Tools extends ToolTypes = AnyTools> = Agent<Output, Tools>

// A constructor of a class cannot have type parameters of its own, so the class is exported under a type that has.
export { TypedAgent as Agent }
