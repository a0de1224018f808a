import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { runProgram, script } from '../../src/vm/index.ts'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { useStudio } from './studio.fixture.ts'

const CALLS = 14_000
const BROKEN = 13_333
/** Two for each call, and the beginning and the end. */
const ENTRIES = 2 * CALLS + 2
const AT_ONCE = 20_000

/** A run that loads in parts, with one call far behind that went wrong. */
async function longRun(): Promise<AgentService> {
  const note = defineTool({
    name: 'note',
    risk: 'read',
    run: (input) => {
      if ((input as { i: number }).i === BROKEN) throw new Error('the note is torn')
      return 'noted'
    },
  })
  const service = new AgentService({ tools: [note], mandate: { callCap: 2 * CALLS } })
  const work = `for (let i = 0; i < ${CALLS}; i++) { try { await tools.note({ i }) } catch {} } return 'done'`
  await runProgram(service, script(work), {}, { runId: 'long', fuel: 1e12 })
  for (const runId of ['one', 'two'])
    await runProgram(
      service,
      script(`for (let i = 0; i < 300; i++) await tools.note({ i, of: '${runId}' }); return 'done'`),
      {},
      { runId, fuel: 1e12 },
    )
  return service
}

const rows = (page: Page) => page.locator('[role=treeitem]')
const partly = (page: Page) => page.getByText(`of ${ENTRIES.toLocaleString('en')} entries are loaded`)
/** Whether the selected line is between the head of the list and its end. */
const IN_SIGHT = `(() => {
  const row = document.querySelector('[role=treeitem][aria-selected=true]')?.getBoundingClientRect()
  const box = document.querySelector('[role=tree]').parentElement
  const head = box.firstElementChild.getBoundingClientRect()
  const end = box.getBoundingClientRect().top + box.clientHeight
  return row !== undefined && row.top >= head.bottom - 1 && row.bottom <= end + 1
})()`
/** How many dots of the map of entries have the colour of a failure. */
const REDS = `(() => {
  const canvas = document.querySelectorAll('canvas')[1]
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  let found = 0
  for (let i = 0; i < data.length; i += 4) if (data[i] > 150 && data[i + 1] < 80 && data[i + 3] > 200) found += 1
  return found
})()`

describe.skipIf(CHROMIUM === undefined)('a run of more entries than are loaded at once', { timeout: 120_000 }, () => {
  const studio = useStudio({ service: longRun, context: { colorScheme: 'light' } })

  it('opens with its beginning and its last entry, and says how much is loaded', async () => {
    expect((await studio.service.summary('long')).head.seq).toBe(ENTRIES)
    const page = await studio.open('/runs/long')
    await rows(page).first().waitFor()
    await page.getByLabel('Selected entry').getByText('run-end').first().waitFor()
    await partly(page).waitFor()
    expect(await page.getByLabel('Entry', { exact: true }).getAttribute('max')).toBe(String(ENTRIES))
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(1_500)
    // Nobody scrolled: the first call is still the first line.
    expect(await rows(page).first().getAttribute('aria-posinset')).toBe('1')
    expect(page.faults).toEqual([])
    await page.close()
  })

  it('loads more when the last loaded line is looked at, until all is there', async () => {
    const page = await studio.open('/runs/long')
    await partly(page).waitFor()
    await page.mouse.move(400, 400)
    const toEnd = (): Promise<void> => page.mouse.wheel(0, 10_000_000)
    expect(await rows(page).first().getAttribute('aria-setsize')).toBe(String((AT_ONCE + 200) / 2))
    const last = page.locator(`[role=treeitem][aria-posinset="${CALLS}"]`)
    await expect.poll(() => toEnd().then(() => last.count()), { timeout: 60_000 }).toBe(1)
    expect(await partly(page).count()).toBe(0)
    await page.close()
  })

  it('goes to an entry far behind by its link, and shows it selected among its neighbours', async () => {
    const seq = 2 * BROKEN + 3
    const page = await studio.open(`/runs/long?at=${seq}`)
    const selected = page.locator('[role=treeitem][aria-selected=true]')
    await selected.waitFor()
    await expect.poll(() => selected.textContent()).toContain('failed')
    await page.getByLabel('Selected entry').getByText('the note is torn').first().waitFor()
    expect(Number(await selected.getAttribute('aria-posinset'))).toBe(BROKEN + 1)
    await expect.poll(() => page.evaluate(IN_SIGHT)).toBe(true)
    await page.close()
  })

  it('compares long runs with few elements, and shows more on demand and where the next difference is', async () => {
    const page = await studio.open('/compare?a=one&b=two')
    await page.getByText('more lines.').waitFor()
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(1_500)
    const lines = page.locator('main ol > li')
    const before = await lines.count()
    for (let pressed = 0; pressed <= before; pressed += 1) await page.keyboard.press('n')
    await expect.poll(() => lines.count()).toBeGreaterThan(before)
    await page.locator(`main ol > li:nth-child(n + ${before + 1})[data-here=true]`).waitFor()
    await page.getByRole('button', { name: /Show the next/ }).click()
    await expect.poll(() => page.getByText('more lines.').count()).toBe(0)
    expect(page.faults).toEqual([])
    await page.close()
  })

  it('finds what went wrong by the filter and on the map, as soon as it is loaded', async () => {
    const page = await studio.open('/runs/long')
    await partly(page).waitFor()
    expect(await page.evaluate(REDS)).toBe(0)
    await page.getByLabel('Filter entries').fill('error')
    await page.getByText(/None of [\d,]+ effects matches error/).waitFor()
    await page.getByRole('button', { name: 'Load all' }).click()
    await expect.poll(() => rows(page).count()).toBe(1)
    await expect.poll(() => page.evaluate(REDS)).toBeGreaterThan(0)
    await page.getByLabel('Filter entries').fill('')
    await page.getByRole('tree').focus()
    await page.keyboard.press('n')
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).toBe(String(2 * BROKEN + 3))
    await page.locator('[role=treeitem][aria-selected=true]').getByText('failed').waitFor()
    await expect.poll(() => page.evaluate(IN_SIGHT)).toBe(true)
    expect(page.faults).toEqual([])
    await page.close()
  })
})
