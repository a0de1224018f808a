import { describe, expect, it } from 'vitest'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { useStudio } from './studio.fixture.ts'
import { typed } from './typed-command.ts'

const PLACES = [
  '/',
  '/runs/demo-injection?at=9',
  '/runs/demo-refund',
  '/runs/demo-injection?tab=journal&at=3',
  '/inbox',
  '/compare',
  '/compare?a=demo-hello&b=demo-small-refund',
  '/compare?a=demo-hello&b=replay',
  '/agents/greeter',
  '/policy?tool=refund',
  '/evals',
  '/workers',
  '/doctor',
]

describe.skipIf(CHROMIUM === undefined)('the commands that the studio names', { timeout: 120_000 }, () => {
  const studio = useStudio()

  it('are commands that there are, with options that they take, on every page', async () => {
    const page = await studio.open()
    const seen = new Set<string>()
    for (const place of PLACES) {
      await page.goto(`${studio.served.url}${place}`)
      await page.getByRole('heading').first().waitFor()
      const lines = page.locator('[class*=twin] code')
      // Where something stands for what a person would write, there is no command yet.
      for (const line of (await lines.allTextContents()).filter((text) => !/[<…]/.test(text)))
        for (const { command } of typed(line)) seen.add(command)
    }
    const requests = await studio.service.approvals()
    for (const { id } of requests) {
      await page.goto(`${studio.served.url}/inbox?item=${id}`)
      const lines = page.getByLabel('The request').locator('[class*=twin] code')
      await lines.first().waitFor()
      for (const line of await lines.allTextContents()) for (const { command } of typed(line)) seen.add(command)
    }
    expect([...seen]).toEqual(expect.arrayContaining(['approve', 'deny', 'answer', 'resume', 'runs', 'diff', 'replay']))
    await page.close()
  })
})
