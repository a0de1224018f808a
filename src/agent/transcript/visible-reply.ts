import { withoutIntents } from '../../gate/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { Loop } from '../loop/loop.ts'

/** Returns the reply as shown to the user: without intents, and in the last reply with handles replaced by their values. */
export function saidOf(
  { setup, handles, pins }: Loop,
  context: RunContext,
  { text, isLast }: { text: string; isLast: boolean },
): string {
  const said = setup.hidesIntents && text.includes('<intent>') ? withoutIntents(text) : text
  if (handles === undefined || !isLast) return said
  const filled = handles.filledAnswer(said, pins.output !== null)
  context.admit(filled.labels)
  return filled.text
}
