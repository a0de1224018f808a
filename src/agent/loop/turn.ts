import type { RunContext } from '../../run/index.ts'
import { act } from './act.ts'
import type { Loop, Stop } from './loop.ts'
import { heard } from '../transcript/message-log.ts'
import { plan } from './plan.ts'
import type { PlanStep } from '../config/strategies.ts'
import { askReflector, checkOutput } from './reflect.ts'

/** One turn: plan, act, reflect. Gives why the loop ends, or nothing when it goes on. */
export async function takeTurn(loop: Loop, context: RunContext, turn: number): Promise<Stop | undefined> {
  loop.turns = turn
  context.emit('step-start', { turn })
  for (const said of context.steering()) loop.hear(heard(said))
  const planned = await plan(loop, context, turn)
  if ('status' in planned) return planned
  loop.phase.move('executing')
  const acted = await act(loop, context, { turn, steps: planned.steps })
  loop.phase.move('reconciling')
  loop.lastActions = acted.actions
  context.emit('step-end', { turn, actions: planned.steps.length })
  if (acted.stop !== undefined) return acted.stop
  const reflected = reflect(loop, context, { turn, steps: planned.steps })
  const stop = reflected instanceof Promise ? await reflected : reflected
  if (stop === undefined) loop.phase.move('planning')
  return stop
}

interface Turn {
  readonly turn: number
  readonly steps: readonly PlanStep[]
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
