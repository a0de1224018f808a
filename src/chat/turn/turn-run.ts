import { MandateError, delay } from '../../core/index.ts'
import type { Json, Label } from '../../core/index.ts'
import { conversationLabels, hasBegun, kernelOf, saidIn } from '../../agent/index.ts'
import type { AgentResult, AgentRun, AgentService, RunOptions, SaidMessage, ServiceAs } from '../../agent/index.ts'
import { readAll } from '../../journal/index.ts'
import type { Entry } from '../../journal/index.ts'
import type { Message } from '../../model/index.ts'
import { TurnFold } from './turn-fold.ts'

/** Poll interval for a run that another process drives. */
const LOOK_EVERY_MS = 50

/** The request that starts the run of a turn. */
export interface TurnRequest {
  readonly agentId: string
  readonly prompt: Message
  readonly options: Omit<RunOptions, 'identity' | 'runId'>
}

/** The service that runs turns, and the identity that they run as. */
export interface TurnPlace {
  readonly service: AgentService
  readonly as: ServiceAs
}

/** The outcome of a turn. */
export interface TurnEnd {
  readonly result: AgentResult<Json>
  /** The prompt as recorded in the journal. */
  readonly prompt: Message | null
  readonly said: readonly SaidMessage[]
  readonly labels: readonly Label[]
}

/** Reads the outcome of a turn from the journal of its run. */
export async function turnEnd(journal: AgentService['journal'], result: AgentResult<Json>): Promise<TurnEnd> {
  const entries: readonly Entry[] = await readAll(journal, result.id)
  const start = entries[0]?.type === 'run-start' ? entries[0].data : undefined
  const { prompt = null } = (start?.input ?? {}) as unknown as { readonly prompt?: Message | null }
  return { result, prompt, said: saidIn(entries), labels: conversationLabels(entries) }
}

/** The run of one turn: started or resumed here, in whichever process it is driven. Its events are collected from the first one. */
export class TurnRun {
  readonly fold: TurnFold
  readonly #service: AgentService
  readonly #as: ServiceAs
  readonly #runId: string
  readonly #unlisten: () => void
  #run: AgentRun<Json> | undefined
  #cancelled: string | undefined
  #isElsewhere = false
  readonly #begun = Promise.withResolvers<void>()

  /** `before` is the text that the turn wrote in another process. */
  constructor({ service, as }: TurnPlace, runId: string, before = '') {
    this.fold = new TurnFold(before)
    this.#service = service
    this.#as = as
    this.#runId = runId
    this.#unlisten = service.events.onRun(runId, (event) => this.fold.add(event))
  }

  /** Resolves when the run is in the journal. */
  get begun(): Promise<void> {
    return this.#begun.promise
  }

  /** Whether another process was found to drive the run. */
  get isElsewhere(): boolean {
    return this.#isElsewhere
  }

  start({ agentId, prompt, options }: TurnRequest): Promise<AgentResult<Json>> {
    return this.#drive(() => this.#as.run(agentId, prompt, { ...options, runId: this.#runId }))
  }

  /** Continues the run; `request` starts it if no process has done so. */
  async resume(request: TurnRequest | undefined): Promise<AgentResult<Json>> {
    if (request !== undefined && (await this.#service.journal.summary(this.#runId)) === undefined)
      return this.start(request)
    return this.#drive(() => this.#as.resume(this.#runId))
  }

  cancel(reason: string): void {
    this.#cancelled = reason
    this.#run?.cancel(reason).catch(() => {})
    if (this.#isElsewhere) this.#as.cancel(this.#runId, reason).catch(() => {})
  }

  /** Reads the outcome of the turn. */
  end(result: AgentResult<Json>): Promise<TurnEnd> {
    return turnEnd(this.#service.journal, result)
  }

  /** Stops collecting events. */
  leave(): void {
    this.#unlisten()
  }

  async #drive(begin: () => AgentRun<Json>): Promise<AgentResult<Json>> {
    let next = begin
    for (;;) {
      const run = next()
      this.#run = run
      // A refusal fails the turn.
      hasBegun(run).then(this.#begun.resolve, () => {})
      if (this.#cancelled !== undefined) this.cancel(this.#cancelled)
      try {
        return await run
      } catch (error) {
        if (!MandateError.isInstance(error) || error.code !== 'LEASE_HELD') throw error
      }
      // Another process holds the lease: poll until the outcome is in the journal.
      this.#isElsewhere = true
      if (this.#cancelled !== undefined) this.cancel(this.#cancelled)
      await delay(kernelOf(this.#service).clock, LOOK_EVERY_MS)
      next = () => this.#as.resume(this.#runId)
    }
  }
}
