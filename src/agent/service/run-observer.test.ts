import { expect, it } from 'vitest'
import { memoryJournal } from '../../journal/index.ts'
import { host, model, replacing } from '../agent.fixture.ts'

it('a run whose end the store did not take is shown as its journal has it, without a result', async () => {
  const inner = memoryJournal()
  const journal = replacing(inner, {
    append: async (lease, expected, entries, consume) => {
      if (entries.some(({ type }) => type === 'run-end')) throw new Error('no disk')
      return inner.append(lease, expected, entries, consume)
    },
  })
  const service = host({ model: model(['Done.']) }, { journal })
  const shown = await service.run('main', 'Go.', { runId: 'r' })
  expect(shown).toMatchObject({ status: 'await_user', suspendReason: 'disk', result: null, text: '' })
  expect(await service.result('r')).toMatchObject({ result: null, text: '' })
})
