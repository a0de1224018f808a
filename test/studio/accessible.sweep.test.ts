import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AgentService } from '../../src/agent/index.ts'
import { demoService } from '../../src/cli/studio/demo.ts'
import { CHROMIUM, launchChromium } from '../browser/chromium.fixture.ts'
import { openStudio, serveStudio } from './studio.fixture.ts'
import type { ServedStudio } from './studio.fixture.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const PAGES = [
  '/',
  '/inbox',
  '/runs/demo-injection?at=9',
  '/runs/demo-refund?tab=chat',
  '/runs/demo-team',
  '/runs/demo-doubt',
  '/runs/demo-large-model?tab=chat',
  '/runs/demo-graph?tab=graph',
  '/runs/demo-refund?tab=state&at=10',
  '/runs/demo-refund?tab=journal',
  '/compare?a=demo-hello&b=demo-refund',
  '/agents',
  '/agents/greeter',
  '/costs',
  '/evals',
  '/workers',
  '/policy?tool=refund',
  '/doctor',
]

interface Found {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
}

describe.skipIf(CHROMIUM === undefined)('the studio for everyone', { timeout: 120_000 }, () => {
  let browser: Browser
  let demo: AgentService
  let studio: ServedStudio

  beforeAll(async () => {
    const [started, service] = await Promise.all([launchChromium(), demoService()])
    browser = started
    demo = service
    studio = await serveStudio(demo)
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await studio?.close()
    await demo?.stop()
  })

  it.each(['light', 'dark'] as const)(
    'has no page that axe objects to, in %s and at 200 % of the size',
    async (colorScheme) => {
      const context = await browser.newContext({
        colorScheme,
        viewport: { width: 640, height: 400 },
        deviceScaleFactor: 2,
      })
      const page = await openStudio(context, studio)
      const found: string[] = []
      for (const path of PAGES) {
        await page.goto(`${studio.url}${path}`)
        await page.getByRole('heading', { level: 1 }).or(page.getByLabel('Message')).first().waitFor()
        // As a tester would: scripts of the page itself could not be added like this.
        await page.evaluate(AXE)
        const { violations } = (await page.evaluate('axe.run()')) as Found
        found.push(...violations.map(({ id, nodes }) => `${path} ${id} ${nodes[0]?.html}`))
        if (await page.evaluate('document.documentElement.scrollWidth > innerWidth + 1'))
          found.push(`${path} is wider than the window`)
      }
      await context.close()
      expect(found).toEqual([])
    },
  )
})
