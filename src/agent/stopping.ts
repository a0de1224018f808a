import type { ErrorCode, Outcome } from '../core/index.ts'
import type { Stop } from './loop.ts'

/** Denials that no other call could get around: they end the run instead of going back to the model. */
const FINAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['LIMIT_EXCEEDED', 'PRICE_UNKNOWN', 'DURABILITY_REFUSED'])

/** Whether an outcome ends the run, and how. */
export function stopFor(outcome: Outcome): Stop | undefined {
  switch (outcome.status) {
    case 'ok':
      return undefined
    case 'cancelled':
      return { status: 'cancelled' }
    case 'denied':
      return { status: 'failed', code: outcome.code, message: `${outcome.reason} (${outcome.rule})` }
    case 'unknown':
      return { status: 'failed', code: 'OUTCOME_UNKNOWN', message: outcome.reason }
    case 'failed':
      return { status: 'failed', code: outcome.error.code === 'TIMEOUT' ? 'MODEL_TIMEOUT' : outcome.error.code, message: outcome.error.message }
  }
}

/** The same for a tool: most failures and denials are results that the model can act on. */
export function stopForTool(name: string, outcome: Outcome): Stop | undefined {
  if (outcome.status === 'cancelled') return { status: 'cancelled' }
  if (outcome.status === 'denied' && FINAL.has(outcome.code)) return { status: 'failed', code: outcome.code, message: outcome.reason }
  if (outcome.status === 'failed' && outcome.error.code === 'LIMIT_EXCEEDED') return { status: 'failed', code: outcome.error.code, message: outcome.error.message }
  if (outcome.status === 'failed' && outcome.fatal === true) return { status: 'failed', code: 'TOOL_FATAL', message: `The tool "${name}" failed for good: ${outcome.error.message}` }
  return undefined
}
