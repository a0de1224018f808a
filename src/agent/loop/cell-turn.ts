import { codeOf } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { MandateEvent } from '../../journal/index.ts'
import { assistantMessage } from '../../model/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { CellCall, CellHandling } from '../config/code-mode.ts'
import type { ActionResult } from '../config/strategies.ts'
import { addMessage, sayAloud, tellModel } from '../config/strategy-state.ts'
import { parseDeclared } from '../transcript/attach-intents.ts'
import type { Loop, Stop } from './loop.ts'
import { NUDGE } from './repeat-detector.ts'
import type { Plan } from './plan.ts'
import { stopForTool } from './stop-reasons.ts'

/** Plans a turn in code mode. A first reply without a cell is answered with a nudge; a second one in a row is the answer. */
export function planCell(
  loop: Loop,
  context: RunContext,
  cells: CellHandling,
  said: { text: string; shown: string },
): Plan {
  const { cells: sources, problem } = cells.cellsOf(said.text)
  const source = sources.at(-1)
  if (source !== undefined) {
    loop.isNudged = false
    const declared = said.text.includes('<intent>') ? { intents: parseDeclared(context, said.text) } : {}
    return { steps: [], cell: { source, others: sources.length - 1, ...declared } }
  }
  if (problem !== undefined) {
    tellModel(loop, context, problem)
    return { steps: [] }
  }
  if (loop.isNudged) {
    sayAnswer(loop, context, { text: said.shown, by: 'reply' })
    return { steps: [{ type: 'finish', message: said.shown }] }
  }
  loop.isNudged = true
  tellModel(loop, context, cells.nudge)
  return { steps: [] }
}

/** Makes the answer the text of the run. If a cell gave it, no message of the conversation has it yet. */
export function sayAnswer(
  loop: Loop,
  context: RunContext,
  { text, by }: { readonly text: string; readonly by: 'cell' | 'reply' },
): void {
  if (!loop.setup.isThinking) return
  loop.answeredBy = by
  sayAloud(loop, context, text)
  if (by === 'cell' && text !== '') addMessage(loop, context, assistantMessage(text))
}

export interface PlannedCell extends Pick<CellCall, 'source' | 'intents'> {
  /** How many more cells the reply held, which are not run. */
  readonly others: number
}

/** The note for a model that wrote several cells in one reply, because it may assume that all of them were run. */
function aboutOthers(others: number): string {
  return others === 0
    ? ''
    : `\n\nOnly the last block of your reply was run, not the ${others} before it. Write one per reply.`
}

const CANCELLED: Stop = { status: 'cancelled' }
const NO_PROGRESS: Stop = {
  status: 'failed',
  code: 'NO_PROGRESS',
  message: 'The same cell failed three times in the same way.',
}

/** Forwards output and calls of a cell as events of the agent's run, because listeners of the agent do not know the run of the cell. */
function tellOfCell(context: RunContext, { type, runId: cell, data }: MandateEvent): void {
  if (type === 'cell-output') context.emit(type, { ...data, cell })
  else if (type === 'cell-call') context.emit(type, { ...data, cell })
}

interface Evaluated {
  readonly stop?: Stop | undefined
  /** The answer of the cell. */
  readonly answer?: Json | undefined
  readonly actions: () => readonly ActionResult[]
}

/** Evaluates a cell in a run of its own, and reports the result to the model. */
export async function evaluateCell(
  loop: Loop,
  context: RunContext,
  { cells, cell, turn }: { readonly cells: CellHandling; readonly cell: PlannedCell; readonly turn: number },
): Promise<Evaluated> {
  const name = loop.spec.id
  const { graphs = [], programs = [] } = loop.pins
  const { others, ...written } = cell
  const input = cells.inputOf({
    ...written,
    run: context.runId,
    state: loop.cellState,
    tools: loop.setup.callable.map((tool) => tool.name),
    ...(graphs.length === 0 ? {} : { graphs: graphs.map((graph) => graph.name) }),
    ...(programs.length === 0 ? {} : { programs: programs.map((program) => program.name) }),
    agents: [...loop.pins.agents, ...(loop.pins.spawns ?? [])].map((agent) => agent.name),
    models: loop.pins.models,
  })
  const intent = {
    toolName: name,
    purpose: 'evaluates a cell',
    expectedOutcome: 'its output',
    riskLevel: 'read' as const,
  }
  const allot = cells.timeoutMs === 0 ? {} : { allot: { timeMs: cells.timeoutMs } }
  const onEvent = (event: MandateEvent): void => tellOfCell(context, event)
  const effect = { kind: 'cell' as const, name, key: 'cell', input, origin: 'model', intent, onEvent, ...allot }
  const outcome = await context.perform(effect)
  const judged = loop.repeats.judge({ name: 'cell', input: cell.source, turn }, outcome)
  const stop = context.signal.aborted
    ? CANCELLED
    : (stopForTool(name, outcome) ?? (judged === 'stop' ? NO_PROGRESS : undefined))
  const { observation, answer, state } = cells.report(outcome)
  if (state !== undefined) loop.cellState = state
  if (stop === undefined && answer === undefined)
    tellModel(loop, context, `${observation}${aboutOthers(others)}${judged === 'nudge' ? NUDGE : ''}`)
  const isOk = outcome.status === 'ok'
  const shown = isOk ? { output: observation } : { error: { code: codeOf(outcome), message: observation } }
  const actions = (): readonly ActionResult[] => [
    { id: `${turn}.1`, type: 'internal', ok: isOk, status: outcome.status, ...shown },
  ]
  return { stop, answer, actions }
}
