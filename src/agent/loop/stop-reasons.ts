import { codeOf } from '../../core/index.ts'
import type { ErrorCode, Outcome } from '../../core/index.ts'
import type { Stop } from './loop.ts'

/** Denials that no other call could avoid: they end the run instead of being returned to the model. */
const FINAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['LIMIT_EXCEEDED', 'PRICE_UNKNOWN', 'DURABILITY_REFUSED'])

/** The stop of a loop whose model gave no answer. */
export function stopFor(outcome: Exclude<Outcome, { status: 'ok' }>): Stop {
  if (outcome.status === 'cancelled') return { status: 'cancelled' }
  const code = codeOf(outcome)
  if (outcome.status === 'failed') {
    const { message, info } = outcome.error
    return { status: 'failed', code: code === 'TIMEOUT' ? 'MODEL_TIMEOUT' : code, message, info }
  }
  const message = outcome.status === 'denied' ? `${outcome.reason} (${outcome.rule})` : outcome.reason
  return { status: 'failed', code, message }
}

/** Whether the outcome of a tool call ends the loop: most failures and denials are results that the model can react to. */
export function stopForTool(name: string, outcome: Outcome): Stop | undefined {
  if (outcome.status === 'denied') {
    // An agent that may not call other agents any more can still do the work itself.
    const isFinal = FINAL.has(outcome.code) && outcome.rule !== 'budget/depth'
    return isFinal ? { status: 'failed', code: outcome.code, message: outcome.reason } : undefined
  }
  // A limit that another agent reached may be its own: if it is the run's, the next effect is refused and ends the loop.
  if (outcome.status !== 'failed' || outcome.fatal !== true) return undefined
  const { message, info } = outcome.error
  return { status: 'failed', code: 'TOOL_FATAL', message: `The tool "${name}" failed for good: ${message}`, info }
}
