import type { MandateEvent, RunEventBus } from '../../journal/index.ts'
import { CounterFamily, HistogramFamily } from './metric-family.ts'

/** Histogram bounds in seconds, from a file read to a long answer of a model. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

interface OpenEffect {
  readonly kind: string
  readonly name: string
}

/** Metrics of a service since its server was created, counted from its events. They contain names, but no content. */
export class RunFigures {
  readonly #started = new CounterFamily('mandate_runs_started_total', 'Runs that began or went on, by agent.')
  readonly #ended = new CounterFamily('mandate_runs_ended_total', 'Runs that ended, by agent and state.')
  readonly #suspended = new CounterFamily(
    'mandate_runs_suspended_total',
    'Runs that were suspended, by agent and reason.',
  )
  readonly #active = new CounterFamily('mandate_runs_active', 'Runs that this process drives.', 'gauge')
  readonly #effects = new CounterFamily('mandate_effects_total', 'Effects by kind, name and outcome.')
  readonly #seconds = new HistogramFamily('mandate_effect_duration_seconds', 'How long effects took, by kind.', SECONDS)
  readonly #tokens = new CounterFamily('mandate_tokens_total', 'Tokens of model calls, by model and type.')
  readonly #money = new CounterFamily('mandate_money_dollars_total', 'What model calls cost, by model.')
  readonly #approvals = new CounterFamily(
    'mandate_approvals_requested_total',
    'Approvals and questions for people, by kind.',
  )
  /** Runs that this process drives, with their effects that have started. */
  readonly #runs = new Map<string, Map<string, OpenEffect>>()
  readonly #unlisten: readonly (() => void)[]

  constructor(events: RunEventBus) {
    this.#active.add({}, 0)
    this.#unlisten = [
      events.on('run-start', (event) => this.#opened(event)),
      events.on('run-resume', (event) => this.#opened(event)),
      events.on('run-suspend', (event) => {
        this.#suspended.add({ agent: event.agentId, reason: event.data.reason })
        this.#closed(event.runId)
      }),
      events.on('run-end', (event) => {
        this.#ended.add({ agent: event.agentId, state: event.data.state })
        this.#closed(event.runId)
      }),
      events.on('effect-start', ({ runId, key = '', data: { kind, name } }) => {
        this.#runs.get(runId)?.set(key, { kind, name })
      }),
      events.on('effect-end', (event) => this.#effectEnded(event)),
      events.on('approval-request', ({ data }) => this.#approvals.add({ kind: data.kind })),
    ]
  }

  close(): void {
    for (const unlisten of this.#unlisten) unlisten()
  }

  /** Returns all metrics in the text format of Prometheus, 0.0.4. */
  text(): string {
    const families = [
      this.#started,
      this.#ended,
      this.#suspended,
      this.#active,
      this.#effects,
      this.#seconds,
      this.#tokens,
      this.#money,
      this.#approvals,
    ]
    return families.map((family) => family.text()).join('')
  }

  #opened({ runId, agentId }: MandateEvent): void {
    this.#started.add({ agent: agentId })
    if (!this.#runs.has(runId)) this.#active.add({}, 1)
    this.#runs.set(runId, new Map())
  }

  #closed(runId: string): void {
    if (this.#runs.delete(runId)) this.#active.add({}, -1)
  }

  #effectEnded({ runId, key = '', data }: MandateEvent<'effect-end'>): void {
    const open = this.#runs.get(runId)
    const effect = open?.get(key)
    open?.delete(key)
    const { outcome, spent, durationMs } = data
    // A refused call has not started, and its name may be anything that a model invented.
    const { kind = 'refused', name = '' } = effect ?? {}
    this.#effects.add({ kind, name, outcome: outcome.status })
    if (effect === undefined) return
    this.#seconds.observe({ kind }, durationMs / 1_000)
    if (kind !== 'model' && kind !== 'embed') return
    if (spent.inputTokens !== undefined) this.#tokens.add({ model: name, type: 'input' }, spent.inputTokens)
    if (spent.outputTokens !== undefined) this.#tokens.add({ model: name, type: 'output' }, spent.outputTokens)
    if ((spent.money ?? 0) > 0) this.#money.add({ model: name }, spent.money)
  }
}
