import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { scripted } from '../../src/model/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { openStudio, serveStudio, useStudio } from './studio.fixture.ts'

const articles = (page: Page): Promise<number> => page.locator('[role=log] article').count()

describe.skipIf(CHROMIUM === undefined)('every view of a run', { timeout: 60_000 }, () => {
  const studio = useStudio()

  it('shows it as of the selected entry: the graph its nodes, the chat its messages', async () => {
    const page = await studio.open('/runs/demo-graph?tab=graph')
    const states = async (): Promise<string> => (await page.getByLabel('Nodes').textContent()) ?? ''
    await page.getByLabel('Nodes').waitFor({ state: 'attached' })
    await expect.poll(async () => (await states()).match(/ok/g)?.length ?? 0).toBeGreaterThan(1)
    await page.goto(`${studio.served.url}/runs/demo-graph?tab=graph&at=1`)
    await page.getByLabel('Nodes').waitFor({ state: 'attached' })
    await expect.poll(async () => (await states()).match(/ok/g)?.length ?? 0).toBe(0)
    await page.goto(`${studio.served.url}/runs/demo-injection?tab=chat`)
    await expect.poll(() => articles(page)).toBeGreaterThan(4)
    await page.goto(`${studio.served.url}/runs/demo-injection?tab=chat&at=3`)
    await expect.poll(() => articles(page)).toBe(2)
    await page.close()
  })

  it('shows no result of a call that waits, but where it is decided', async () => {
    const refund = (await studio.service.approvals()).find(({ run }) => run === 'demo-refund')
    const page = await studio.open('/runs/demo-refund?tab=chat')
    await page.locator('[role=log]').getByRole('link', { name: 'decide' }).waitFor()
    const text = await page.locator('[role=log]').textContent()
    expect(text).not.toContain('There is no result')
    await page.getByRole('link', { name: 'decide' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('item')).toBe(refund!.id)
    await page.close()
  })

  it('strikes through each member of the state that was another one, and no other', async () => {
    const page = await studio.open('/runs/demo-refund?tab=state&at=10')
    const spent = page.getByRole('row', { name: /^spent/ })
    const member = (name: string) => spent.getByRole('listitem').filter({ hasText: `${name}:` })
    await expect.poll(() => member('inputTokens').innerText()).toMatch(/inputTokens:\s*1400\s*3420/)
    expect(await member('inputTokens').locator('del').innerText()).toBe('1400')
    expect(await member('inputTokens').locator('ins').innerText()).toBe('3420')
    expect(await member('toolCalls').locator('del, ins').count()).toBe(0)
    expect(
      await page
        .getByRole('row', { name: /^effects under way/ })
        .locator('del')
        .allInnerTexts(),
    ).toEqual(['"turn:2/model"'])
    expect(await page.evaluate("getComputedStyle(document.querySelector('del')).textDecorationLine")).toBe(
      'line-through',
    )
    await page.close()
  })

  it('lists a fork by when it was made, and shows what it did in most of its axis', async () => {
    const id = await studio.service.fork('demo-small-refund', { at: 3, runId: 'made-now' })
    await studio.service.resume(id)
    const page = await studio.open()
    const first = page.locator('tbody tr').first()
    await first.getByText('made-now').waitFor()
    await page.goto(`${studio.served.url}/runs/made-now`)
    await page.locator('[role=treeitem]').first().waitFor()
    await expect.poll(() => page.getByTitle(/Nothing happened for/).count()).toBe(1)
    const { width } = (await page.locator('canvas').first().boundingBox())!
    const lanes = page.locator('[role=treeitem] [data-status]:last-child')
    const bars = await Promise.all((await lanes.all()).map((bar) => bar.boundingBox()))
    expect(Math.max(...bars.map((bar) => bar?.width ?? 0))).toBeGreaterThan(width / 10)
    await page.close()
  })
})

describe.skipIf(CHROMIUM === undefined)('a run that is followed', { timeout: 60_000 }, () => {
  const studio = useStudio()

  it('says to screen readers how much has come, and shows in a chat what waits', async () => {
    const long = Array.from({ length: 80 }, (_, line) => `Line ${line}.`).join('\n\n')
    const ask = defineTool({ name: 'send', risk: 'write', needsApproval: true, run: () => 'sent' })
    const service = new AgentService({
      agents: [
        {
          id: 'sender',
          tools: [ask],
          model: scripted([{ text: long, toolCalls: [{ name: 'send', input: { to: 'ana' } }] }, 'Sent.']),
        },
      ],
    })
    const served = await serveStudio(service)
    const page = await openStudio(studio.context, served, '/agents/sender')
    await page.getByLabel('Message').fill('Send it.')
    await page.getByRole('button', { name: 'Send' }).click()
    const approve = page.getByRole('button', { name: /^Approve/ })
    await approve.waitFor()
    await expect
      .poll(() => page.evaluate("document.querySelector('button.primary kbd').getBoundingClientRect().bottom"))
      .toBeLessThan(page.viewportSize()!.height)
    const { id } = (await service.approvals())[0]!
    const run = (await service.approvals())[0]!.run
    await page.goto(`${served.url}/runs/${run}`)
    // Only what comes from then on is told.
    await page.getByRole('button', { name: 'follow', pressed: true }).waitFor()
    await service.approve(id, { hash: (await service.approvals())[0]!.hash })
    await service.resume(run)
    await expect
      .poll(() => page.getByRole('status', { name: 'What has come' }).textContent(), { timeout: 15_000 })
      .toMatch(/^\d+ new entr/)
    await page.close()
    await served.close()
    await service.stop()
  })
})

describe.skipIf(CHROMIUM === undefined)('an address of the studio', { timeout: 60_000 }, () => {
  const studio = useStudio()

  it('has all that was asked of the gate', async () => {
    const page = await studio.open('/policy')
    await page.getByLabel('Tool').fill('refund')
    await page.getByLabel('As a call of the agent').selectOption({ index: 1 })
    await page.getByLabel('Input, as JSON').fill('{"amount": 80}')
    await page.getByLabel('Made from').fill('untrusted:web')
    await expect.poll(() => new URL(page.url()).searchParams.get('labels')).toContain('untrusted:web')
    const agent = await page.getByLabel('As a call of the agent').inputValue()
    await page.reload()
    await page.getByLabel('Tool').waitFor()
    expect(await page.getByLabel('Tool').inputValue()).toBe('refund')
    // The agents are loaded after the page.
    await expect.poll(() => page.getByLabel('As a call of the agent').inputValue()).toBe(agent)
    expect(await page.getByLabel('Input, as JSON').inputValue()).toBe('{"amount": 80}')
    expect(await page.getByLabel('Made from').inputValue()).toBe('untrusted:web')
    await page.close()
  })

  it('that leads nowhere says so on a page with the way back', async () => {
    const page = await studio.open('/')
    const answer = await page.goto(`${studio.served.url}/blah`)
    expect(answer?.status()).toBe(404)
    await page.getByText('There is no such page').waitFor()
    await page.getByRole('link', { name: 'all runs' }).click()
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    await page.close()
  })
})
