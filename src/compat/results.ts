import type { AgentResult, AgentStatus, Phase, RunReport } from '../agent/index.ts'

/** The result of a turn in the shape of other agent loops, with its tokens and the tools it used. */
export interface TurnResult {
  readonly status: AgentStatus
  readonly text: string
  /** The names of the tools that were called, each once, in the order of their first calls. */
  readonly toolsUsed: string[]
  readonly tokenUsage: { readonly inputTokens: number; readonly outputTokens: number }
  readonly phase: Phase
}

/**
 * Converts a result to a `TurnResult`.
 *
 * @example
 * ```ts
 * import { Agent } from 'mandate'
 * import { turnResult } from 'mandate/compat'
 * import { scripted } from 'mandate/model'
 * const agent = new Agent({ id: 'greeter', model: scripted(['Hello.']) })
 * const { text, toolsUsed } = turnResult(await agent.run('Greet me.'))
 * ```
 */
export function turnResult(result: AgentResult): TurnResult {
  const { status, text, phase, usage, actions } = result
  return {
    status,
    text,
    toolsUsed: [...new Set(actions.flatMap(({ toolId, performed }) => (performed ? [toolId] : [])))],
    tokenUsage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens },
    phase,
  }
}

/** The result of a run in the shape of other runners: merged with its report, and with the tokens under both common names. */
interface RunnerResult extends Omit<AgentResult, 'report'>, RunReport {
  readonly success: boolean
  /** The same as `success`. */
  readonly done: boolean
  readonly aborted: boolean
  /** The text of all turns. */
  readonly summary: string
  /** The same as `summary`. */
  readonly response: string
  readonly tokenUsage: AgentResult['usage'] & { readonly promptTokens: number; readonly completionTokens: number }
  /** US dollars; absent if a price is unknown. */
  readonly costEstimate?: number
}

/**
 * Converts a result to a `RunnerResult`: adds its report, and the other names of its fields.
 *
 * @example
 * ```ts
 * import { Agent } from 'mandate'
 * import { runnerResult } from 'mandate/compat'
 * import { scripted } from 'mandate/model'
 * const agent = new Agent({ id: 'greeter', model: scripted(['Hello.']) })
 * const { success, summary, modelCalls } = runnerResult(await agent.run('Greet me.'))
 * ```
 */
export function runnerResult(result: AgentResult): RunnerResult {
  const { status, text, usage, cost } = result
  return {
    ...result,
    ...result.report(),
    success: status === 'completed',
    done: status === 'completed',
    aborted: status === 'cancelled',
    summary: text,
    response: text,
    tokenUsage: { ...usage, promptTokens: usage.inputTokens, completionTokens: usage.outputTokens },
    ...(cost === undefined ? {} : { costEstimate: cost }),
  }
}
