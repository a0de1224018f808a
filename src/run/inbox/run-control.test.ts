import { expect, test, vi } from 'vitest'
import { memoryJournal } from '../../journal/index.ts'
import type { Identity } from '../../journal/index.ts'
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
  const lists = vi.spyOn(journal, 'list')
  const kernel = new Kernel({ journal, identity: OWNER, mandate: { roles: { operator: ['run-agent'] } } })
  expect((await kernel.list({ limit: 3 }, ana)).map(({ run }) => run)).toEqual(['run_870', 'run_840', 'run_810'])
  const pages = await Promise.all(lists.mock.results.map(({ value }) => value as Promise<readonly unknown[]>))
  expect(pages.flat().length).toBeLessThan(250)
  expect((await kernel.list({}, ana)).length).toBe(30)
  expect((await kernel.list({ limit: 1, after: { at: 810, run: 'run_810' } }, ana))[0]?.run).toBe('run_780')
})
