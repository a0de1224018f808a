import { codeOf } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { CellCall, CellHandling } from '../config/code-mode.ts'
import type { ActionResult } from '../config/strategies.ts'
import { tellModel } from '../config/strategy-state.ts'
import { parseDeclared } from '../transcript/attach-intents.ts'
import type { Loop, Stop } from './loop.ts'
import { NUDGE } from './repeat-detector.ts'
import type { Plan } from './plan.ts'
import { stopForTool } from './stop-reasons.ts'

/** Code mode: what a reply asks for. One reply without a cell is answered with a nudge; a second one in a row is the answer. */
export function planCell(
  loop: Loop,
  context: RunContext,
  cells: CellHandling,
  said: { text: string; shown: string },
): Plan {
  const source = cells.cellOf(said.text)
  if (source !== undefined) {
    loop.isNudged = false
    const declared = said.text.includes('<intent>') ? { intents: parseDeclared(context, said.text) } : {}
    return { steps: [], cell: { source, ...declared } }
  }
  if (loop.isNudged) return { steps: [{ type: 'finish', message: said.shown }] }
  loop.isNudged = true
  tellModel(loop, context, cells.nudge)
  return { steps: [] }
}

export interface PlannedCell extends Pick<CellCall, 'source' | 'intents'> {}

const CANCELLED: Stop = { status: 'cancelled' }
const NO_PROGRESS: Stop = {
  status: 'failed',
  code: 'NO_PROGRESS',
  message: 'The same cell failed three times in the same way.',
}

interface Evaluated {
  readonly stop?: Stop | undefined
  /** The answer that the cell gave. */
  readonly answer?: Json | undefined
  readonly actions: () => readonly ActionResult[]
}

/** Evaluates a cell in a run of its own, and tells the model what became of it. */
export async function evaluateCell(
  loop: Loop,
  context: RunContext,
  { cells, cell, turn }: { readonly cells: CellHandling; readonly cell: PlannedCell; readonly turn: number },
): Promise<Evaluated> {
  const name = loop.spec.id
  const input = cells.inputOf({
    ...cell,
    run: context.runId,
    state: loop.cellState,
    tools: loop.setup.callable.map((tool) => tool.name),
    models: loop.pins.models,
  })
  const intent = {
    toolName: name,
    purpose: 'evaluates a cell',
    expectedOutcome: 'its output',
    riskLevel: 'read' as const,
  }
  const allot = cells.timeoutMs === 0 ? {} : { allot: { timeMs: cells.timeoutMs } }
  const outcome = await context.perform({ kind: 'cell', name, key: 'cell', input, origin: 'model', intent, ...allot })
  const judged = loop.ladder.judge({ name: 'cell', input: cell.source, turn }, outcome)
  const stop = context.signal.aborted
    ? CANCELLED
    : (stopForTool(name, outcome) ?? (judged === 'stop' ? NO_PROGRESS : undefined))
  const { observation, answer, state } = cells.report(outcome)
  if (state !== undefined) loop.cellState = state
  if (stop === undefined && answer === undefined)
    tellModel(loop, context, `${observation}${judged === 'nudge' ? NUDGE : ''}`)
  const isOk = outcome.status === 'ok'
  const shown = isOk ? { output: observation } : { error: { code: codeOf(outcome), message: observation } }
  const actions = (): readonly ActionResult[] => [
    { id: `${turn}.1`, type: 'internal', ok: isOk, status: outcome.status, ...shown },
  ]
  return { stop, answer, actions }
}
