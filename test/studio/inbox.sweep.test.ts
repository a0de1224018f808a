import { describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { scripted } from '../../src/model/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { openStudio, serveStudio, useStudio } from './studio.fixture.ts'
import { typed } from './typed-command.ts'

describe.skipIf(CHROMIUM === undefined)('the inbox', { timeout: 60_000 }, () => {
  const studio = useStudio()

  it('says of a request who asks, how long it waits, and the way of the data that a rule is about', async () => {
    const news = (await studio.service.approvals()).find(({ run }) => run === 'demo-news')
    const page = await studio.open(`/inbox?item=${news!.id}`)
    const panel = page.getByLabel('The request')
    await panel.getByText('Made from').waitFor()
    await panel.getByText('waits for a person').waitFor()
    const { name } = await studio.service.summary('demo-news')
    expect(await panel.locator('dl').textContent()).toContain(`${name} with `)
    expect(await panel.locator('dl').textContent()).toMatch(/\d+[smhd] ago/)
    expect(await page.locator('[aria-current=true]').textContent()).toMatch(/\d+[smhd] ago/)
    await page.close()
  })

  it('finds requests by tool, rule and age, and clears a filter that nothing matches', async () => {
    const page = await studio.open('/inbox?filter=rule:large older:10m')
    await page.getByRole('heading', { name: 'tool refund' }).waitFor()
    expect(await page.getByRole('region', { name: 'What waits' }).getByRole('listitem').count()).toBe(1)
    await page.getByRole('searchbox').fill('older:900d')
    await page.getByText('0 of 6 match').waitFor()
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await expect.poll(() => page.getByRole('region', { name: 'What waits' }).getByRole('listitem').count()).toBe(6)
    await page.close()
  })

  it('shows what an edit changes, and names the command that approves it as edited', async () => {
    const refund = (await studio.service.approvals()).find(({ run }) => run === 'demo-refund')
    const page = await studio.open(`/inbox?item=${refund!.id}`)
    await page.getByRole('button', { name: 'edit the arguments' }).click()
    const edit = { ...(refund!.input as object), amount: 1 }
    await page.getByLabel('Arguments to run instead').fill(JSON.stringify(edit))
    await page.locator('pre [data-sign="+"]', { hasText: '"amount": 1' }).waitFor()
    const lines = await page.getByLabel('The request').locator('[class*=twin] code').allTextContents()
    expect(typed(lines[0]!)[0]!.flags.edit).toBe(JSON.stringify(edit))
    expect(lines.flatMap(typed).map(({ command }) => command)).toEqual(['approve', 'resume', 'deny', 'resume'])
    await page.close()
  })

  it('shows the arguments of each of several calls, and one number of them', async () => {
    const page = await studio.open('/inbox')
    const boxes = page.locator('input[type=checkbox]')
    await boxes.first().waitFor()
    for (const box of await boxes.all()) await box.check()
    const calls = (await studio.service.approvals()).filter(({ reason }) => reason === 'approval')
    await page.getByRole('button', { name: `Decide ${calls.length} calls` }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading', { name: `Decide ${calls.length} calls` }).waitFor()
    for (const { input } of calls)
      for (const name of Object.keys(input as object))
        expect(await dialog.getByText(name, { exact: true }).count()).toBeGreaterThan(0)
    await page.close()
  })

  it('counts all that wait, also beyond the first page of them', async () => {
    const waits = defineTool({ name: 'send', risk: 'write', needsApproval: true, run: () => 'sent' })
    const service = new AgentService({
      agents: [
        {
          id: 'sender',
          tools: [waits],
          model: scripted(Array.from({ length: 130 }, () => ({ toolCalls: [{ name: 'send', input: {} }] }))),
        },
      ],
    })
    for (let index = 0; index < 130; index++) await service.run('sender', 'Send.', { runId: `sends-${index}` })
    const served = await serveStudio(service)
    const page = await openStudio(studio.context, served, '/inbox')
    await page.getByRole('heading', { name: 'Inbox (130)' }).waitFor()
    expect(await page.getByRole('link', { name: /^Inbox/ }).textContent()).toBe('Inbox130')
    await page.close()
    await served.close()
    await service.stop()
  })
})
