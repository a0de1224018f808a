import type { Json } from '../core/index.ts'
import type { RunContext } from '../run/index.ts'
import { act } from './acting.ts'
import type { Loop, Stop } from './loop.ts'
import { heard } from './message-log.ts'
import { plan } from './planning.ts'
import type { PlanStep, Reflection } from './strategies.ts'
import { plannerState, tellModel } from './strategy-state.ts'

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
  context.emit('step-end', { turn, actions: acted.actions.length })
  if (acted.stop !== undefined) return acted.stop
  const stop = await reflect(loop, context, { turn, steps: planned.steps })
  if (stop === undefined) loop.phase.move('planning')
  return stop
}

interface Turn {
  readonly turn: number
  readonly steps: readonly PlanStep[]
}

async function reflect(loop: Loop, context: RunContext, { turn, steps }: Turn): Promise<Stop | undefined> {
  const { reflector, output } = loop.spec
  if (reflector !== undefined) {
    const decided = (await context.record('reflect', async (strand) => {
      return ((await reflector.reflect(plannerState(loop, strand, turn))) ?? null) as Json
    })) as unknown as Reflection | null
    if (decided?.message !== undefined) tellModel(loop, context, decided.message)
    if (decided?.done === true) return { status: 'completed', result: decided.result ?? loop.text }
    if (decided?.done === false) return undefined
  }
  const finish = steps.find(({ type }) => type === 'finish')
  if (finish === undefined) return undefined
  if (finish.result !== undefined) return { status: 'completed', result: finish.result }
  if (output === undefined) return { status: 'completed', result: finish.message ?? loop.text }
  return checkOutput(loop, context, finish.message ?? '')
}

/** An answer that does not fit is sent back with what is wrong, a few times. What the schema said is journaled: it may be code of the host's own. */
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
  tellModel(loop, context, checked.problem)
  return undefined
}
