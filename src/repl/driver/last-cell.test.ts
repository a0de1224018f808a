import { expect, it } from 'vitest'
import { AgentService } from '../../agent/index.ts'
import { manualClock } from '../../core/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import { scripted } from '../../model/index.ts'
import { codeMode } from './code-mode.ts'

const cell = (source: string): string => `\`\`\`js\n${source}\n\`\`\``
type List = Journal['list']

/** A journal that lists runs in an order of its own. */
function listing(order: (runs: Awaited<ReturnType<List>>) => Awaited<ReturnType<List>>): Journal {
  const journal = memoryJournal()
  return new Proxy(journal, {
    get(target, name) {
      if (name === 'list') return async (...args: Parameters<List>) => order(await journal.list(...args))
      const value = Reflect.get(target, name) as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

it.each([
  ['in order', listing((runs) => runs)],
  ['the other way round', listing((runs) => runs.toReversed())],
  ['by id', listing((runs) => runs.toSorted((a, b) => (a.run < b.run ? -1 : 1)))],
])(
  'a run goes on with the last cell before it, also where all began in one millisecond (listed %s)',
  async (_, journal) => {
    const model = scripted(({ messages }) => {
      const turn = messages.filter(({ role }) => role === 'assistant').length % 3
      return cell(
        turn === 2
          ? 'n += 1; answer(String(n))'
          : 'n = (typeof n === "undefined" ? 0 : n) + 1'.replace('n =', 'var n ='),
      )
    })
    const service = new AgentService({
      clock: manualClock(),
      journal,
      agents: [{ id: 'main', model, mode: codeMode() }],
    })
    const answers: unknown[] = []
    for (let run = 0; run < 3; run++) {
      const { result } = await service.run('main', 'Go.', { sessionId: 's', history: [] })
      answers.push(result)
    }
    expect(answers).toEqual(['3', '6', '9'])
  },
)
