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

it('a fork of a run is no part of its session, and does not see what the run itself had left', async () => {
  let clock = 0
  const model = scripted(({ messages }) => {
    const step = JSON.stringify(messages).includes('Again.') ? 100 : 1
    return cell(`var seen = typeof n === "undefined" ? 0 : n; var n = seen + ${step}; answer(String(seen))`)
  })
  const service = new AgentService({
    clock: { ...manualClock(), now: () => ++clock },
    agents: [{ id: 'main', model, mode: codeMode() }],
  })
  const answer = async (): Promise<unknown> => (await service.run('main', 'Go.', { sessionId: 's' })).result
  expect([await answer(), await answer()]).toEqual(['0', '1'])
  const [second] = (await service.runs({ sessionId: 's', parent: null })).toSorted((a, b) => b.createdAt - a.createdAt)
  const fork = await service.fork(second!.run, { edit: { input: 'Again.' } })
  expect((await service.resume(fork)).result).toBe('1')
  expect(await answer()).toBe('2')
})
