import { codeOf, describeOutcome, failed } from '../../core/index.ts'
import type { Json, Outcome } from '../../core/index.ts'
import type { RunContext } from '../../run/index.ts'
import { NUDGE } from './repeat-detector.ts'
import type { Loop, Stop } from './loop.ts'
import { performStep } from './perform-step.ts'
import { toolMessage } from '../../model/index.ts'
import { stopForTool } from './stop-reasons.ts'
import type { ActionResult, PlanStep } from '../config/strategies.ts'
import { toolResult } from '../transcript/transcript.ts'
import { carryOutByStrategy } from './custom-strategies.ts'
import { tryAnotherTool } from './fallback-tool.ts'
import { logResults } from '../transcript/logged-results.ts'
import { isSpawn, refuseSpawn } from './spawn.ts'

interface Turn {
  readonly turn: number
  readonly steps: readonly PlanStep[]
}

export interface Done {
  readonly step: PlanStep
  readonly outcome: Outcome<Json>
  /** The key of the effect with the outcome in the journal; absent if the outcome is recorded nowhere else. */
  readonly ref?: string | undefined
}

interface Acted {
  readonly stop?: Stop | undefined
  /** The results of the steps, for strategies. */
  readonly actions: () => readonly ActionResult[]
}

/** Performs the steps of a turn: tools in parallel, with their results in the order of the calls. */
export async function act(loop: Loop, context: RunContext, { turn, steps }: Turn): Promise<Acted> {
  const tools = steps.filter(({ type }) => type === 'tool')
  const begun = tools.map((step, index) => carryOut(loop, context, { step, key: `tool:${index + 1}`, turn }))
  const done = begun.length === 1 ? [await begun[0]!] : await Promise.all(begun)
  const { stop, notes } = judge(loop, done, { turn, isCut: context.signal.aborted })
  const added = done.length > 0 ? addResults(loop, context, done, notes) : undefined
  if (added instanceof Promise) await added
  return { stop, actions: () => actionsOf(steps, done, turn) }
}

function actionsOf(steps: readonly PlanStep[], done: readonly Done[], turn: number): readonly ActionResult[] {
  const results = new Map(done.map((one) => [one.step, one]))
  return steps.map((step, index) => actionOf(step, `${turn}.${index + 1}`, results.get(step)?.outcome))
}

export interface Numbered {
  readonly step: PlanStep
  readonly key: string
  readonly turn: number
}

async function carryOut(loop: Loop, context: RunContext, { step, key, turn }: Numbered): Promise<Done> {
  if (step.invalid !== undefined) {
    const shown = step.invalid.slice(0, 200)
    return {
      step,
      outcome: failed('INPUT_INVALID', `The arguments are not valid JSON: ${shown}. Send one JSON object.`),
    }
  }
  if (loop.toolChoice === 'none') {
    const message = 'No tool may be called in this run: its `toolChoice` is "none". Answer in text.'
    return { step, outcome: failed('DENIED', message) }
  }
  const refused = isSpawn(loop, step) ? refuseSpawn(loop, step) : undefined
  if (refused !== undefined) return { step, outcome: refused }
  if (loop.spec.executor !== undefined) return carryOutByStrategy(loop, context, { step, key, turn })
  const origin = loop.spec.planner === undefined ? 'model' : 'planner'
  const outcome = await performStep(loop, context, { step, key, origin })
  const recovered =
    outcome.status === 'failed' && outcome.fatal !== true && loop.spec.fallbackTool !== undefined
      ? await tryAnotherTool(loop, context, { step, key, outcome })
      : undefined
  return recovered === undefined
    ? { step, outcome, ref: `turn:${turn}/${key}` }
    : { step, outcome: recovered.outcome, ref: `turn:${turn}/${recovered.key}` }
}

interface Moment {
  readonly turn: number
  /** The run is being cancelled; otherwise only this call was. */
  readonly isCut: boolean
}

function judge(
  loop: Loop,
  done: readonly Done[],
  { turn, isCut }: Moment,
): { stop: Stop | undefined; notes: readonly string[] } {
  let stop: Stop | undefined = isCut ? { status: 'cancelled' } : undefined
  const notes = done.map(({ step, outcome }) => {
    const name = step.toolId!
    const final = stopForTool(name, outcome)
    if (final !== undefined && (stop === undefined || stop.status === 'cancelled')) stop = final
    const judged = loop.repeats.judge({ name, input: step.invalid ?? step.input ?? null, turn }, outcome)
    if (judged === 'stop') {
      const message = `"${name}" failed three times with the same input: ${describeOutcome(outcome)}`
      stop ??= { status: 'failed', code: 'NO_PROGRESS', message }
    }
    return judged === 'nudge' ? NUDGE : ''
  })
  return { stop, notes }
}

/** Every call has exactly one result before the next request, even if the run is about to end. */
function addResults(
  loop: Loop,
  context: RunContext,
  done: readonly Done[],
  notes: readonly string[],
): Promise<void> | void {
  if (
    loop.derivesMessages &&
    done.every((one, index) => isPlain(one, index, loop.turns)) &&
    notes.every((note) => note === '')
  ) {
    const parts = done.map(({ step, outcome }) =>
      toolResult({ toolCallId: step.toolCallId!, name: step.toolId! }, outcome),
    )
    loop.transcript.follow(toolMessage(parts))
    return
  }
  return logResults(loop, context, done, notes)
}

/** Succeeded under its own key: that it is a result of this turn follows from the journal. */
function isPlain({ outcome, ref }: Done, index: number, turn: number): boolean {
  return outcome.status === 'ok' && ref === `turn:${turn}/tool:${index + 1}`
}

function actionOf(step: PlanStep, id: string, outcome: Outcome<Json> | undefined): ActionResult {
  const { type, toolId, toolCallId, input, message } = step
  if (outcome === undefined) return { id, type, ok: true, status: 'ok', output: message ?? null }
  const base = { id, type, toolId, toolCallId, input, status: outcome.status }
  const made = 'labels' in outcome && outcome.labels !== undefined ? { labels: outcome.labels } : {}
  if (outcome.status === 'ok') return { ...base, ...made, ok: true, output: outcome.value }
  return { ...base, ...made, ok: false, error: { code: codeOf(outcome), message: describeOutcome(outcome) } }
}
