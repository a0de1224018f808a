import type { Counter, Histogram, Meter } from './api.ts'
import type { MandateEvent } from '../journal/index.ts'
import { GEN_AI, MANDATE, METRIC } from './attribute-names.ts'
import { defined } from './defined.ts'
import { performedBy } from './effect-attributes.ts'

interface OpenEffect {
  readonly kind: string
  readonly name: string
  readonly at: number
  hasSpoken: boolean
}

/** Records model calls with the metric names of the conventions, and counts effects, runs, approvals and money. */
export class RunMetrics {
  readonly #duration: Histogram
  readonly #tokens: Histogram
  readonly #firstChunk: Histogram
  readonly #effects: Counter
  readonly #runs: Counter
  readonly #approvals: Counter
  readonly #money: Counter
  /** Effects that have started and not ended, by run id and effect key. */
  readonly #open = new Map<string, OpenEffect>()

  constructor(meter: Meter) {
    this.#duration = meter.createHistogram(METRIC.duration, { unit: 's' })
    this.#tokens = meter.createHistogram(METRIC.tokens, { unit: '{token}' })
    this.#firstChunk = meter.createHistogram(METRIC.firstChunk, { unit: 's' })
    this.#effects = meter.createCounter('mandate.effects', { description: 'Effects by kind, name and outcome.' })
    this.#runs = meter.createCounter('mandate.runs', { description: 'Runs by how they ended.' })
    this.#approvals = meter.createCounter('mandate.approvals', { description: 'Approvals that were asked for.' })
    this.#money = meter.createCounter('mandate.money', { description: 'What model calls have cost, in dollars.' })
  }

  see(event: MandateEvent): void {
    const id = `${event.runId} ${event.key ?? ''}`
    switch (event.type) {
      case 'effect-start': {
        const { kind, name } = event.data
        this.#open.set(id, { kind, name, at: event.at, hasSpoken: false })
        break
      }
      case 'text-delta':
      case 'reasoning-delta':
        this.#spoke(id, event.at)
        break
      case 'effect-end':
        this.#ended(id, event)
        break
      case 'approval-request':
        this.#approvals.add(1, { [MANDATE.effectKind]: event.data.kind })
        break
      case 'run-end':
        this.#runs.add(1, { [MANDATE.runState]: event.data.state, [GEN_AI.agentName]: event.agentId })
        this.#forget(event.runId)
        break
      case 'run-suspend':
        this.#forget(event.runId)
        break
      default:
        break
    }
  }

  #spoke(id: string, at: number): void {
    const call = this.#open.get(id)
    if (call === undefined || call.hasSpoken) return
    call.hasSpoken = true
    this.#firstChunk.record((at - call.at) / 1000, { [GEN_AI.requestModel]: call.name })
  }

  #ended(id: string, { data }: MandateEvent<'effect-end'>): void {
    const call = this.#open.get(id)
    this.#open.delete(id)
    const { outcome, spent, durationMs, meta } = data
    this.#effects.add(
      1,
      defined({
        [MANDATE.effectKind]: call?.kind,
        [GEN_AI.toolName]: call?.kind === 'tool' ? call.name : undefined,
        [MANDATE.outcome]: outcome.status,
      }),
    )
    if (call?.kind !== 'model') return
    const { provider, model } = performedBy(meta)
    const about = defined({
      [GEN_AI.operation]: 'chat',
      [GEN_AI.provider]: provider,
      [GEN_AI.requestModel]: call.name,
      [GEN_AI.responseModel]: model,
      [MANDATE.estimated]: spent.estimated,
    })
    const error = outcome.status === 'failed' ? { [GEN_AI.errorType]: outcome.error.code } : {}
    this.#duration.record(durationMs / 1000, { ...about, ...error })
    if (spent.inputTokens !== undefined)
      this.#tokens.record(spent.inputTokens, { ...about, [GEN_AI.tokenType]: 'input' })
    if (spent.outputTokens !== undefined)
      this.#tokens.record(spent.outputTokens, { ...about, [GEN_AI.tokenType]: 'output' })
    if ((spent.money ?? 0) > 0) this.#money.add(spent.money!, about)
  }

  #forget(runId: string): void {
    for (const id of this.#open.keys()) if (id.startsWith(`${runId} `)) this.#open.delete(id)
  }
}
