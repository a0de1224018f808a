import { expect, test } from 'vitest'
import { memoryJournal } from '../../journal/index.ts'
import type { Identity, RunFilter } from '../../journal/index.ts'
import { sampleRun } from '../../testing/index.ts'
import { Kernel } from '../kernel/kernel.ts'

const OWNER: Identity = { id: 'host', roles: ['owner'] }
const ana: Identity = { id: 'ana', roles: ['operator'] }

test('whoever may see a few of many runs gets a page of them, without the whole store being read', async () => {
  const journal = memoryJournal()
  for (let index = 0; index < 900; index++) {
    const run = `run_${index}`
    const lease = await journal.acquire({ run, owner: 'me', ttlMs: 1, now: 0 })
    const identity = index % 30 === 0 ? ana : OWNER
    await journal.append(lease, 0, sampleRun(run, { at: index, start: { identity } }))
  }
  let listed = 0
  const counting = Object.assign(Object.create(journal) as typeof journal, {
    list: async (filter: RunFilter) => {
      const found = await journal.list(filter)
      listed += found.length
      return found
    },
  })
  const kernel = new Kernel({ journal: counting, identity: OWNER, mandate: { roles: { operator: ['run-agent'] } } })
  expect((await kernel.list({ limit: 3 }, ana)).map(({ run }) => run)).toEqual(['run_870', 'run_840', 'run_810'])
  expect(listed).toBeLessThan(250)
  expect((await kernel.list({}, ana)).length).toBe(30)
  expect((await kernel.list({ limit: 1, after: { at: 810, run: 'run_810' } }, ana))[0]?.run).toBe('run_780')
})
