import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { useStudio } from './studio.fixture.ts'

/** The walks of docs/studio.md, click by click: what a person does who has read nothing, beginning at the list of runs. */
describe.skipIf(CHROMIUM === undefined)('a stranger in the demonstration', { timeout: 60_000 }, () => {
  const studio = useStudio({ context: { viewport: { width: 1_280, height: 800 } } })

  const opened = async (): Promise<Page> => {
    const page = await studio.open()
    await page.getByText('demo-refund').first().waitFor()
    return page
  }

  it('answers an approval: Inbox, the refund, Approve', async () => {
    const page = await opened()
    await page.getByRole('link', { name: /^Inbox/ }).click()
    await page.getByRole('button', { name: /refund.*A person looks at refunds/ }).click()
    await page.getByText('A person looks at refunds above $50.').last().waitFor()
    await page.getByRole('button', { name: /^Approve/ }).click()
    await expect
      .poll(async () => (await studio.service.summary('demo-refund')).state, { timeout: 10_000 })
      .toBe('completed')
    await page.getByText('Approved: tool refund. The run went on, and has completed.').first().waitFor()
    await page.close()
  })

  it('finds why a run was denied something: the run, the line that says denied', async () => {
    const page = await opened()
    await page.getByRole('link', { name: /researcher/ }).click()
    await page.getByRole('treeitem', { name: /^tool send_email/ }).click()
    await page.getByText('Gate: deny').waitFor()
    await page.getByText('The rule "recipient" keeps untrusted:* from it').first().waitFor()
    await page.getByText('source', { exact: true }).waitFor()
    expect(new URL(page.url()).searchParams.get('at')).toBe('9')
    await page.close()
  })

  it('forks at the result of a tool: the run, the line of the tool, fork here, another result', async () => {
    const page = await opened()
    await page.getByRole('link', { name: /support-lead demo-small-refund/ }).click()
    await page.getByRole('treeitem', { name: /^tool refund/ }).click()
    await page
      .getByRole('button', { name: /fork here/ })
      .first()
      .click()
    await page.getByText('It performs effects and spends money').waitFor()
    await page.getByLabel(/gave instead, as JSON/).fill('{"refunded":false}')
    await page.getByRole('button', { name: 'Fork, and spend' }).click()
    await page.waitForURL((url) => !url.pathname.endsWith('/demo-small-refund'))
    const id = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1)!)
    await expect.poll(async () => (await studio.service.summary(id)).state).toBe('completed')
    expect(JSON.stringify(await studio.service.messages(id))).toContain('"refunded":false')
    await page.getByText('fork of').waitFor()
    await page.close()
  })

  it('answers all that wait: Inbox, Select all, Decide, Approve each once', async () => {
    const page = await opened()
    await page.getByRole('link', { name: /^Inbox/ }).click()
    await page.getByRole('checkbox', { name: /^Select all/ }).check()
    const calls = (await studio.service.approvals()).filter(({ reason }) => reason === 'approval').length
    await page.getByRole('button', { name: `Decide ${calls} calls` }).click()
    await page.getByRole('button', { name: 'Approve each once' }).click()
    await page.getByText(`${calls} calls approved; their runs go on.`).first().waitFor()
    await expect
      .poll(async () => (await studio.service.approvals()).filter(({ reason }) => reason === 'approval').length)
      .toBe(0)
    await page.close()
  })
})
