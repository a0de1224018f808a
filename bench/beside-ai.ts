import { measure, measuredTable } from './harness.ts'
import type { Section } from './report.ts'
import { side as ai } from './sides/ai.ts'
import { side as own } from './sides/mandate.ts'
import { TURNS } from './sides/side.ts'
import type { PeerSide } from './sides/side.ts'

/** What a step costs beside the AI SDK's own loop, both warm in one process: quicker to ask than `peers`, and the garbage of one side is the other's burden. */
export async function besideAi(): Promise<Section> {
  const repeat = ({ label, make }: PeerSide) => {
    const once = make(async ({ a, b }) => ({ sum: a + b }))
    const run = async (count: number): Promise<void> => {
      for (let done = 0; done < count; done += TURNS + 1)
        if ((await once()) !== `done ${TURNS}`) throw new Error('a wrong answer')
    }
    return { name: label, run }
  }
  const sides = [repeat(ai), repeat(own)]
  const measured = await measure({ name: 'One step, beside the AI SDK', unit: 'step', count: 2_200, rounds: 9, sides })
  return { tables: [measuredTable(measured)], goals: [] }
}
