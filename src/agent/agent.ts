import type { Json } from '../core/index.ts'
import type { Message } from '../model/index.ts'
import type { AnyTools, KnownTools, SchemaOutput, ToolList, ToolTypes, ToolTypesOf } from '../tool/index.ts'
import { eventFilter } from './session/agent-events.ts'
import type { AgentEventListener, AgentEventName } from './session/agent-events.ts'
import type { AgentRun } from './session/agent-run.ts'
import { awaited, checkCall } from './session/ai-sdk-call.ts'
import { keepDefinition } from './config/agent-definition.ts'
import type { AgentConfig, AgentSpec } from './config/config-types.ts'
import type { Prompt, ResumeOptions } from './session/run-options.ts'
import type { Health, ServiceOptions } from './service/service-options.ts'
import type { AgentCall, AiSdkGenerated, AiSdkStreamed, AiSdkToolSet } from './ai-sdk/agent-shapes.ts'
import { toolSetOf } from './ai-sdk/tool-set.ts'
import type { CheckedConfig, ListedName, NoOthers, NamingConfig } from './config/named-tools.ts'
import { checkOwnNames } from './service/own-names.ts'
import { AgentService } from './service/service.ts'
import type { AgentSession, SessionOptions, SessionRunOptions } from './session/session.ts'

class Agent<Output = unknown, Tools extends ToolTypes = AnyTools> {
  /** The version of the AI SDK's agent interface: this agent can be passed to `createAgentUIStreamResponse` and other functions that take an agent. */
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
    if (!(host instanceof AgentService)) {
      checkOwnNames(this.service)
      keepDefinition(this, { config: { ...config, id: this.spec.id }, host })
    }
    this.#session = this.createSession({ sessionId: this.spec.sessionId })
  }

  get id(): string {
    return this.spec.id
  }

  /** The tools in the form of the AI SDK; only this agent executes them. */
  get tools(): AiSdkToolSet<Tools> {
    return (this.#tools ??= toolSetOf(this.spec) as AiSdkToolSet<Tools>)
  }

  /** `generate` of the AI SDK's agent interface. Throws if the run fails or is cancelled; a run that waits for an approval shows that in `content`. */
  async generate(call: AgentCall): Promise<AiSdkGenerated<Output, Tools>> {
    checkCall(call, 'generate')
    const { generateWith } = await import('./ai-sdk/agent-interface.ts')
    return generateWith<Output, Tools>(this, call)
  }

  /**
   * `stream` of the AI SDK's agent interface. Answers to approvals among the messages resume the run that waits for them; otherwise a new run starts
   * with the messages as its history.
   */
  stream(call: AgentCall): Promise<AiSdkStreamed<Output, Tools>> {
    checkCall(call, 'stream')
    return awaited(
      import('./ai-sdk/agent-interface.ts').then(({ streamWith }) => streamWith<Output, Tools>(this, call)),
    )
  }

  /**
   * Runs a task after the earlier runs of this session, with their messages as its history. Returns a handle at once: await it for the result,
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

  /** Runs one task in a session of its own. */
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

  /** Listens to events of all runs of the agent. Returns the function that unsubscribes. */
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

  /** Stops the agent's own service. An agent of a shared service only suspends its current run; the service is stopped by its owner. */
  async stop(): Promise<void> {
    await (this.#ownsService ? this.service.stop() : this.#session.suspend())
  }
}

/** The type of `new Agent(config)`: the type of the result follows from `output`, those of the calls from `tools`. */
interface AgentConstructor {
  new <
    const S extends object | undefined = undefined,
    const T extends KnownTools<T> | undefined = undefined,
    const A extends ListedName<T> = string,
    const D extends ListedName<T> = string,
    const G extends ListedName<T> = string,
    const O extends string = NoOthers,
  >(
    config: AgentConfig<S, T> & NamingConfig<A, D, G, O> & CheckedConfig<T, A, D, G, O>,
    host?: AgentService | ServiceOptions,
  ): Agent<S extends object ? SchemaOutput<S> : Json, T extends ToolList ? ToolTypesOf<T> : ToolTypes>
  readonly prototype: Agent
}

/**
 * A stand-alone agent: the loop, the gate and the journal in one object. With `service` it belongs to that service; otherwise it creates its own.
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

// A constructor cannot have type parameters of its own, so the class is exported as a constructor type that has.
export { TypedAgent as Agent }
