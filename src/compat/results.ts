import type { AgentResult, AgentStatus, Phase, RunReport } from '../agent/index.ts'

/** The result of a turn, as loops know it that report what they spent and which tools they used. */
export interface TurnResult {
  readonly status: AgentStatus
  readonly text: string
  /** The names of the tools that were called, each once, in the order of their first calls. */
  readonly toolsUsed: string[]
  readonly tokenUsage: { readonly inputTokens: number; readonly outputTokens: number }
  readonly phase: Phase
}

/**
 * A result as a `TurnResult`.
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
    toolsUsed: [...new Set(actions.map(({ toolId }) => toolId))],
    tokenUsage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens },
    phase,
  }
}

/** The result of a run, as runners know it that tell everything at once and spell the tokens both ways. */
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
  /** US dollars; absent when a price was not known. */
  readonly costEstimate?: number
}

/**
 * A result as a `RunnerResult`: with its report, and with the other names of its fields.
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
