import type { RunContext } from '../../run/index.ts'
import type { Loop, Stop } from './loop.ts'
import { sayAloud } from '../config/strategy-state.ts'

/** Lets a runner of the host's own do the whole work. */
export async function runOwn(loop: Loop, context: RunContext): Promise<Stop> {
  loop.phase.move('executing')
  const { text, result } = await loop.spec.runner!.run(context, loop.spec, loop.prompt)
  loop.phase.move('reconciling')
  sayAloud(loop, context, text)
  return { status: 'completed', result: result ?? text }
}
