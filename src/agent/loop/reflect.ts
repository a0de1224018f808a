import type { Json } from '../../core/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { Loop, Stop } from './loop.ts'
import type { Reflection } from '../config/strategies.ts'
import { plannerState, tellModel } from '../config/strategy-state.ts'

/** What a reflector of the host's own makes of a turn: that the loop ends, that it goes on, or nothing. */
export async function askReflector(
  loop: Loop,
  context: RunContext,
  turn: number,
): Promise<{ readonly stop?: Stop | undefined } | undefined> {
  const decided = (await context.record('reflect', async (strand) => {
    return ((await loop.spec.reflector!.reflect(plannerState(loop, strand, turn))) ?? null) as Json
  })) as unknown as Reflection | null
  if (decided?.message !== undefined) tellModel(loop, context, decided.message)
  if (decided?.done === true) return { stop: { status: 'completed', result: decided.result ?? loop.text } }
  return decided?.done === false ? {} : undefined
}

/** An answer that does not fit is sent back with what is wrong, a few times. The schema's verdict is journaled, because it may be code of the host. */
export async function checkOutput(loop: Loop, context: RunContext, text: string): Promise<Stop | undefined> {
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
