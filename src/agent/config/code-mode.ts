import type { Json, Outcome } from '../../core/index.ts'
import type { ParsedIntents } from '../../gate/index.ts'
import type { ToolSpec } from '../../model/index.ts'
import type { Kernel, Mind, RunContext } from '../../run/index.ts'
import type { AgentSpec } from './config-types.ts'

/** An agent that acts by writing code instead of calling tools one by one. `codeMode()` of `mandate/repl` makes one. */
export interface CodeMode {
  readonly name: 'code'
}

/**
 * What code mode does for an agent: each reply of its model holds one cell, which is evaluated in a run of its own under the agent's mandate and
 * budget. The room of cells gives it; nothing of it is public.
 */
export interface CellHandling {
  /** Evaluates a cell in a run of kind `cell`, which has the agent's tools, models and mandate. Throws a `MindStop` where the cell failed. */
  evaluate(input: Json, context: RunContext, kernel: Kernel): Promise<Json>
  /** What the model is told about cells, after the agent's own instructions. It is recorded at the start of a run. */
  instructions(scene: CodeScene): string
  /** What the model is told instead where the task needs no cells. */
  withoutCells(scene: CodeScene): string | undefined
  /** The cell in a reply; nothing where it has none. */
  cellOf(reply: string): string | undefined
  /** What a model is told that wrote no cell. After a second reply without one, that reply is the answer. */
  readonly nudge: string
  /** The input of the run that evaluates a cell. */
  inputOf(cell: CellCall): Json
  /** What became of a cell. */
  report(outcome: Outcome<Json>): CellReport
  /** How long one cell may take; 0 for no limit of its own. */
  readonly timeoutMs: number
}

const handlings = new WeakMap<CodeMode, CellHandling>()

/** A mode that handles cells in this way. */
export function newCodeMode(handling: CellHandling): CodeMode {
  const mode: CodeMode = Object.freeze({ name: 'code' })
  handlings.set(mode, handling)
  return mode
}

export function isCodeMode(value: unknown): value is CodeMode {
  return typeof value === 'object' && value !== null && handlings.has(value as CodeMode)
}

/** What the instructions can speak of. */
export interface CodeScene {
  readonly tools: readonly ToolSpec[]
  readonly agents: readonly { readonly name: string; readonly description: string }[]
  readonly models: readonly string[]
  /** What the run was given as `context`. */
  readonly context: Json
}

export interface CellCall {
  readonly source: string
  /** The run of the agent: its input has the `context`. */
  readonly run: string
  /** `report().state` of the cell before; nothing for the first one. */
  readonly state: Json
  /** The tools that the agent may call from a cell. */
  readonly tools: readonly string[]
  readonly models: readonly string[]
  /** What the reply declares for the calls of the cell. */
  readonly intents?: ParsedIntents | undefined
}

export interface CellReport {
  /** What the model is told. */
  readonly observation: string
  /** The final answer, where the cell gave one. */
  readonly answer?: Json | undefined
  /** What the next cell begins with; as before where it is absent. */
  readonly state?: Json | undefined
}

/** How an agent's cells are handled: by the mode it was given, or by the one that `code` names. That is a capability of a higher room, loaded as a whole at its first use. */
export async function cellHandling(mode: 'code' | CodeMode): Promise<CellHandling> {
  if (mode !== 'code') return handlings.get(mode)!
  const { codeMode } = await import('mandate/repl')
  return handlings.get(codeMode())!
}

/** The mind that evaluates the cells of an agent. It is registered under the agent's id; what it needs to know of a run is in its input. */
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
