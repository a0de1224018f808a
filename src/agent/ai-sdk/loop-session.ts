import { MandateError, canonical, sha256 } from '../../core/index.ts'
import type { Json, Outcome } from '../../core/index.ts'
import type { Message, Model, ModelReply, ModelRequest } from '../../model/index.ts'
import { Kernel } from '../../run/index.ts'
import type { KernelOptions, RunContext, RunHandle, RunSpec } from '../../run/index.ts'

const NAME = 'ai-sdk-loop'

interface Opened {
  readonly handle: RunHandle
  readonly context: Promise<RunContext>
  /** Rejects when the run is over, for any reason. */
  readonly over: Promise<never>
  end(): void
}

/**
 * One run for an external loop: its mind only waits, and every model call of that loop is an effect of the run. So the calls share a budget and a
 * journal and pass the gate, without changes to the loop.
 */
export class LoopSession {
  readonly #kernel: Kernel
  readonly #spec: Pick<RunSpec, 'runId' | 'sessionId' | 'budget'>
  readonly #calls = new WeakMap<ModelRequest, Model>()
  readonly #models = new Map<string, Model>()
  readonly #seen = new Set<string>()
  #opened: Opened | undefined
  #count = 0

  constructor(options: KernelOptions, spec: Pick<RunSpec, 'runId' | 'sessionId' | 'budget'>) {
    // The external loop makes its own retries.
    this.#kernel = new Kernel({ ...options, limits: { ...options.limits, attempts: 1 } })
    this.#spec = spec
  }

  /** The id of the run, once the first call was made. */
  get runId(): string | undefined {
    return this.#opened?.handle.runId
  }

  /** Makes a model call through the gate and the budget. */
  async call(request: ModelRequest, model: Model): Promise<Outcome<ModelReply>> {
    const { context, over } = this.#open()
    this.#calls.set(request, model)
    this.#addModel(model)
    const run = await Promise.race([context, over])
    const key = `call:${++this.#count}`
    const input = this.#note(run, request)
    const effect = { kind: 'model' as const, name: model.id, key, input, carry: request, origin: 'loop' }
    return Promise.race([run.perform<ModelReply>(effect), over])
  }

  /** Ends the run. Later calls are refused. */
  async close(): Promise<void> {
    this.#opened?.end()
    await this.#opened?.handle.outcome
    await this.#kernel.stop()
  }

  /** The journaled input of a call: each message once, however often it is sent again. */
  #note(run: RunContext, { messages, tools, ...settings }: ModelRequest): Json {
    for (const message of messages) this.#append(run, message)
    const names = tools?.map(({ name }) => name)
    const transcript = { count: messages.length, hash: sha256(canonical(messages)) }
    return { transcript, ...(names === undefined ? {} : { tools: names }), ...settings }
  }

  #append(run: RunContext, message: Message): void {
    const hash = sha256(canonical(message))
    if (this.#seen.has(hash)) return
    this.#seen.add(hash)
    run.append(message)
  }

  /** Registers a model for the run. Parallel calls of one model are distinguished by their requests. */
  #addModel({ id, provider, modelId, capabilities }: Model): void {
    if (this.#models.has(id)) return
    this.#models.set(id, {
      id,
      provider,
      modelId,
      capabilities,
      stream: (request, call) => (this.#calls.get(request) ?? refuseChanged()).stream(request, call),
    })
  }

  #open(): Opened {
    if (this.#opened !== undefined) return this.#opened
    const context = Promise.withResolvers<RunContext>()
    const end = Promise.withResolvers<void>()
    this.#kernel.registry.registerMind({
      kind: 'program',
      name: NAME,
      resources: { models: this.#models },
      start: async (_input, given) => {
        context.resolve(given)
        await end.promise
        return null
      },
    })
    const handle = this.#kernel.begin({ kind: 'program', name: NAME, input: null, ...this.#spec })
    const over = handle.outcome.then((outcome): never => {
      const { code, message } = 'error' in outcome && outcome.error !== undefined ? outcome.error : CLOSED
      throw new MandateError(code, message)
    })
    over.catch(() => {})
    this.#opened = { handle, context: context.promise, over, end: end.resolve }
    return this.#opened
  }
}

/** The error for a request that a filter changed: the external loop sends its own text, so the changed request cannot be sent. */
function refuseChanged(): never {
  throw new MandateError(
    'CONTENT_BLOCKED',
    'A content filter changed this prompt, and the loop outside would send it unchanged. Change it there, or let the filter block.',
  )
}

const CLOSED = { code: 'CLOSED' as const, message: 'The middleware has been closed. Make a new one for further calls.' }
