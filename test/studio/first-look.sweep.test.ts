import { describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { openStudio, serveStudio, useStudio } from './studio.fixture.ts'

describe.skipIf(CHROMIUM === undefined)('what the pages of the studio say first', { timeout: 60_000 }, () => {
  const studio = useStudio()

  it('lists a run with what it was asked and spent, and folds those that belong to it', async () => {
    const page = await studio.open()
    const team = page.locator('tbody tr', { hasText: 'demo-team' })
    await team.getByRole('cell', { name: /^How many orders does ana have/ }).waitFor()
    expect(await team.textContent()).toContain('~$0.0070')
    expect(await page.getByText('fact-finder').count()).toBe(0)
    await team.getByRole('button', { name: '2 runs' }).click()
    await page.getByText('fact-finder').waitFor()
    expect(await page.getByText(/^run_/).count()).toBe(0)
    expect(page.faults).toEqual([])
    await page.close()
  })

  it('makes a sample run where there is nothing yet, and opens it', async () => {
    const service = new AgentService()
    const empty = await serveStudio(service)
    const page = await openStudio(studio.context, empty)
    await page.getByRole('button', { name: 'Create a sample run' }).click()
    await page.locator('main header').getByText('The Brown Betty pours best. It costs $29.').waitFor()
    await page.getByRole('treeitem').getByText('look_up_price', { exact: true }).waitFor()
    expect(page.faults).toEqual([])
    await page.close()
    await empty.close()
    await service.stop()
  })

  it('says what was verified in a table with a link to each call that was stopped', async () => {
    const page = await studio.open('/doctor')
    await page.getByText(process.version).waitFor()
    await page.getByText('in memory').waitFor()
    await page.getByRole('button', { name: 'Verify every run' }).click()
    await page.getByText(/[23]\d runs and \d+ entries were read\. Every hash chain is intact\./).waitFor()
    await page.getByRole('link', { name: 'demo-injection #8' }).click()
    await page.waitForURL(/demo-injection\?at=8/)
    expect(page.faults).toEqual([])
    await page.close()
  })

  it('shows rules of agents and the last denials, and says how an input is written before it is asked about', async () => {
    const page = await studio.open('/policy?tool=refund')
    await page.getByRole('region', { name: 'Last denials' }).getByRole('link', { name: 'send_email' }).waitFor()
    const rules = page.getByRole('region', { name: 'Rules of agents' })
    await rules.getByText('support', { exact: true }).click()
    await rules.getByText('A person looks at refunds above $50.').first().waitFor()
    await page.getByLabel('Input, as JSON').fill('{oops')
    await page.getByText('with names in double quotes').waitFor()
    expect(await page.getByRole('button', { name: 'Ask the gate' }).isDisabled()).toBe(true)
    await page.close()
  })

  it('begins an entry with what went in, shows hashes by their beginning, and gives a dialog a focus inside of it', async () => {
    const page = await studio.open('/runs/demo-refund?at=9')
    const panel = page.getByRole('complementary', { name: 'Selected entry' })
    await panel.getByRole('region', { name: 'Input' }).getByText('transcript', { exact: true }).waitFor()
    expect(await panel.innerText()).not.toMatch(/[0-9a-f]{64}/)
    await page.keyboard.press('f')
    await page.locator('dialog[open] input:checked').first().waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('radio')
    await page.close()
  })

  it('says at once what is not there, with a way on', async () => {
    const page = await studio.open('/agents/nobody')
    await page.getByText('There is no agent nobody here').waitFor()
    expect(await page.getByLabel('Message').count()).toBe(0)
    await page.getByRole('link', { name: 'all agents' }).click()
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
    let asked = 0
    page.on('request', (request) => void (asked += request.url().includes('/api/evals/') ? 1 : 0))
    await page.goto(`${studio.served.url}/evals/nothing`)
    await page.getByText('There is no report of an eval "nothing" here').waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    // What was refused is not asked again: it would only be told later.
    expect(asked).toBe(1)
    await page.getByRole('main').getByRole('link', { name: 'Evals' }).click()
    await page.getByRole('heading', { level: 1, name: 'Evals' }).waitFor()
    await page.goto(`${studio.served.url}/runs/nothing`)
    await page.getByText('There is no run "nothing"').waitFor()
    await page.getByRole('link', { name: 'All runs' }).click()
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    expect(await page.title()).toBe('(6) Runs · Mandate Studio')
    await page.close()
  })

  it('says in the list why a run failed, and finds runs by what they were asked', async () => {
    const page = await studio.open('/?filter=state:failed')
    await page.getByRole('row', { name: /demo-budget.*failed LIMIT_EXCEEDED/ }).waitFor()
    await page.getByRole('row', { name: /demo-failed.*failed MODEL_FAILED/ }).waitFor()
    await page.goto(`${studio.served.url}/?filter=which%20use`)
    const found = page.getByRole('row', { name: /how do I use it/ })
    await found.first().waitFor()
    expect(await page.getByRole('row').count()).toBe((await found.count()) + 1)
    await page.getByLabel('Filter runs').fill('provider answered 500')
    await page.getByRole('row', { name: /demo-failed/ }).waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
    await page.close()
  })

  it('shows a node of a graph that makes one call in one line', async () => {
    const page = await studio.open('/runs/demo-graph')
    const lines = page.getByRole('treeitem')
    await lines.first().waitFor()
    expect(await lines.count()).toBe(5)
    expect(await lines.first().innerText()).toMatch(/node dig:2[\s\S]*model[\s\S]*scripted\/small[\s\S]*<\$0\.0001/)
    await page.close()
  })
})
