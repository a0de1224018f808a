import { GENESIS, headOf, isErased, memoryJournal, readAll, sealEntry } from 'mandate/journal'
import { Agent, defineTool } from 'mandate'
import { scripted } from 'mandate/model'
import { measure, measuredTable } from './harness.ts'
import type { Side } from './harness.ts'
import type { Section } from './report.ts'
import { side as ai } from './sides/ai.ts'
import { side as own } from './sides/mandate.ts'
import { TURNS } from './sides/side.ts'
import type { PeerSide } from './sides/side.ts'

/** Compares the cost of a step with the AI SDK's own loop, both warm in one process. Faster than `peers`, but the garbage of one side affects the other. */
export async function besideAi(): Promise<Section> {
  const repeat = ({ label, make }: PeerSide) => {
    const once = make(async ({ a, b }) => ({ sum: a + b }))
    const run = async (count: number): Promise<void> => {
      for (let done = 0; done < count; done += TURNS + 1)
        if ((await once()) !== `done ${TURNS}`) throw new Error('a wrong answer')
    }
    return { name: label, run }
  }
  const sides = [repeat(ai), repeat(own), await sealing()]
  const name = 'One step, beside the AI SDK'
  const measured = await measure({ name, unit: 'step', count: 2_200, rounds: 15, sides, by: 'cpu' })
  return { tables: [measuredTable(measured)], goals: [] }
}

/** The lower bound of such a journal: serializes, hashes and chains the entries of the same run once more, and does nothing else. */
async function sealing(): Promise<Side> {
  const journal = memoryJournal()
  const calls = Array.from({ length: TURNS }, (_, turn) => ({ toolCalls: [{ name: 'add', input: { a: turn, b: 1 } }] }))
  const add = defineTool({
    name: 'add',
    description: 'add',
    inputSchema: { type: 'object' },
    risk: 'read',
    run: () => ({ sum: 1 }),
  })
  const agent = new Agent({ id: 'floor', model: scripted([...calls, 'done']), tools: [add] }, { journal })
  const entries = (await readAll(journal, (await agent.run('go')).id)).filter((entry) => !isErased(entry))
  const run = (count: number): void => {
    for (let done = 0; done < count; done += TURNS + 1) {
      let head = GENESIS
      for (const entry of entries) head = headOf(sealEntry('run', head, entry, '0123456789abcdef0123456789abcdef'))
    }
  }
  return { name: 'only writing out and hashing the entries of such a run', run }
}
