import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { scripted } from '../../src/model/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { useStudio } from './studio.fixture.ts'

const pay = defineTool({ name: 'pay', risk: 'write', needsApproval: true, run: () => 'paid' })
const payment = (amount: number) => ({ toolCalls: [{ name: 'pay', input: { amount } }] })

async function talkers(): Promise<AgentService> {
  return new AgentService({
    agents: [
      { id: 'counter', model: scripted(['First answer.', 'Second answer.', 'Third answer.']) },
      { id: 'payer', tools: [pay], model: scripted([payment(1), payment(2), 'Both are paid.', 'You are welcome.']) },
    ],
  })
}

describe.skipIf(CHROMIUM === undefined)('a chat with an agent in the studio', { timeout: 60_000 }, () => {
  const studio = useStudio({ service: talkers })
  const say = async (page: Page, text: string): Promise<void> => {
    await page.getByLabel('Message').fill(text)
    await page.getByRole('button', { name: 'Send' }).click()
  }
  const log = (page: Page) => page.getByRole('log', { name: 'Conversation' })

  it('shows all turns, also after a reload, and its model is told of them', async () => {
    const page = await studio.open('/agents/counter')
    for (const [text, answer] of [
      ['one', 'First answer.'],
      ['two', 'Second answer.'],
      ['three', 'Third answer.'],
    ] as const) {
      await say(page, text)
      await log(page).getByText(answer).waitFor()
    }
    const said = ['one', 'First answer.', 'two', 'Second answer.', 'three', 'Third answer.']
    const shown = async (): Promise<readonly string[]> => {
      const articles = await log(page).getByRole('article').allTextContents()
      return articles.map((text) => text.replace(/^(?:user|assistant)/, '').trim())
    }
    await expect.poll(shown).toEqual(said)
    await page.reload()
    await expect.poll(shown).toEqual(said)
    const session = new URL(page.url()).searchParams.get('session')!
    const [last] = await studio.service.runs({ sessionId: session })
    for await (const { type, data } of studio.service.entries(last!.run)) {
      if (type !== 'run-start') continue
      const told = JSON.stringify(data)
      for (const text of said.slice(0, 4)) expect(told).toContain(text)
    }
    await page.getByRole('link', { name: 'New conversation' }).click()
    await page.getByRole('region', { name: 'Earlier conversations' }).getByRole('link', { name: 'one' }).click()
    await expect.poll(shown).toEqual(said)
    expect(page.faults).toEqual([])
    await page.close()
  })

  it('approves one request with one decision, says who did, and goes on', async () => {
    const page = await studio.open('/agents/payer')
    await say(page, 'Pay both.')
    const approve = page.getByRole('button', { name: /^Approve/ })
    for (const amount of [1, 2]) {
      await page.getByRole('region', { name: 'The request' }).getByText(String(amount), { exact: true }).waitFor()
      await approve.and(page.locator(':enabled')).waitFor()
      const { x, y } = (await approve.boundingBox())!
      for (const gap of [0, 250, 450]) {
        await new Promise((resolve) => setTimeout(resolve, gap))
        await page.mouse.click(x + 5, y + 5)
      }
      await expect.poll(() => log(page).getByLabel('The answer of a person').count()).toBe(amount)
      if (amount === 1) expect(await studio.service.approvals()).toHaveLength(1)
    }
    await log(page).getByText('Both are paid.').waitFor()
    expect(await log(page).getByLabel('The answer of a person').first().textContent()).toMatch(
      new RegExp(`approved.*pay by ${studio.service.identity.id}`),
    )
    await say(page, 'Thanks.')
    await log(page).getByText('You are welcome.').waitFor()
    await log(page).getByText('Both are paid.').waitFor()
    await page.close()
  })
})
