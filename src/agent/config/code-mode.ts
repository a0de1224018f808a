import type { Json, Outcome } from '../../core/index.ts'
import type { ParsedIntents } from '../../gate/index.ts'
import type { ToolSpec } from '../../model/index.ts'
import type { Kernel, Mind, RunContext } from '../../run/index.ts'
import type { AgentSpec } from './config-types.ts'

/** The mode of an agent that acts by writing code instead of calling single tools. Created by `codeMode()` of `mandate/repl`. */
export interface CodeMode {
  /** Chooses this mode. */
  readonly name: 'code'
}

/**
 * The implementation of code mode: each reply of the model holds one cell, which is evaluated in a run of its own under the agent's mandate and
 * budget. Implemented in a higher room; nothing of it is public.
 */
export interface CellHandling {
  /** Evaluates a cell in a run of kind `cell`, which has the agent's tools, models and mandate. Throws a `MindStop` if the cell failed. */
  evaluate(input: Json, context: RunContext, kernel: Kernel): Promise<Json>
  /** Frees what the cells of an agent's run keep in memory, because the run is over or suspended. */
  release(run: string, kernel: Kernel): void
  /** The prompt template and its version: recorded, so that results of different texts can be told apart. */
  readonly prompt: { readonly template: string; readonly version: number }
  /** The instructions about cells, after the agent's own. Recorded at the start of a run. */
  instructions(scene: CodeScene): string
  /** The instructions instead, if the task needs no cells. */
  withoutCells(scene: CodeScene): string | undefined
  /** The cells in a reply, of which the last is run; and why code in it is not run, if there is nothing else. */
  cellsOf(reply: string): { readonly cells: readonly string[]; readonly problem?: string | undefined }
  /** The message to a model that wrote no cell. After a second reply without one, that reply is the answer. */
  readonly nudge: string
  /** The input of the run that evaluates a cell. */
  inputOf(cell: CellCall): Json
  /** The result of a cell. */
  report(outcome: Outcome<Json>): CellReport
  /** The time limit of one cell; 0 for none. */
  readonly timeoutMs: number
}

const handlings = new WeakMap<CodeMode, CellHandling>()

/** A code mode with this implementation. */
export function newCodeMode(handling: CellHandling): CodeMode {
  const mode: CodeMode = Object.freeze({ name: 'code' })
  handlings.set(mode, handling)
  return mode
}

export function isCodeMode(value: unknown): value is CodeMode {
  return typeof value === 'object' && value !== null && handlings.has(value as CodeMode)
}

/** A tool as cells call it. */
export interface CodeTool extends ToolSpec {
  /** The schema of its result, if it has one. */
  readonly outputSchema?: Json | undefined
}

/** The input of the instructions. */
export interface CodeScene {
  /** With the programs, which cells call as they call tools. */
  readonly tools: readonly CodeTool[]
  readonly agents: readonly { readonly name: string; readonly description: string }[]
  readonly graphs: readonly CodeTool[]
  readonly models: readonly string[]
  /** The `context` of the run. */
  readonly context: Json
  /** The JSON Schema of the answer; `null` if anything is an answer. */
  readonly output: Json
}

export interface CellCall {
  readonly source: string
  /** The run of the agent, whose input has the `context`. */
  readonly run: string
  /** `report().state` of the previous cell; `null` for the first one. */
  readonly state: Json
  /** The tools that the agent may call from a cell. */
  readonly tools: readonly string[]
  /** The agents that it may call from a cell. */
  readonly agents: readonly string[]
  /** The graphs that it may run from a cell, regardless of the tools and agents they use. */
  readonly graphs?: readonly string[] | undefined
  /** The programs that it may run from a cell, as it calls tools. */
  readonly programs?: readonly string[] | undefined
  readonly models: readonly string[]
  /** The intents that the reply declares for the calls of the cell. */
  readonly intents?: ParsedIntents | undefined
}

export interface CellReport {
  /** The message to the model. */
  readonly observation: string
  /** The final answer, if the cell gave one. */
  readonly answer?: Json | undefined
  /** The state for the next cell; unchanged if absent. */
  readonly state?: Json | undefined
}

/**
 * The implementation of an agent's code mode: the given one, or the default for `code`, which is an optional capability of a higher room and loaded
 * at its first use.
 */
export async function cellHandling(mode: 'code' | CodeMode): Promise<CellHandling> {
  if (mode !== 'code') return handlings.get(mode)!
  const { codeMode } = await import('mandate/repl')
  return handlings.get(codeMode())!
}

/** Returns the mind that evaluates the cells of an agent, registered under the agent's id. The input of its runs has all that it needs from the agent's run. */
export function cellMind(
  { id, mandate, mode }: AgentSpec,
  kernel: Kernel,
  resources: Mind['resources'],
): Mind | undefined {
  if (mode === 'tools') return undefined
  return {
    kind: 'cell',
    name: id,
    mandate,
    followsLabels: 'rules',
    resources,
    start: async (input, context) => (await cellHandling(mode)).evaluate(input, context, kernel),
  }
}
