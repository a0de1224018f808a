import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { demoService } from '../../src/cli/studio/demo.ts'
import { scripted } from '../../src/model/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { CHROMIUM, launchChromium } from '../browser/chromium.fixture.ts'
import { openStudio, serveStudio } from './studio.fixture.ts'
import type { ServedStudio } from './studio.fixture.ts'

/** The names of the lines that are to be seen, in their order. */
const lines = (page: Page): Promise<readonly string[]> =>
  page.locator('[role=treeitem]').evaluateAll((rows: { textContent: string }[]) => rows.map((row) => row.textContent))
const at = (page: Page): string | null => new URL(page.url()).searchParams.get('at')

describe.skipIf(CHROMIUM === undefined)('the page of a run', { timeout: 60_000 }, () => {
  let browser: Browser
  let context: BrowserContext
  let demo: AgentService
  let studio: ServedStudio

  beforeAll(async () => {
    const [started, service] = await Promise.all([launchChromium(), demoService()])
    browser = started
    demo = service
    studio = await serveStudio(demo)
    context = await browser.newContext()
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await studio?.close()
    await demo?.stop()
  })

  it('goes from problem to problem, folds by level, and zooms, by keys alone', async () => {
    const page = await openStudio(context, studio, '/runs/demo-injection?at=2')
    await page.getByText('turn 3', { exact: true }).waitFor()
    await page.keyboard.press('n')
    await expect.poll(() => at(page)).toBe('9')
    await page.getByText('Gate: deny').waitFor()
    await page.keyboard.press('E')
    await expect.poll(async () => (await lines(page)).length).toBe(3)
    await page.keyboard.press('e')
    await expect.poll(async () => (await lines(page)).length).toBe(8)
    await page.keyboard.press('0')
    await expect.poll(async () => (await lines(page)).length).toBe(3)
    await page.keyboard.press('1')
    await expect.poll(async () => (await lines(page)).length).toBe(8)
    const bar = page.locator('[role=treeitem]').nth(2).locator('[data-status]').last()
    const before = (await bar.boundingBox())!.width
    await page.keyboard.press('+')
    await expect.poll(async () => (await bar.boundingBox())!.width).toBeGreaterThan(before * 1.5)
    await page.keyboard.press('-')
    await expect.poll(async () => (await bar.boundingBox())!.width).toBeCloseTo(before, 0)
    expect(page.faults).toEqual([])
    await page.close()
  })

  it('opens the run of a call in place, and looks into it with a way back', async () => {
    const page = await openStudio(context, studio, '/runs/demo-team?at=2')
    await page.getByText('fact-finder', { exact: true }).waitFor()
    const before = (await lines(page)).length
    const row = page.locator('[role=treeitem]', { hasText: 'press' })
    await row.getByRole('button', { name: 'Open' }).click()
    await page.locator('[role=treeitem]', { hasText: 'publish' }).click()
    expect((await lines(page)).length).toBeGreaterThan(before)
    await page.getByText('A person reads what is published.').first().waitFor()
    await page.getByRole('heading', { level: 1, name: 'press' }).waitFor()
    await page.getByRole('tab', { name: 'Journal' }).click()
    await page.getByText('approval-request').first().waitFor()
    await page.getByRole('navigation', { name: 'Where this run belongs' }).getByRole('button', { name: 'desk' }).click()
    await page.getByRole('heading', { level: 1, name: 'desk' }).waitFor()
    expect(page.faults).toEqual([])
    await page.close()
  })

  it('says of a decision which rule made it, why, and what would change it', async () => {
    const page = await openStudio(context, studio, '/runs/demo-injection?at=9')
    await page.getByText('What would change it').click()
    await page.getByText('Data from a trusted source at that place').waitFor()
    const rows = page.locator('aside table tr')
    await expect.poll(() => rows.nth(0).textContent()).toContain('deny by flow/recipient')
    await expect.poll(() => rows.nth(1).textContent()).toContain('allow by')
    await page.getByRole('link', { name: 'Try another input' }).click()
    await page.getByLabel('Input, as JSON').waitFor()
    expect(await page.getByLabel('Input, as JSON').inputValue()).toContain('eve@evil.example')
    await page.getByRole('button', { name: 'Ask the gate' }).click()
    await page.getByRole('heading', { name: 'deny' }).waitFor()
    await page.close()
  })

  it('shows the way of untrusted data from its source to where it was kept out', async () => {
    const page = await openStudio(context, studio, '/runs/demo-injection?at=9')
    const path = page.locator('aside ol').first()
    await path.waitFor()
    expect((await path.locator('li').allTextContents()).map((text) => text.trim())).toEqual([
      expect.stringMatching(/^source.*read_page/),
      expect.stringMatching(/^through.*scripted\/large/),
      expect.stringMatching(/^sink.*send_email.*kept it out/),
    ])
    await page.close()
  })

  it('forks with another prompt, or with a message, and says that it spends; a replay says that it does not', async () => {
    const page = await openStudio(context, studio, '/runs/demo-hello?at=2')
    await page.getByRole('heading', { name: '#2' }).waitFor()
    await page.keyboard.press('r')
    await page.getByText('Nothing is performed and nothing is spent').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('f')
    await page.getByText('It performs effects and spends money').waitFor()
    await page.getByLabel('the prompt of the run').check()
    await page.getByLabel('The prompt').last().fill('Say hello to the cat.')
    await page.getByRole('button', { name: 'Fork, and spend' }).click()
    await page.waitForURL((url) => url.pathname !== '/runs/demo-hello')
    const id = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1)!)
    await expect.poll(async () => (await demo.summary(id)).state).toBe('completed')
    expect(JSON.stringify(await demo.messages(id))).toContain('Say hello to the cat.')
    await page.close()
  })

  it('follows the end only while that is switched on, and never moves otherwise', async () => {
    let finish = (): void => {}
    const work = defineTool({
      name: 'work',
      risk: 'read',
      run: () => new Promise<string>((resolve) => (finish = () => resolve('ok'))),
    })
    const steps = Array.from({ length: 60 }, (_, step) => ({
      text: `Step ${step}.`,
      toolCalls: [{ name: 'work', input: { step } }],
    }))
    const service = new AgentService({
      agents: [{ id: 'worker', tools: [work], maxTurns: 100, model: scripted([...steps, 'Done.']) }],
    })
    const served = await serveStudio(service)
    const run = service.run('worker', 'Work.', { runId: 'works' })
    const page = await openStudio(context, served, '/runs/works')
    const step = async (count: number): Promise<void> => {
      for (let done = 0; done < count; done += 1) {
        const before = (await service.summary('works')).head.seq
        finish()
        await expect
          .poll(async () => (await service.summary('works')).head.seq, { interval: 5 })
          .toBeGreaterThan(before + 2)
      }
    }
    await step(30)
    await page.getByText('turn 31', { exact: true }).waitFor()
    await page.keyboard.press('.')
    await expect.poll(() => at(page)).not.toBeNull()
    const top = (): Promise<number> =>
      page
        .locator('[role=tree]')
        .evaluate(({ parentElement }: { parentElement: { scrollTop: number } | null }) => parentElement?.scrollTop ?? 0)
    const before = await top()
    await step(5)
    await page
      .getByText(/entries *1[4-9]\d/)
      .or(page.getByText('1'))
      .first()
      .waitFor()
    expect(await top()).toBe(before)
    await page.keyboard.press('.')
    await page.getByText('turn 36', { exact: true }).waitFor()
    await service.cancel('works')
    await run
    await page.close()
    await served.close()
    await service.stop()
  })
})
