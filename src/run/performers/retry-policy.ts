import { MandateError, messageOf } from '../../core/index.ts'
import { modelFailure } from '../../model/index.ts'
import type { ModelFailureInfo } from '../../model/index.ts'
import type { Tool, ToolRetry } from '../../tool/index.ts'
import type { KernelCall, RetryDecision } from './performer.ts'

const BACKOFF_MS = 500
const BACKOFF_MAX_MS = 60_000

/** Whether and when a failed model call is retried. */
export function retryModel(error: unknown, attempt: number, { run }: KernelCall): RetryDecision {
  const failure = modelFailure(error)
  const info = failure.info as ModelFailureInfo | undefined
  const isPassing = info?.retriable === true || (MandateError.isInstance(error) && error.code === 'TIMEOUT')
  const waitMs = Math.min(info?.retryAfterMs ?? BACKOFF_MS * 2 ** (attempt - 1), BACKOFF_MAX_MS)
  return { again: isPassing && attempt < run.limits.attempts, waitMs }
}

/** Whether and when a failed tool call is retried. */
export function retryTool(error: unknown, attempt: number, tool: Tool | undefined): RetryDecision {
  const policy = tool?.retry
  if (policy === undefined || attempt >= policy.attempts || isFatal(tool, error)) return { again: false, waitMs: 0 }
  // After a timeout the call may have happened, so only idempotent tools are retried.
  if (MandateError.isInstance(error) && error.code === 'TIMEOUT' && tool?.idempotent !== true)
    return { again: false, waitMs: 0 }
  return { again: isRetriable(policy, error), waitMs: policy.backoffMs * 2 ** (attempt - 1) }
}

/** Whether a tool declares a failure as fatal for the run. */
export function isFatal(tool: Tool | undefined, error: unknown): boolean {
  return judged('fatal', () => tool?.fatal?.(error)) === true
}

function isRetriable(policy: ToolRetry, error: unknown): boolean {
  return judged('retry.retriable', () => policy.retriable?.(error)) ?? true
}

/** Reports a throw of a tool's own judgement as a failure of the tool. */
function judged<T>(what: string, judge: () => T): T {
  try {
    return judge()
  } catch (cause) {
    throw new MandateError('TOOL_FAILED', `\`${what}\` failed: ${messageOf(cause)}`, { cause })
  }
}
