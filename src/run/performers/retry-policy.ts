import { MandateError, messageOf } from '../../core/index.ts'
import { modelFailure } from '../../model/index.ts'
import type { ModelFailureInfo } from '../../model/index.ts'
import type { Tool, ToolRetry } from '../../tool/index.ts'
import type { KernelCall, RetryDecision } from './performer.ts'

const BACKOFF_MS = 500
const BACKOFF_MAX_MS = 60_000

/** Whether a model that failed is asked again, and when. */
export function retryModel(error: unknown, attempt: number, { run }: KernelCall): RetryDecision {
  const failure = modelFailure(error)
  const info = failure.info as ModelFailureInfo | undefined
  const isPassing = info?.retriable === true || (MandateError.isInstance(error) && error.code === 'TIMEOUT')
  const waitMs = Math.min(info?.retryAfterMs ?? BACKOFF_MS * 2 ** (attempt - 1), BACKOFF_MAX_MS)
  return { again: isPassing && attempt < run.limits.attempts, waitMs }
}

/** Whether a tool that failed is called again, and when. */
export function retryTool(error: unknown, attempt: number, tool: Tool | undefined): RetryDecision {
  const policy = tool?.retry
  if (policy === undefined || attempt >= policy.attempts || isFatal(tool, error)) return { again: false, waitMs: 0 }
  // A timeout leaves open whether it happened, so only tools that may be repeated get another attempt.
  if (MandateError.isInstance(error) && error.code === 'TIMEOUT' && tool?.idempotent !== true)
    return { again: false, waitMs: 0 }
  return { again: isRetriable(policy, error), waitMs: policy.backoffMs * 2 ** (attempt - 1) }
}

/** Whether a tool says that a failure ends the run. */
export function isFatal(tool: Tool | undefined, error: unknown): boolean {
  return judged('fatal', () => tool?.fatal?.(error)) === true
}

function isRetriable(policy: ToolRetry, error: unknown): boolean {
  return judged('retry.retriable', () => policy.retriable?.(error)) ?? true
}

/** A tool's own judgement that fails is reported as the tool's. */
function judged<T>(what: string, judge: () => T): T {
  try {
    return judge()
  } catch (cause) {
    throw new MandateError('TOOL_FAILED', `\`${what}\` failed: ${messageOf(cause)}`, { cause })
  }
}
