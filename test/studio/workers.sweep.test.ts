import { describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import type { FleetReport } from '../../src/engine/index.ts'
import { workersPart } from '../../src/server/index.ts'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { openStudio, serveStudio, useStudio } from './studio.fixture.ts'

const report: FleetReport = {
  workers: [
    {
      ...{
        id: 'w1',
        place: 'vm-1:4711',
        version: '1',
        engine: 'dbos',
        state: 'up',
        running: 3,
        concurrency: 50,
        queues: ['default'],
      },
      ...{ minds: ['agent/support'], startedAt: 1_794_800_000_000, seenAt: 1_794_800_009_000 },
    },
  ],
  queues: [{ name: 'default', queued: 12, running: 3, delayed: 1, lagMs: 4_200, isOrphan: false }],
  held: [{ run: 'run_stuck', reason: 'no worker knows agent/<b>gone</b>', since: 1_794_800_000_000 }],
}

describe.skipIf(CHROMIUM === undefined)('workers in the studio', { timeout: 60_000 }, () => {
  const empty = useStudio({ service: () => Promise.resolve(new AgentService()) })

  it('are listed with their load, what waits for them, and what none of them can drive', async () => {
    const part = workersPart({ report: () => Promise.resolve(report), close: () => Promise.resolve() })
    const studio = await serveStudio(empty.service, 0, { parts: [part] })
    const page = await openStudio(empty.context, studio)
    await page.getByRole('link', { name: 'Workers' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await page.getByRole('heading', { name: 'Workers' }).waitFor()
    expect(await page.getByRole('region', { name: 'Members' }).textContent()).toContain('3 of 50')
    expect(await page.getByRole('region', { name: 'Queues' }).textContent()).toMatch(/default12314\.2s/)
    const held = page.getByRole('region', { name: 'Runs that no worker can drive' })
    expect(await held.textContent()).toContain('no worker knows agent/<b>gone</b>')
    expect(await held.getByRole('link', { name: 'run_stuck' }).getAttribute('href')).toMatch(/\/runs\/run_stuck$/)
    expect(page.faults).toEqual([])
    await studio.close()
  })

  it('that are not there are explained, with the command that starts one', async () => {
    const studio = await serveStudio(empty.service)
    const page = await openStudio(empty.context, studio, '/workers')
    await page.getByRole('heading', { name: 'No workers' }).waitFor()
    expect(await page.textContent('main')).toContain('mandate worker --dir postgres://')
    await studio.close()
  })
})
