import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { scripted } from '../../src/model/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { openStudio, serveStudio, useStudio } from './studio.fixture.ts'

/** Chromium has so many connections to a host, for all tabs together. */
const CONNECTIONS = 6

/** A browser that is driven shows all its tabs: here they are told that they are seen, or that they are not. */
const show = (page: Page, isSeen: boolean): Promise<unknown> =>
  page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${!isSeen} })
    document.dispatchEvent(new Event('visibilitychange'))
  `)

describe.skipIf(CHROMIUM === undefined)('tabs of the studio', { timeout: 120_000 }, () => {
  const studio = useStudio()

  it('in the background leave the connections to the one that is looked at, and have everything when they are seen again', async () => {
    const finish: (() => void)[] = []
    const work = defineTool({
      name: 'work',
      risk: 'read',
      run: () => new Promise<string>((resolve) => finish.push(() => resolve('ok'))),
    })
    const service = new AgentService({
      agents: [
        { id: 'worker', tools: [work], model: scripted([{ toolCalls: [{ name: 'work', input: {} }] }, 'All done.']) },
      ],
    })
    const served = await serveStudio(service)
    const run = service.run('worker', 'Work.', { runId: 'works' })
    await expect.poll(() => finish.length).toBe(1)
    const tabs: Page[] = []
    for (let tab = 0; tab <= CONNECTIONS; tab++) {
      const page = await openStudio(studio.context, served, '/runs/works')
      tabs.push(page)
      await page.locator('[role=treeitem]', { hasText: 'work' }).first().waitFor({ timeout: 30_000 })
      if (tab < CONNECTIONS) await show(page, false)
    }
    finish[0]!()
    await run
    const first = tabs[0]!
    await tabs.at(-1)!.locator('main header').getByText('completed').waitFor()
    expect(await first.locator('main header').getByText('completed').count()).toBe(0)
    await show(first, true)
    await first.locator('main header').getByText('completed').waitFor()
    const { head } = await service.summary('works')
    await expect.poll(() => first.getByLabel('Entry', { exact: true }).getAttribute('max')).toBe(String(head.seq))
    for (const page of tabs) await page.close()
    await served.close()
    await service.stop()
  })

  it('with many runs of calls open keep all of them up, and everything else goes on', async () => {
    const finish: (() => void)[] = []
    const work = defineTool({
      name: 'work',
      risk: 'read',
      run: () => new Promise<string>((resolve) => finish.push(() => resolve('ok'))),
    })
    const helpers = Array.from({ length: CONNECTIONS + 1 }, (_, index) => ({
      id: `helper${index}`,
      tools: [work],
      model: scripted([{ toolCalls: [{ name: 'work', input: {} }] }, 'Helped.']),
    }))
    const calls = helpers.map(({ id }) => ({ name: id, input: { prompt: 'Help.' } }))
    const service = new AgentService({
      agents: [
        { id: 'chief', agents: helpers.map(({ id }) => id), model: scripted([{ toolCalls: calls }, 'All helped.']) },
        ...helpers,
      ],
    })
    const served = await serveStudio(service)
    const run = service.run('chief', 'Have them help.', { runId: 'chief' })
    await expect.poll(() => finish.length).toBe(helpers.length)
    const page = await openStudio(studio.context, served, '/runs/chief')
    await page.getByText('helper0', { exact: true }).waitFor()
    await page.keyboard.press('e')
    await expect.poll(() => page.getByRole('treeitem', { name: /tool work/ }).count()).toBe(helpers.length)
    // Where streams hold all connections, this is never answered.
    expect(
      await page.evaluate("fetch(location.pathname.split('/runs/')[0] + '/api/studio').then(({ status }) => status)"),
    ).toBe(200)
    finish[0]!()
    await expect
      .poll(() =>
        page
          .getByRole('treeitem', { name: /tool work/ })
          .first()
          .textContent(),
      )
      .toContain('ok')
    for (const each of finish.slice(1)) each()
    await run
    await page.locator('main header').getByText('completed').waitFor()
    await page.close()
    await served.close()
    await service.stop()
  })
})
