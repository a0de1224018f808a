import type { Json } from '../core/index.ts'
import { userMessage } from '../model/index.ts'
import type { Message } from '../model/index.ts'
import type { RunContext } from '../run/index.ts'
import { act } from './acting.ts'
import type { Loop, Stop } from './loop.ts'
import { plan } from './planning.ts'
import type { ActionResult, PlanStep, PlannerState } from './strategies.ts'

/** One turn: plan, act, reflect. Gives why the loop ends, or nothing when it goes on. */
export async function takeTurn(loop: Loop, context: RunContext, turn: number): Promise<Stop | undefined> {
  loop.turns = turn
  context.emit('step-start', { turn })
  for (const said of context.steering()) loop.transcript.push(heard(said))
  const planned = await plan(loop, context, turn)
  if ('status' in planned) return planned
  loop.phase.move('executing')
  const acted = await act(loop, context, { turn, steps: planned.steps })
  loop.phase.move('reconciling')
  loop.lastActions = acted.actions
  context.emit('step-end', { turn, actions: acted.actions.length })
  if (acted.stop !== undefined) return acted.stop
  const stop = await reflect(loop, context, { turn, steps: planned.steps, actions: acted.actions })
  if (stop === undefined) loop.phase.move('planning')
  return stop
}

/** A person may steer with a text or with a whole message. */
function heard(said: Json): Message {
  return typeof said === 'string' ? userMessage(said) : (said as unknown as Message)
}

interface Turn {
  readonly turn: number
  readonly steps: readonly PlanStep[]
  readonly actions: readonly ActionResult[]
}

async function reflect(loop: Loop, context: RunContext, { turn, steps }: Turn): Promise<Stop | undefined> {
  const { reflector } = loop.spec
  if (reflector !== undefined) {
    const reflection = await context.record('reflect', async (strand) => ((await reflector.reflect(plannerState(loop, strand, turn))) ?? null) as Json)
    const decided = reflection as { done?: boolean; result?: Json; message?: string } | null
    if (decided?.message !== undefined) addMessage(loop, context, userMessage(decided.message))
    if (decided?.done === true) return { status: 'completed', result: decided.result ?? loop.text }
    if (decided?.done === false) return undefined
  }
  const finish = steps.find(({ type }) => type === 'finish')
  if (finish === undefined) return undefined
  if (finish.result !== undefined) return { status: 'completed', result: finish.result }
  return loop.spec.output === undefined ? { status: 'completed', result: finish.message ?? loop.text } : checkOutput(loop, context, finish.message ?? '')
}

/** An answer that does not fit is sent back with what is wrong, a few times. */
async function checkOutput(loop: Loop, context: RunContext, text: string): Promise<Stop | undefined> {
  const output = loop.spec.output!
  const checked = await output.check(text)
  if ('value' in checked) return { status: 'completed', result: checked.value }
  if (loop.outputRetries >= output.retries) {
    return { status: 'failed', code: 'OUTPUT_INVALID', message: `After ${loop.outputRetries + 1} answers: ${checked.problem}` }
  }
  loop.outputRetries += 1
  addMessage(loop, context, userMessage(checked.problem))
  return undefined
}

/** Puts a message of our own into the conversation and into the journal. */
export function addMessage(loop: Loop, context: RunContext, message: Message): void {
  context.append(message)
  loop.transcript.push(message)
}

/** What strategies of the host's own get to see. */
export function plannerState(loop: Loop, context: RunContext, turn: number): PlannerState {
  return {
    turn,
    prompt: loop.prompt,
    messages: loop.transcript.messages,
    lastActions: loop.lastActions,
    tools: loop.setup.tools,
    turnsLeft: loop.pins.maxTurns - turn,
    now: () => context.now(),
    random: () => context.random(),
    perform: (effect) => context.perform(effect),
  }
}
