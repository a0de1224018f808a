import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { scripted } from '../../src/model/index.ts'
import { sqliteJournal } from '../../src/store/sqlite/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { CHROMIUM, launchChromium } from '../browser/chromium.fixture.ts'
import { readCorpus } from '../corpora/read-corpus.ts'
import { openStudio, serveStudio } from './studio.fixture.ts'

interface Case {
  readonly id: string
  readonly category: string
  readonly input: { readonly modelText: string; readonly where?: string }
}

const CASES = readCorpus<Case>('web').filter(({ category }) => category.startsWith('xss'))
const TEXTS = CASES.map(({ input }) => input.modelText)
const [HOSTILE] = CASES.filter(({ category }) => category === 'xss-sink').map(({ input }) => input.modelText)

/** What no page makes of data, whatever the data says. */
const MADE =
  'main :is(script, iframe, object, embed, base, link, form[action], img, video, audio, svg[onload], math, style, a[href^="javascript:" i], a[href^="data:" i], a[href^="vbscript:" i])'

describe.skipIf(CHROMIUM === undefined)('hostile data in the studio', { timeout: 120_000 }, () => {
  let browser: Browser
  let context: BrowserContext
  const alarms: string[] = []
  beforeAll(async () => {
    browser = await launchChromium()
    context = await browser.newContext()
    await context.addInitScript('globalThis.alert = () => { globalThis.hacked = true }')
  }, 60_000)
  afterAll(() => browser?.close())

  const expectInert = async (page: Page & { readonly faults: string[] }, place: string): Promise<void> => {
    expect(await page.locator(MADE).count(), place).toBe(0)
    expect(await page.evaluate('globalThis.hacked'), place).toBeUndefined()
    expect(page.faults, place).toEqual([])
    expect(alarms, place).toEqual([])
  }

  it('the corpus of scripts in texts is text on every page', async () => {
    expect(TEXTS.length).toBeGreaterThan(40)
    const note = defineTool({
      name: 'note',
      description: HOSTILE!,
      risk: 'write',
      needsApproval: (input) => JSON.stringify(input).includes('"last"'),
      run: (input) => ({ said: input }),
    })
    const steps = TEXTS.map((text) => ({ text, toolCalls: [{ name: 'note', input: { [text]: text } }] }))
    const last = { text: HOSTILE!, toolCalls: [{ name: 'note', input: { last: HOSTILE!, [HOSTILE!]: TEXTS } }] }
    const agent = {
      id: 'mirror',
      name: HOSTILE!,
      description: HOSTILE!,
      maxTurns: 100,
      tools: [note],
      model: scripted([...steps, last, 'Done.']),
    }
    const service = new AgentService({ agents: [agent] })
    await service.run('mirror', TEXTS.join('\n\n'), { runId: 'hostile', sessionId: 'talk' })
    const { head, state } = await service.summary('hostile')
    expect(state).toBe('suspended')
    const served = await serveStudio(service)
    const page = await openStudio(context, served, '/runs/hostile?tab=chat')
    page.on('dialog', (dialog) => alarms.push(dialog.message()))
    // In the log: the head of the run shows the same text before the chat is there.
    const log = page.locator('[role=log]')
    await log.getByText('<svg onload=alert(1)>').first().waitFor()
    const chat = (await log.textContent()) ?? ''
    for (const text of [
      '<iframe src="javascript:alert(1)">',
      '${alert(1)}',
      '\\u001b[2J',
      'https://evil.example/?d=SECRET',
    ])
      expect(chat).toContain(text)
    await expectInert(page, 'chat')
    const places = ['timeline', 'state', 'journal'].flatMap((tab) =>
      [4, head.seq - 1].map((at) => `/runs/hostile?tab=${tab}&at=${at}`),
    )
    for (const path of [
      ...places,
      '/',
      '/inbox',
      '/agents',
      '/agents/mirror?session=talk',
      '/costs',
      '/policy?tool=note',
      '/compare?a=hostile&b=hostile',
      `/runs/${encodeURIComponent(HOSTILE!)}`,
    ]) {
      await page.goto(`${served.url}${path}`)
      await page.getByRole('heading').or(page.getByRole('alert')).first().waitFor()
      await expectInert(page, path)
    }
    await page.close()
    await served.close()
    await service.stop()
  })

  it('characters that turn, hide or cut text are shown and marked', async () => {
    const text = '\u001b[31mred\u001b[0m \u202Eevil\u2066 \ud800half \u200b'
    const service = new AgentService({ agents: [{ id: 'mirror', model: scripted([text]) }] })
    await service.run('mirror', text, { runId: 'marked' })
    const served = await serveStudio(service)
    const page = await openStudio(context, served, '/runs/marked?tab=chat')
    await page.getByText('⚠ control characters').first().waitFor()
    const shown = await page.locator('article').last().textContent()
    for (const escape of ['\\u001b[31mred', '\\u202eevil', '\\u200b']) expect(shown).toContain(escape)
    for (const raw of ['\u001b', '\u202e', '\u200b', '\ud800']) expect(shown).not.toContain(raw)
    await expectInert(page, 'marks')
    await page.close()
    await served.close()
    await service.stop()
  })

  it('a value of ten megabytes opens by its beginning, and as a whole on demand', async () => {
    const big = defineTool({ name: 'big', risk: 'read', run: () => 'x'.repeat(10_000_000) })
    const service = new AgentService({
      agents: [{ id: 'large', tools: [big], model: scripted([{ toolCalls: [{ name: 'big', input: {} }] }, 'Done.']) }],
      limits: { resultBytes: 20_000_000 },
    })
    await service.run('large', 'Go.', { runId: 'large' })
    const served = await serveStudio(service)
    const page = await openStudio(context, served)
    let read = 0
    page.on('response', async (answer) => void (read += Number(answer.headers()['content-length'] ?? 0)))
    await page.goto(`${served.url}/runs/large?at=5`)
    await page.getByRole('button', { name: 'load all of this entry' }).waitFor()
    expect(read).toBeLessThan(1_500_000)
    await page.getByRole('button', { name: 'load all of this entry' }).click()
    await page
      .getByRole('button', { name: /load all \d/ })
      .first()
      .waitFor()
    expect((await page.locator('aside').textContent())!.length).toBeLessThan(40_000)
    await page.close()
    await served.close()
    await service.stop()
  })

  it('a journal that was changed opens up to the change, and says where it is', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'mandate-studio-'))
    const agents = [{ id: 'greeter', model: scripted(['Hello.']) }]
    const path = join(dir, 'journal.db')
    const written = sqliteJournal({ path })
    const first = new AgentService({ journal: written, agents })
    for (const runId of ['intact', 'changed', 'beheaded', 'swapped']) await first.run('greeter', 'Hi.', { runId })
    await first.stop()
    await written.close()
    const file = new DatabaseSync(path)
    file.exec(`UPDATE entries SET data = replace(data, 'Hello', 'Jello') WHERE run = 'changed' AND seq = 3`)
    file.exec(`UPDATE entries SET data = replace(data, 'Hi.', 'Ho.') WHERE run = 'beheaded' AND seq = 1`)
    file.exec(
      `UPDATE entries SET hash = (SELECT hash FROM entries WHERE run = 'intact' AND seq = 2) WHERE run = 'swapped' AND seq = 2`,
    )
    file.close()
    const journal = sqliteJournal({ path })
    const service = new AgentService({ journal, agents })
    const served = await serveStudio(service)
    const page = await openStudio(context, served)
    for (const [run, seq, shown] of [
      ['changed', 3, 2],
      ['beheaded', 1, 0],
      ['swapped', 2, 1],
    ] as const) {
      await page.goto(`${served.url}/runs/${run}?tab=journal`)
      await page.getByRole('alert').getByText(`The journal is damaged at entry #${seq}.`).waitFor()
      expect(await page.locator('[role=option]').count(), run).toBe(shown)
    }
    // Its head, its panel and what can be done say the same; so does the list, where the server tells it.
    await page.goto(`${served.url}/runs/changed?at=4`)
    await page.locator('main header').getByText('damaged').waitFor()
    await page.getByRole('heading', { name: '#2' }).waitFor()
    for (const name of [/^replay/, /^fork here/])
      expect(await page.getByRole('button', { name }).first().isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: /^cancel/ }).count()).toBe(0)
    // The server has read it by now, and says so in the list.
    await page.goto(`${served.url}/`)
    await page
      .getByRole('row', { name: /changed/ })
      .getByText('damaged')
      .waitFor()
    expect(
      await page
        .getByRole('row', { name: /intact/ })
        .getByText('damaged')
        .count(),
    ).toBe(0)
    await page.goto(`${served.url}/runs/intact?tab=journal`)
    await page.getByText('run-end').first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.close()
    await served.close()
    await service.stop()
    await journal.close()
    rmSync(dir, { recursive: true })
  })
})
