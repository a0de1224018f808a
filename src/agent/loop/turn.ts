import type { Json } from '../../core/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { PlanStep } from '../config/strategies.ts'
import { tellModel } from '../config/strategy-state.ts'
import { steeringMessage } from '../transcript/message-log.ts'
import { act } from './act.ts'
import { evaluateCell, sayAnswer } from './cell-turn.ts'
import { askReflector } from './custom-strategies.ts'
import type { Loop, Stop } from './loop.ts'
import { plan } from './plan.ts'
import type { Plan } from './plan.ts'

/** Executes one turn: plan, act, reflect. Returns the stop if the loop ends, otherwise `undefined`. */
export async function takeTurn(loop: Loop, context: RunContext, turn: number): Promise<Stop | undefined> {
  loop.turns = turn
  context.emit('step-start', { turn })
  for (const said of context.steering()) loop.addSteering(steeringMessage(said))
  const planned = await plan(loop, context, turn)
  if ('status' in planned) return planned
  loop.phase.move('executing')
  const acted = await carryOut(loop, context, { ...planned, turn })
  loop.phase.move('reconciling')
  loop.lastActions = acted.actions
  context.emit('step-end', { turn, actions: acted.steps.length })
  if (acted.stop !== undefined) return acted.stop
  const reflected = reflect(loop, context, { turn, steps: acted.steps })
  const stop = reflected instanceof Promise ? await reflected : reflected
  if (stop === undefined) loop.phase.move('planning')
  return stop
}

interface Turn {
  readonly turn: number
  readonly steps: readonly PlanStep[]
}

/** Performs the plan: its steps, or a cell, whose answer finishes the run as a step would. */
async function carryOut(loop: Loop, context: RunContext, { turn, steps, cell }: Turn & Plan) {
  if (cell === undefined) return { ...(await act(loop, context, { turn, steps })), steps }
  const { answer, ...done } = await evaluateCell(loop, context, { cells: loop.setup.cells!, cell, turn })
  if (answer === undefined || done.stop !== undefined) return { ...done, steps: [] }
  const finish = finishWith(loop, answer)
  sayAnswer(loop, context, { text: finish.message, by: 'cell' })
  return { ...done, steps: [finish] }
}

/** An answer is validated by the output schema as a text would be. */
function finishWith({ spec }: Loop, answer: Json): PlanStep & { readonly message: string } {
  const message = typeof answer === 'string' ? answer : JSON.stringify(answer)
  return { type: 'finish', message, ...(spec.output === undefined ? { result: answer } : {}) }
}

/** Synchronous unless an approval is needed. */
function reflect(loop: Loop, context: RunContext, turn: Turn): Stop | undefined | Promise<Stop | undefined> {
  return loop.spec.reflector === undefined ? judge(loop, context, turn) : reflectByStrategy(loop, context, turn)
}

async function reflectByStrategy(loop: Loop, context: RunContext, turn: Turn): Promise<Stop | undefined> {
  const decided = await askReflector(loop, context, turn.turn)
  return decided === undefined ? judge(loop, context, turn) : decided.stop
}

function judge(loop: Loop, context: RunContext, turn: Turn): Stop | undefined | Promise<Stop | undefined> {
  const { output } = loop.spec
  const finish = turn.steps.find(({ type }) => type === 'finish')
  if (finish === undefined) return undefined
  if (finish.result !== undefined) return { status: 'completed', result: finish.result }
  if (output === undefined) return { status: 'completed', result: finish.message ?? loop.text }
  return checkOutput(loop, context, finish.message ?? '')
}

/**
 * Validates the answer. One that does not match is returned to the model with the problem, a few times. The verdict of the schema is journaled,
 * because it may be code of the host.
 */
async function checkOutput(loop: Loop, context: RunContext, text: string): Promise<Stop | undefined> {
  const output = loop.spec.output!
  const checked = (await context.record('output', async () => (await output.check(text)) as Json)) as
    | { readonly value: Json }
    | { readonly problem: string }
  if ('value' in checked) return { status: 'completed', result: checked.value }
  if (loop.outputRetries >= output.retries) {
    const message = `After ${loop.outputRetries + 1} answers: ${checked.problem}`
    return { status: 'failed', code: 'OUTPUT_INVALID', message }
  }
  loop.outputRetries += 1
  loop.unsay(text)
  const how =
    loop.setup.cells === undefined
      ? 'Reply with the corrected JSON alone, without any other text.'
      : 'Call `answer` in a cell again, with the corrected value.'
  tellModel(loop, context, `${checked.problem}\n${how} The JSON Schema:\n${JSON.stringify(output.schema)}`)
  return undefined
}
