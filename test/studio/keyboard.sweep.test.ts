import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { pathOf, useStudio, withoutPlace } from './studio.fixture.ts'

/** What the page sends that changes something. */
function changesOf(page: Page): readonly string[] {
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${withoutPlace(request.url())}`)
  })
  return sent
}

const path = pathOf

describe.skipIf(CHROMIUM === undefined)('the studio by keys alone', { timeout: 60_000 }, () => {
  const studio = useStudio()

  const pressAll = async (page: Page, ...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }

  /** A page that has not loaded what a key needs does nothing: the key is pressed again, once that would have had an effect. */
  const pressUntil = async (page: Page, key: string, place: string): Promise<void> => {
    for (let times = 0; times < 8 && path(page) !== place; times++) {
      await page.keyboard.press(key)
      await page.waitForURL(() => path(page) === place, { timeout: 2_000 }).catch(() => {})
    }
    expect(path(page)).toBe(place)
  }

  it('answers no request on the way to another page', async () => {
    for (const [key, place] of [
      ['a', '/agents'],
      ['d', '/doctor'],
    ] as const) {
      const page = await studio.open('/inbox')
      const sent = changesOf(page)
      await page.getByRole('button', { name: /^Approve/ }).waitFor()
      await pressAll(page, 'g', key)
      await expect.poll(() => path(page)).toBe(place)
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(sent).toEqual([])
      await page.close()
    }
    const page = await studio.open('/runs/demo-hello')
    await page.getByRole('heading', { name: 'greeter' }).or(page.locator('main h1')).first().waitFor()
    await pressAll(page, 'g', 'r')
    await expect.poll(() => path(page)).toBe('/')
    expect(await page.locator('dialog[open]').count()).toBe(0)
    await page.close()
  })

  it('decides nothing before Enter, and nothing after Escape', async () => {
    const page = await studio.open('/inbox')
    const sent = changesOf(page)
    await page.getByRole('button', { name: /^Approve/ }).waitFor()
    await pressAll(page, 'a', 'a', 'a', 'Escape', 'Enter')
    await pressAll(page, 'd', 'Escape', 'Enter')
    await page.getByText('Escape leaves it undecided').waitFor({ state: 'detached' })
    expect(sent).toEqual([])
    await page.close()
  })

  it('makes a rule, which is shown before it is made', async () => {
    const request = (await studio.service.approvals()).find(({ run }) => run === 'demo-refund')
    const page = await studio.open(`/inbox?item=${request!.id}`)
    await page.getByRole('heading', { name: 'tool refund' }).waitFor()
    await pressAll(page, 'a', 'ArrowDown', 'ArrowDown')
    const rule = page.getByRole('note', { name: 'The rule that this makes' })
    await rule.waitFor()
    expect(await rule.textContent()).toMatch(/tool refund .* of agent\/\S+ .*rules\//)
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await studio.service.standingApprovals()).length).toBe(1)
    await expect.poll(async () => (await studio.service.summary('demo-refund')).state).toBe('completed')
    // It holds until it ends, or until somebody ends it where the rules are.
    await page.goto(`${studio.served.url}/policy`)
    const standing = page.getByRole('region', { name: 'Standing approvals' })
    expect(await standing.getByRole('row').nth(1).textContent()).toMatch(/refund.*large-refund.*agent\/support/)
    await standing.getByRole('button', { name: 'Revoke' }).click()
    await standing.getByText('each call that a rule asks about waits for a person').waitFor()
    expect(await studio.service.standingApprovals()).toEqual([])
    await page.close()
  })

  it('goes from a run to what waits in it, and asks before it decides all that are selected', async () => {
    const page = await studio.open('/runs/demo-destructive')
    await page.getByRole('heading', { name: 'janitor' }).waitFor()
    await page.getByText('drop_table').first().waitFor()
    await page.keyboard.press('i')
    await page.getByRole('heading', { name: 'tool drop_table' }).waitFor()
    expect(new URL(page.url()).searchParams.get('item')).toMatch(/^demo-destructive-ap\d+$/)
    await pressAll(page, ' ', 'A')
    await page.getByRole('dialog').getByRole('heading', { name: 'Decide 1 call' }).waitFor()
    await page.keyboard.press('Escape')
    expect((await studio.service.summary('demo-destructive')).state).toBe('suspended')
    await page.close()
  })

  it('goes on by keys after a click on a box or the range, and leaves the space bar to what has the focus', async () => {
    const page = await studio.open('/inbox')
    const sent = changesOf(page)
    const boxes = page.getByRole('listitem').getByRole('checkbox')
    await boxes.first().check()
    await page.keyboard.press('A')
    await page
      .getByRole('dialog')
      .getByRole('heading', { name: /^Decide 1 call/ })
      .waitFor()
    await page.keyboard.press('Escape')
    // On a box, the space bar ticks that box; on a button, it presses the button.
    await boxes.nth(1).focus()
    await page.keyboard.press(' ')
    expect([await boxes.first().isChecked(), await boxes.nth(1).isChecked()]).toEqual([true, true])
    await page.getByRole('button', { name: 'edit the arguments' }).focus()
    await page.keyboard.press(' ')
    await page.getByLabel('Arguments to run instead').waitFor()
    expect(await boxes.first().isChecked()).toBe(true)
    await page.goto(`${studio.served.url}/runs/demo-hello`)
    await page.getByRole('button', { name: 'First entry' }).click()
    await page.getByLabel('Entry', { exact: true }).press('ArrowRight')
    await page.getByRole('heading', { name: '#2' }).waitFor()
    await page.keyboard.press('f')
    await page.getByText('It performs effects and spends money').waitFor()
    expect(sent).toEqual([])
    await page.close()
  })

  it('opens the table of all keys at its beginning', async () => {
    const page = await studio.open()
    await page.setViewportSize({ width: 800, height: 500 })
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keys' })
    await help.waitFor()
    expect(await help.evaluate((dialog: { scrollTop: number }) => dialog.scrollTop)).toBe(0)
    await page.keyboard.press('Enter')
    await help.waitFor({ state: 'hidden' })
    await page.close()
  })

  it('goes to the next run and back, and compares two that are marked', async () => {
    const page = await studio.open()
    // What was asked comes later than the rows, which are grouped by it.
    await page.locator(':text("Charge ben $129."):visible').first().waitFor()
    const ids = await page.locator('[data-row] .mono').allTextContents()
    await pressAll(page, 'j', 'j', 'Enter')
    await expect.poll(() => path(page)).toBe(`/runs/${ids[1]}`)
    await page.locator('main h1').waitFor()
    await pressUntil(page, 'j', `/runs/${ids[2]}`)
    await pressUntil(page, 'k', `/runs/${ids[1]}`)
    await pressAll(page, 'Escape', 'Escape', 'Escape')
    await expect.poll(() => path(page)).toBe('/')
    await page.locator('[data-row="1"]').waitFor()
    await pressAll(page, 'j', 'x', 'j', 'x')
    await expect.poll(() => path(page)).toBe('/compare')
    const { searchParams } = new URL(page.url())
    expect([searchParams.get('a'), searchParams.get('b')]).toEqual(ids.slice(0, 2))
    await page.close()
  })

  it('comes to an entry by its link, and leaves it by the back button', async () => {
    const page = await studio.open()
    await page.getByRole('link', { name: /researcher/ }).click()
    await page.getByRole('tab', { name: 'State' }).click()
    await page.getByText('As of entry #').waitFor()
    await page.goto(`${studio.served.url}/runs/demo-injection?at=9`)
    await page.getByRole('heading', { name: '#9' }).waitFor()
    await page.goBack()
    await page.getByText('As of entry #').waitFor()
    await page.goBack()
    await page.locator('[role=treeitem]').first().waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    expect(page.faults).toEqual([])
    await page.close()
  })

  it('finds what the page can do by a word', async () => {
    const page = await studio.open('/runs/demo-hello?at=2')
    await page.getByRole('heading', { name: '#2' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('fork')
    await page.getByRole('option', { name: /Fork here/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('It performs effects and spends money').waitFor()
    expect(page.faults).toEqual([])
    await page.close()
  })

  it('shows the words of a button while the mouse is on it, in both themes', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await studio.open('/inbox')
      await page.emulateMedia({ colorScheme })
      const button = page.locator('button.primary').first()
      await button.waitFor()
      await button.hover()
      expect(await page.evaluate(`(${CONTRAST})(document.querySelector('button.primary'))`)).toBeGreaterThan(4.5)
      await page.close()
    }
  })
})

/** How far the words of an element stand out from what is behind them, as WCAG counts it. */
const CONTRAST = `(element) => {
  const { color, backgroundColor } = getComputedStyle(element)
  const context = new OffscreenCanvas(1, 1).getContext('2d')
  const light = (colour) => {
    context.fillStyle = colour
    context.fillRect(0, 0, 1, 1)
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((each) => {
      const part = each / 255
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const [more, less] = [light(color), light(backgroundColor)].sort((a, b) => b - a)
  return (more + 0.05) / (less + 0.05)
}`
