import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { useStudio } from './studio.fixture.ts'

const PHONE = { width: 390, height: 844 }

/** What stands out of `main` to the right, without what scrolls inside of it. */
const WIDE = `(() => {
  const main = document.querySelector('main')
  const isScrolled = (element) => {
    for (let up = element.parentElement; up !== main && up !== null; up = up.parentElement)
      if (/auto|scroll|hidden/.test(getComputedStyle(up).overflowX)) return true
    return false
  }
  return [
    ...(main.scrollWidth > main.clientWidth ? ['main scrolls sideways'] : []),
    ...[...main.querySelectorAll('*')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && !isScrolled(element))
      .map((element) => element.outerHTML.slice(0, 80)),
  ]
})()`

describe.skipIf(CHROMIUM === undefined)('the studio on a phone', { timeout: 120_000 }, () => {
  const studio = useStudio({ context: { viewport: PHONE, hasTouch: true, isMobile: true } })
  const box = async (page: Page, selector: string): Promise<{ top: number; bottom: number; right: number }> => {
    const { x, y, width, height } = (await page.locator(selector).first().boundingBox())!
    return { top: y, bottom: y + height, right: x + width }
  }

  it('has no page of which something stands out of the window', async () => {
    const [cell] = await studio.service.runs({ sessionId: 'demo-notebook', limit: 1 })
    const page = await studio.open()
    const found: string[] = []
    for (const [path, shown] of [
      ['/', 'demo-refund'],
      [`/runs/${cell!.run}?tab=notebook`, 'dear'],
      ['/runs/demo-injection?at=9', 'Gate: deny'],
      ['/runs/demo-refund?tab=journal', 'run-suspend'],
      ['/runs/demo-graph?tab=graph', '×4'],
      ['/compare?a=demo-large-model&b=demo-small-model', 'changed 4'],
      ['/compare', 'Run both'],
      ['/inbox?item=demo-refund-ap11', 'Approve'],
      ['/agents', 'greeter'],
      ['/costs', 'Per day'],
      ['/evals', 'advice about tea pots'],
      ['/policy?tool=refund', 'Ask the gate'],
      ['/doctor', 'Journals'],
    ] as const) {
      await page.goto(`${studio.served.url}${path}`)
      await page.locator('main').getByText(shown).first().waitFor()
      const wide: readonly string[] = await page.evaluate(WIDE)
      found.push(...wide.map((what) => `${path} ${what}`))
    }
    expect(found).toEqual([])
    expect(page.faults).toEqual([])
    await page.close()
  })

  it('gives a conversation all the room between the head of the run and the scrubber', async () => {
    const page = await studio.open('/runs/demo-large-model?tab=chat')
    await page.getByText('Which pot?').first().waitFor()
    const view = await box(page, '#view')
    expect(view.bottom - view.top).toBeGreaterThan(PHONE.height / 2)
    expect(view.bottom).toBeGreaterThan(PHONE.height - 80)
    expect(await page.locator('button kbd').first().isVisible()).toBe(false)
    await page.close()
  })

  it('has the selected line of a timeline in sight, below its head', async () => {
    const page = await studio.open('/runs/demo-long?at=120')
    const line = '[role=treeitem][aria-selected=true]'
    await page.locator(line).waitFor()
    const head = await box(page, '#view [class*=head]')
    // Views end between two pixels, scrolling does not.
    const end = Math.ceil((await box(page, '#view')).bottom)
    await expect.poll(async () => Math.floor((await box(page, line)).bottom)).toBeLessThanOrEqual(end)
    for (let up = 0; up < 12; up += 1) await page.locator('[role=tree]').press('ArrowUp')
    await expect.poll(async () => (await box(page, line)).top).toBeGreaterThan(head.bottom - 1)
    expect(Math.floor((await box(page, line)).bottom)).toBeLessThanOrEqual(end)
    await page.close()
  })

  it('shows in the navigation where one is, and the tab that is open', async () => {
    const page = await studio.open('/doctor')
    const open = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Doctor' })
    await open.waitFor()
    await expect.poll(async () => (await open.boundingBox())!.x + (await open.boundingBox())!.width).toBeLessThan(391)
    await page.goto(`${studio.served.url}/runs/demo-graph?tab=journal`)
    const tab = page.getByRole('tab', { name: 'Journal' })
    await expect.poll(async () => (await tab.boundingBox())!.x + (await tab.boundingBox())!.width).toBeLessThan(391)
    await page.close()
  })

  it('shows the list of what waits, then one request with its decision in reach, and no key decides what is not seen', async () => {
    const page = await studio.open('/inbox')
    await page.getByText('charge_card', { exact: true }).waitFor()
    expect(await page.getByRole('region', { name: 'The request' }).count()).toBe(0)
    await page.keyboard.press('a')
    await page.getByRole('button', { name: /refund.*A person looks at refunds/s }).click()
    const approve = page.getByRole('button', { name: 'Approve' })
    await approve.waitFor()
    expect((await approve.boundingBox())!.y).toBeLessThan(PHONE.height - 20)
    expect(await page.getByText('charge_card', { exact: true }).isVisible()).toBe(false)
    await page.getByRole('button', { name: '← Inbox' }).click()
    await page.getByText('charge_card', { exact: true }).waitFor()
    expect((await studio.service.approvals()).length).toBe(6)
    await page.close()
  })
})
