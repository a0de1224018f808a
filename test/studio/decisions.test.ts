import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { seededRandom } from '../../src/core/index.ts'
import { scripted } from '../../src/model/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { isSweep, shareOf } from '../rotation.ts'
import { useStudio, withoutPlace } from './studio.fixture.ts'

const REQUESTS = 60
const pay = defineTool({ name: 'pay', risk: 'write', needsApproval: true, run: () => 'paid' })

/** Runs that each wait for an approval of a payment with an amount of its own. */
async function payments(): Promise<AgentService> {
  const steps = Array.from({ length: REQUESTS }, (_, index) => ({
    toolCalls: [{ name: 'pay', input: { amount: 100 + index, to: `customer ${index}` } }],
  }))
  const clerks = steps.map((step, index) => ({ id: `clerk${index}`, tools: [pay], model: scripted([step, 'Paid.']) }))
  const service = new AgentService({ agents: clerks })
  for (const [index, { id }] of clerks.entries()) await service.run(id, 'Pay.', { runId: `pays-${index}` })
  return service
}

interface Presses {
  readonly how: 'mouse' | 'Enter on the button' | 'a and Enter'
  /** Milliseconds between the presses: one less than presses. */
  readonly gaps: readonly number[]
}

const random = seededRandom('presses of a decision')
const PRESSES: readonly Presses[] = (['mouse', 'Enter on the button', 'a and Enter'] as const).flatMap((how) =>
  Array.from({ length: 8 }, () => ({
    how,
    gaps: Array.from({ length: random.next() < 0.5 ? 1 : 2 }, () => Math.round(50 + 550 * random.next())),
  })),
)

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe.skipIf(CHROMIUM === undefined)('decisions in the studio', { timeout: 120_000 }, () => {
  const studio = useStudio({ service: payments })
  const left = async (): Promise<number> => (await studio.service.approvals({ limit: 500 })).length
  const approve = (page: Page) => page.getByRole('button', { name: /^Approve/ })

  /** Opens what waits first, once a press of its button counts. */
  const opened = async (): Promise<{ readonly page: Page; readonly spot: { x: number; y: number } }> => {
    const page = await studio.open('/inbox')
    await approve(page).and(page.locator(':enabled')).waitFor()
    const { x, y, width, height } = (await approve(page).boundingBox())!
    return { page, spot: { x: x + width / 2, y: y + height / 2 } }
  }

  it.each(shareOf(PRESSES, 8))('of one request are made once, by $how with gaps of $gaps ms', async ({ how, gaps }) => {
    const { page, spot } = await opened()
    const before = await left()
    if (how === 'Enter on the button') await approve(page).focus()
    if (how === 'a and Enter') await page.keyboard.press('a')
    for (const gap of [0, ...gaps]) {
      await pause(gap)
      if (how === 'mouse') await page.mouse.click(spot.x, spot.y)
      else await page.keyboard.press('Enter')
    }
    await page
      .getByText(/^Approved: tool pay\./)
      .first()
      .waitFor()
    await pause(300)
    expect(await left()).toBe(before - 1)
    await page.close()
  })

  it.each(shareOf([60, 350, 600, 150], 4))(
    'are not made by a press %i ms after another request has come',
    async (gap) => {
      const { page, spot } = await opened()
      const before = await left()
      await page.keyboard.press('j')
      await pause(gap)
      await page.mouse.click(spot.x, spot.y)
      await pause(gap)
      await page.mouse.click(spot.x, spot.y)
      await pause(300)
      expect(await left()).toBe(before)
      await page.close()
    },
  )

  it('show in place what came of them, to screen readers as well, until the person moves on', async () => {
    const { page } = await opened()
    const item = new URL(page.url()).searchParams.get('item')
    await approve(page).click()
    const panel = page.getByRole('region', { name: 'The request' })
    await panel.getByText('Approved: tool pay. The run went on, and has completed.').waitFor()
    await panel.getByText(`by ${studio.service.identity.id}`).waitFor()
    await panel.getByRole('link', { name: /open the run/ }).waitFor()
    expect(new URL(page.url()).searchParams.get('item')).toBe(item)
    expect(await page.evaluate('document.activeElement.textContent')).toBe('tool pay')
    await expect
      .poll(() => page.getByRole('status', { name: 'What became of it' }).textContent())
      .toBe('Approved: tool pay. The run went on, and has completed.')
    await panel.getByRole('button', { name: /^Next request/ }).click()
    await approve(page).waitFor()
    expect(new URL(page.url()).searchParams.get('item')).not.toBe(item)
    await page.close()
  })

  it('are never offered in the place of an answered or unknown request: its link says who answered it', async () => {
    const [request] = await studio.service.approvals()
    await studio.service.approve(request!.id, { reason: 'The customer called.' })
    const page = await studio.open(`/inbox?item=${request!.id}`)
    await page.getByText(new RegExp(`^Already approved by ${studio.service.identity.id} at `)).waitFor()
    await page.getByText('Reason: The customer called.').waitFor()
    expect(await approve(page).count()).toBe(0)
    await page.keyboard.press('a')
    await page.keyboard.press('Enter')
    const before = await left()
    await page.goto(page.url().replace(request!.id, 'long-gone-ap9'))
    await page.getByText('There is no such request').waitFor()
    expect(await approve(page).count()).toBe(0)
    expect(await left()).toBe(before)
    await page.close()
  })

  it('stay those of the open request when another person answers it', async () => {
    const { page } = await opened()
    const item = new URL(page.url()).searchParams.get('item')!
    await studio.service.reject(item, 'Twice.')
    await page.getByText(/^Already denied by /).waitFor()
    expect(new URL(page.url()).searchParams.get('item')).toBe(item)
    await page.close()
  })

  it('are made for all that match a filter over their arguments, in four clicks and one request', async () => {
    const { page } = await opened()
    await page.getByRole('searchbox').fill('"to"')
    await page.getByText('Nothing matches').waitFor()
    await page.getByRole('searchbox').fill('customer 5')
    const lines = page.getByRole('region', { name: 'What waits' }).getByRole('listitem')
    await expect.poll(() => lines.first().textContent()).toMatch(/amount: 1\d\d, to: customer \d/)
    const [matching, before] = [await lines.count(), await left()]
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') asked.push(withoutPlace(request.url()))
    })
    await page.getByRole('checkbox', { name: /^Select all/ }).check()
    await page.getByRole('button', { name: `Decide ${matching} calls` }).click()
    await page.getByRole('button', { name: 'Approve each once' }).click()
    await page.getByRole('heading', { name: `${matching} calls approved; their runs go on.` }).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    expect(asked).toEqual(['/api/approvals'])
    await expect.poll(left).toBe(before - matching)
    await page.close()
  })

  it.runIf(isSweep)('of forty-five requests take three clicks', async () => {
    const { page } = await opened()
    await page.getByRole('checkbox', { name: /^Select all/ }).check()
    await page.getByRole('button', { name: /^Decide \d+ calls/ }).click()
    await page.getByRole('button', { name: 'Approve each once' }).click()
    await page.getByRole('heading', { name: /calls? approved/ }).waitFor()
    await expect.poll(left).toBe(0)
    await page.close()
  })
})
