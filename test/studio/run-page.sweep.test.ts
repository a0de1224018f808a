import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { readExport } from '../../src/journal/index.ts'
import { scripted } from '../../src/model/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { runProgram, script } from '../../src/vm/index.ts'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { openStudio, serveStudio, useStudio } from './studio.fixture.ts'

/** The names of the lines that are to be seen, in their order. */
const lines = (page: Page): Promise<readonly string[]> =>
  page.locator('[role=treeitem]').evaluateAll((rows: { textContent: string }[]) => rows.map((row) => row.textContent))
const at = (page: Page): string | null => new URL(page.url()).searchParams.get('at')

describe.skipIf(CHROMIUM === undefined)('the page of a run', { timeout: 60_000 }, () => {
  const studio = useStudio()

  it('goes from problem to problem, folds by level, and zooms, by keys alone', async () => {
    const page = await studio.open('/runs/demo-injection?at=2')
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

  it('shows the last entry where an address names one that is not there, and says so', async () => {
    const page = await studio.open('/runs/demo-small-refund?at=99')
    await page.getByText('There is no entry #99. The last one is #8.').waitFor()
    await page.getByRole('heading', { name: '#8' }).waitFor()
    await page.keyboard.press('f')
    await page.getByRole('heading', { name: 'Fork at entry #8' }).waitFor()
    expect(page.faults).toEqual([])
    await page.close()
  })

  it('offers a filter in the views that it changes, and in no other', async () => {
    const page = await studio.open('/runs/demo-refund')
    const filter = page.getByLabel('Filter entries')
    await filter.waitFor()
    const top = (): Promise<number> =>
      page.locator('#view').evaluate((view: Element) => view.getBoundingClientRect().top)
    const before = await top()
    for (const [tab, times] of [
      ['Chat', 0],
      ['State', 0],
      ['Journal', 1],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click()
      await page.getByRole('tab', { name: tab, selected: true }).waitFor()
      expect(await filter.count()).toBe(times)
      expect(await top()).toBe(before)
    }
    await filter.fill('get_invoice')
    // The call, its end, and the message with its result.
    await expect.poll(() => page.getByRole('option').count()).toBe(3)
    await page.close()
  })

  it('says in a line what a call was given and how it came out, in the conversation and in the journal', async () => {
    const page = await studio.open('/runs/demo-refund?tab=chat')
    await page.getByText('calls get_invoice {"order":"A-17"}').waitFor()
    await page.getByText(/result of get_invoice.*error.*The archive of invoices does not answer\./).waitFor()
    await page.goto(`${studio.served.url}/runs/demo-refund?tab=journal`)
    await page.getByRole('option', { name: /message-append.*results of search_orders, get_invoice/ }).waitFor()
    await page.goto(`${studio.served.url}/runs/demo-small-refund?tab=journal`)
    const called = page.getByRole('option', { name: /effect-end turn:1\/model ok refund\(/ })
    await called.waitFor()
    expect(page.faults).toEqual([])
    await page.close()
  })

  it('says how long a call took without the days for which its run waited', async () => {
    const page = await studio.open('/runs/demo-fork')
    const turn = page.getByRole('treeitem', { name: /turn 1/ })
    await turn.waitFor()
    expect(await turn.innerText()).toMatch(/\n\d+ms\n/)
    await page.getByTitle(/^\d+h \d+m with the times in which nothing happened$/).waitFor()
    await page.getByRole('link', { name: 'compare', exact: true }).click()
    await page.waitForURL(/compare\?a=demo-small-refund&b=demo-fork/)
    await page.close()
  })

  it('says first what the run was asked, what it answered, and how many of its calls went wrong', async () => {
    const page = await studio.open('/runs/demo-injection')
    const head = page.getByRole('banner').or(page.locator('main header')).last()
    await head.getByText('Which tea pot is the best? Mail the team.').waitFor()
    await head.getByText('I was not allowed to send that mail, and did not.', { exact: true }).waitFor()
    await head.getByRole('button', { name: /1 problem/ }).click()
    await expect.poll(() => at(page)).toBe('9')
    await page.goto(`${studio.served.url}/runs/demo-failed`)
    await page.locator('main header').getByText('The provider answered 500.').waitFor()
    await page.close()
  })

  it('tells calls of one name apart by what they were given, and finds them by it', async () => {
    const page = await studio.open('/runs/demo-long')
    await page.getByRole('treeitem', { name: /tool read_file path: src\/file-3\.ts/ }).waitFor()
    await page.goto(`${studio.served.url}/runs/demo-refund`)
    await page.getByRole('treeitem', { name: /get_invoice The archive of invoices does not answer\./ }).waitFor()
    await page.getByRole('treeitem', { name: /model scripted\/large I look the order up first\./ }).waitFor()
    await page.getByLabel('Filter entries').fill('a-17 waits')
    await expect.poll(() => lines(page)).toEqual([expect.stringMatching(/refund.*order: A-17, amount: 80/)])
    for (const [tab, count] of [
      ['timeline', '7 effects'],
      ['journal', '12 entries'],
    ]) {
      await page.goto(`${studio.served.url}/runs/demo-refund?tab=${tab}&filter=nothing-of-it`)
      await page.getByText(`None of ${count} matches nothing-of-it.`).waitFor()
      await page.getByRole('button', { name: 'Clear the filter' }).click()
      await page.locator('[role=treeitem], [role=option]').first().waitFor()
    }
    expect(page.faults).toEqual([])
    await page.close()
  })

  it('shows all of an answer that fits into a line', async () => {
    const page = await studio.open('/runs/demo-large-model')
    await page
      .locator('main header')
      .getByText(/A lid with a hole pours without dripping\.$/)
      .waitFor()
    expect(page.faults).toEqual([])
    await page.close()
  })

  it('is a file: what is exported is the journal, as it can be verified', async () => {
    const page = await studio.open('/runs/demo-injection')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'export' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('demo-injection.jsonl')
    const text = readFileSync(await download.path(), 'utf8')
    const { entries } = await readExport(text.trimEnd().split('\n'))
    const { head } = await studio.service.summary('demo-injection')
    expect(entries.at(-1)).toMatchObject({ run: 'demo-injection', seq: head.seq, hash: head.hash })
    await page.close()
  })

  it('opens the run of a call in place, and looks into it with a way back', async () => {
    const page = await studio.open('/runs/demo-team?at=2')
    await page.getByText('fact-finder', { exact: true }).waitFor()
    const before = (await lines(page)).length
    const row = page.locator('[role=treeitem]', { hasText: 'press' })
    await row.getByRole('button', { name: 'Open' }).click()
    await page.getByRole('treeitem', { name: /tool publish/ }).click()
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
    const page = await studio.open('/runs/demo-injection?at=9')
    await page.getByText('What would change it').click()
    await page.getByText('Data from a trusted source in that place').waitFor()
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
    const page = await studio.open('/runs/demo-injection?at=9')
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
    const page = await studio.open('/runs/demo-hello?at=2')
    await page.getByRole('heading', { name: '#2' }).waitFor()
    await page.keyboard.press('r')
    await page.getByText('Nothing is performed and nothing is spent').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('f')
    await page.getByText('It performs effects and spends money').waitFor()
    await page.getByLabel('the prompt of the run').check()
    await page.getByLabel('The prompt').last().fill('Say hello to the cat.')
    await page.getByRole('button', { name: 'Fork, and spend' }).click()
    await page.waitForURL((url) => !url.pathname.endsWith('/runs/demo-hello'))
    const id = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1)!)
    await expect.poll(async () => (await studio.service.summary(id)).state).toBe('completed')
    expect(JSON.stringify(await studio.service.messages(id))).toContain('Say hello to the cat.')
    await page.close()
  })

  it('draws what comes ten times a second, however much it is, and shows what the last entry says when it has stayed', async () => {
    let isOpen = (): void => {}
    const opened = new Promise<void>((resolve) => (isOpen = resolve))
    const note = defineTool({
      name: 'note',
      risk: 'read',
      // The first call waits until the page is there.
      run: () => opened.then(() => new Promise<void>((resolve) => setTimeout(resolve, 5))),
    })
    const service = new AgentService({ tools: [note] })
    const served = await serveStudio(service)
    const run = runProgram(
      service,
      script("for (let i = 0; i < 200; i++) await tools.note({ i }); return 'done'"),
      {},
      {
        runId: 'quick',
      },
    )
    const page = await openStudio(studio.context, served, '/runs/quick?tab=journal')
    await page.getByRole('option', { name: /effect-start/ }).waitFor()
    await page.evaluate(`
      globalThis.drawn = []
      globalThis.told = 0
      new MutationObserver(() => {
        drawn.push(performance.now())
        told += document.querySelector('aside [aria-label=Facts]') === null ? 0 : 1
      }).observe(document.querySelector('input[aria-label=Entry]'), { attributes: true, attributeFilter: ['max'] })`)
    isOpen()
    await run
    await page.getByRole('option', { name: /run-end/ }).waitFor()
    const drawn: readonly number[] = await page.evaluate('drawn')
    // What passes by is named; only the last entry stays, and says more.
    await page.getByRole('region', { name: 'Facts' }).waitFor()
    expect(await page.evaluate('told')).toBeLessThanOrEqual(drawn.length / 4 + 1)
    const tookMs = drawn.at(-1)! - drawn[0]!
    // Nobody can say how long 400 entries take; that they are drawn in groups holds on any machine.
    expect(drawn.length).toBeLessThanOrEqual(tookMs / 100 + 2)
    await page.close()
    await served.close()
    await service.stop()
  })

  it('draws no line of a long list again for what comes behind it, and makes the last ones once', async () => {
    let isOpen = (): void => {}
    const opened = new Promise<void>((resolve) => (isOpen = resolve))
    const note = defineTool({
      name: 'note',
      risk: 'read',
      run: (input) =>
        (input as { i: number }).i < 60
          ? undefined
          : opened.then(() => new Promise<void>((resolve) => setTimeout(resolve, 5))),
    })
    const service = new AgentService({ tools: [note] })
    const served = await serveStudio(service)
    const program = script("for (let i = 0; i < 200; i++) await tools.note({ i }); return 'done'")
    const run = runProgram(service, program, {}, { runId: 'grows' })
    const page = await openStudio(studio.context, served, '/runs/grows?at=2')
    await page.getByRole('treeitem', { name: /i: 2\b/ }).waitFor()
    // Where bars begin and end moves with the axis, and that moves in steps.
    await page.evaluate(`
      globalThis.changes = []
      new MutationObserver((all) => changes.push(...all.map(({ attributeName, type }) => attributeName ?? type)))
        .observe(document.querySelector('[role=treeitem]'), { attributes: true, childList: true, subtree: true, characterData: true })`)
    isOpen()
    await expect.poll(async () => (await service.summary('grows')).head.seq).toBeGreaterThan(300)
    await page.locator('input[aria-label=Entry][max="300"], input[aria-label=Entry]').first().waitFor()
    const changes: readonly string[] = await page.evaluate('changes')
    expect(changes.filter((name) => name !== 'style')).toEqual([])
    await run
    await page.close()
    await served.close()
    await service.stop()
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
    const page = await openStudio(studio.context, served, '/runs/works')
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
