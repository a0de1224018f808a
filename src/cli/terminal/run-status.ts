import type { AgentService } from '../../agent/index.ts'
import { monotonicNow, systemClock } from '../../core/index.ts'
import type { MandateEvent, Spend } from '../../journal/index.ts'
import { count, showStatus } from '../output.ts'

/** Shows the activity of a service's runs in a status line on a terminal, until the returned function is called. */
export function followRuns(service: AgentService): () => void {
  const status = new RunStatus(() => monotonicNow(systemClock))
  const ignore = service.events.on('*', (event) => status.take(event))
  const hide = showStatus((elapsedMs) => status.text(elapsedMs))
  return () => {
    ignore()
    hide()
  }
}

interface Running {
  readonly kind: string
  readonly name: string
  readonly at: number
}

/** Effects whose cost is not counted, because it is the cost of their child runs, which is counted there. */
const OF_CHILDREN = new Set(['agent', 'program', 'cell', 'graph'])

/** Folds the events of runs into the text of a status line: `turn 3 · tool search_orders 1.2 s · 12 s, 3412 tokens, $0.0120`. */
export class RunStatus {
  readonly #now: () => number
  readonly #running: Map<string, Running> = new Map()
  #turn = 0
  #tokens = 0
  #money = 0
  #isEstimated = false

  constructor(now: () => number) {
    this.#now = now
  }

  take({ type, runId, key = '', data }: MandateEvent): void {
    const id = `${runId} ${key}`
    if (type === 'step-start') {
      if (!runId.includes('.')) this.#turn = data.turn
    } else if (type === 'effect-start') this.#running.set(id, { kind: data.kind, name: data.name, at: this.#now() })
    else if (type === 'effect-retry') this.#add(data.spent)
    else if (type === 'effect-end') {
      if (!OF_CHILDREN.has(this.#running.get(id)?.kind ?? '')) this.#add(data.spent)
      this.#running.delete(id)
    }
  }

  text(elapsedMs: number): string {
    const spent = [
      seconds(elapsedMs),
      ...(this.#tokens === 0 ? [] : [count(this.#tokens, 'token')]),
      ...(this.#money === 0 ? [] : [`$${this.#money.toFixed(4)}`]),
      ...(this.#isEstimated ? ['estimated'] : []),
    ].join(', ')
    const turn = this.#turn === 0 ? [] : [`turn ${this.#turn}`]
    return [...turn, this.#work(), spent].join(' · ')
  }

  /** Describes the effect that started last; an effect of a child run rather than the child run itself. */
  #work(): string {
    const last = [...this.#running.values()].at(-1)
    if (last === undefined) return 'working'
    const others = [...this.#running.values()].filter(({ kind }) => !OF_CHILDREN.has(kind)).length - 1
    const more = others > 0 ? ` and ${count(others, 'other')}` : ''
    return `${last.kind} ${last.name} ${seconds(this.#now() - last.at)}${more}`
  }

  #add(spent: Spend | undefined): void {
    this.#tokens += spent?.totalTokens ?? (spent?.inputTokens ?? 0) + (spent?.outputTokens ?? 0)
    this.#money += spent?.money ?? 0
    this.#isEstimated ||= spent?.estimated === true
  }
}

/** Formats a duration: tenths of a second if it is short, minutes if it is long. */
function seconds(ms: number): string {
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`
  const whole = Math.floor(ms / 1_000)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}
