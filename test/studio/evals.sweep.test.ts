import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { baselineOf, evaluate } from '../../src/evals/index.ts'
import type { EvalReport, EvalSuite } from '../../src/evals/index.ts'
import { scripted } from '../../src/model/index.ts'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { openStudio, serveStudio, useStudio } from './studio.fixture.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const suite: EvalSuite = {
  name: 'weather',
  agent: { id: 'weather', model: scripted(() => 'It is grey.') },
  repeat: 3,
  tasks: [
    { id: 'oslo', input: 'How is Oslo?', tags: ['smoke'], checks: ["text.includes('grey')"] },
    { id: 'rome', input: 'How is Rome?', checks: ["text.includes('grey')", 'steps == 1'] },
  ],
}

describe.skipIf(CHROMIUM === undefined)('evals in the studio', { timeout: 60_000 }, () => {
  let worse: EvalReport
  const studio = useStudio({
    service: async () => {
      const service = new AgentService()
      const before = await evaluate(suite, { service })
      const blue = { id: 'weather', model: scripted(() => 'It is blue.') }
      worse = await evaluate({ ...suite, agent: blue }, { service, baseline: baselineOf(before) })
      return service
    },
  })

  it('are listed with their success, and lead to their tasks and attempts, which are in no list of runs', async () => {
    const page = await studio.open()
    await page.locator('main h1, main h2').first().waitFor()
    expect(await page.locator('main').innerText()).not.toContain(worse.id)
    await page.keyboard.press('g')
    await page.keyboard.press('e')
    await page.getByRole('heading', { name: 'Evals' }).waitFor()
    expect(await page.locator('main tbody tr').count()).toBe(2)
    expect(await page.locator('main tbody tr').first().innerText()).toMatch(
      /failed[\s\S]*2 worse[\s\S]*0 % \(0–39\), 0 of 6/,
    )
    await page.locator('main tbody a').first().click()
    await page.getByText('oslo: success worse, 1 → 0').waitFor()
    expect(await page.getByRole('region', { name: 'Attempts' }).innerText()).toContain(
      "text.includes('grey'): it does not hold",
    )
    await page.getByText('rome #3').waitFor()
    expect(await page.getByRole('link', { name: 'rome #3' }).count()).toBe(0)
    expect(page.faults).toEqual([])
  })

  it.each(['light', 'dark'] as const)('are pages that axe does not object to, in %s', async (colorScheme) => {
    const page = await openStudio(await studio.browser.newContext({ colorScheme }), studio.served)
    for (const path of ['/evals', `/evals/${worse.id}`, '/evals/eval_none']) {
      await page.goto(`${studio.served.url}${path}`)
      await page.locator('h1, [role=alert]').first().waitFor()
      await page.evaluate(AXE)
      const { violations } = (await page.evaluate('axe.run()')) as {
        violations: { id: string; nodes: { html: string }[] }[]
      }
      expect(violations.map(({ id, nodes }) => `${path}: ${id} ${nodes[0]?.html}`)).toEqual([])
    }
  })

  it('says what to do where there are none', async () => {
    const empty = new AgentService()
    const other = await serveStudio(empty)
    const page = await openStudio(studio.context, other, '/evals')
    await page.getByText('No evals yet').waitFor()
    await page.getByText('mandate eval from-run <run>').waitFor()
    expect(page.faults).toEqual([])
    await other.close()
    await empty.stop()
  })
})
