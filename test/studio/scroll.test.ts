import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { listEvals } from '../../src/evals/index.ts'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { isSweep, shareOf } from '../rotation.ts'
import { openStudio, useStudio } from './studio.fixture.ts'

type State = readonly [path: string, what?: (page: Page) => Promise<unknown>]

const opened = (key: string) => async (page: Page) => {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.keyboard.press(key)
  await page.locator('dialog[open]').waitFor()
}

/** A conversation in which something is asked. */
const talked = async (page: Page) => {
  await page.getByLabel('Message').fill('The customer wants order A-17 back, $80.')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Approve/ }).waitFor()
}

/** Every page and view, with what makes each of them tall. */
const STATES: readonly State[] = [
  ['/runs/demo-refund?tab=state&at=10'],
  ['/inbox'],
  ['/runs/demo-large-model?at=3'],
  ['/runs/demo-refund?tab=journal&at=10'],
  ['/agents/support', talked],
  ['/runs/CELL?tab=notebook'],
  ['/runs/demo-injection?at=9'],
  ['/inbox?item=long-gone-ap9'],
  ['/'],
  ['/runs/demo-refund', opened('f')],
  ['/runs/demo-refund', opened('r')],
  ['/runs/demo-refund', opened('?')],
  ['/runs/demo-large-model?tab=chat'],
  ['/runs/demo-graph?tab=graph'],
  ['/runs/demo-team'],
  ['/runs/demo-long?at=120'],
  ['/runs/demo-doubt'],
  ['/runs/nobody'],
  ['/compare?a=demo-large-model&b=demo-small-model'],
  ['/compare'],
  ['/agents'],
  ['/agents?tab=prompts'],
  ['/costs'],
  ['/evals'],
  ['/evals/EVAL'],
  ['/workers'],
  ['/policy?tool=refund'],
  ['/doctor'],
  ['/nowhere'],
  ['/inbox', (page) => page.getByRole('button', { name: 'edit the arguments' }).click()],
]

/**
 * Whether the window scrolls besides its parts, and boxes that scroll although what is placed in them is not: a hidden text in such a box is placed by the
 * window, and makes that higher.
 */
const FAULTS = `(() => {
  const faults = []
  const placeOf = (each) => {
    let place = each.parentElement
    while (place !== null && getComputedStyle(place).position === 'static') place = place.parentElement
    return place
  }
  const { scrollHeight, scrollWidth } = document.documentElement
  if (scrollHeight > innerHeight) faults.push('the window is ' + innerHeight + ' high, the page ' + scrollHeight)
  if (scrollWidth > innerWidth) faults.push('the window is ' + innerWidth + ' wide, the page ' + scrollWidth)
  const main = document.querySelector('main')
  if (main.scrollWidth > main.clientWidth) faults.push('the page is ' + main.scrollWidth + ' wide in ' + main.clientWidth)
  for (const box of document.querySelectorAll('body *')) {
    const { overflowX, overflowY, position } = getComputedStyle(box)
    if (![overflowX, overflowY].some((each) => each === 'auto' || each === 'scroll') || position !== 'static') continue
    const placed = [...box.querySelectorAll('*')].find((each) => getComputedStyle(each).position === 'absolute' && !box.contains(placeOf(each)))
    if (placed !== undefined) faults.push(box.outerHTML.slice(0, 60) + ' does not hold ' + placed.outerHTML.slice(0, 60))
  }
  const inner = [...document.querySelectorAll('main, main > *')].filter((each) => each.scrollHeight > each.clientHeight + 1 && getComputedStyle(each).overflowY === 'auto')
  if (inner.length > 0 && document.querySelector('main > .page') === null) faults.push('the frame of a page that fills the window scrolls')
  return faults
})()`

describe.skipIf(CHROMIUM === undefined)('a window of the studio', { timeout: 180_000 }, () => {
  const studio = useStudio()

  it('does not scroll: only its parts do, and each holds what is in it', async () => {
    const [cell] = await studio.service.runs({ sessionId: 'demo-notebook', limit: 1 })
    const [report] = await listEvals(studio.service)
    const found: string[] = []
    for (const [width, height] of isSweep
      ? ([
          [1_440, 900],
          [1_280, 800],
          [390, 844],
        ] as const)
      : ([[1_280, 800]] as const)) {
      const context = await studio.browser.newContext({ viewport: { width, height } })
      const page = await openStudio(context, studio.served)
      for (const [path, what] of shareOf(STATES, 6)) {
        await page.goto(`${studio.served.url}${path.replace('CELL', cell!.run).replace('EVAL', report!.id)}`)
        await page.locator('main :is(h1, h2, [role=alert])').filter({ visible: true }).first().waitFor()
        await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
        if (width > 600 || what === talked) await what?.(page)
        await page.evaluate('new Promise((done) => setTimeout(done, 150))')
        const faults = (await page.evaluate(FAULTS)) as readonly string[]
        found.push(...faults.map((fault) => `${path} at ${width}: ${fault}`))
      }
      await context.close()
    }
    expect(found).toEqual([])
  })
})
