import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { listEvals } from '../../src/evals/index.ts'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { openStudio, useStudio } from './studio.fixture.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const PAGES = [
  '/',
  '/inbox',
  '/inbox?item=long-gone-ap9',
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
  '/agents?tab=prompts',
  '/agents/greeter',
  '/costs',
  '/evals',
  '/workers',
  '/policy?tool=refund',
  '/doctor',
]

/** What has to be done to see it: dialogs, and forms that are filled in. */
const DONE: readonly (readonly [path: string, what: (page: Page) => Promise<void>])[] = [
  [
    '/runs/demo-small-refund?at=5',
    async (page) => {
      await page.getByRole('heading', { name: '#5' }).waitFor()
      await page.keyboard.press('f')
      await page.locator('dialog[open] textarea').waitFor()
    },
  ],
  [
    '/runs/demo-hello',
    async (page) => {
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.keyboard.press('r')
      await page.locator('dialog[open] button').first().click()
      await page.locator('dialog[open]').getByText('Identical: 2 effects').waitFor()
    },
  ],
  [
    '/inbox',
    async (page) => {
      await page.getByRole('checkbox', { name: 'Select publish' }).check()
      await page.getByRole('button', { name: 'Decide 1' }).click()
      await page.locator('dialog[open]').getByText('Approve each once').waitFor()
    },
  ],
  [
    '/runs/demo-destructive',
    async (page) => {
      await page.getByRole('button', { name: /^cancel/ }).click()
      await page.locator('dialog[open]').getByRole('button', { name: 'Cancel the run' }).waitFor()
    },
  ],
  [
    '/agents/support',
    async (page) => {
      await page.getByLabel('Message').fill('The customer wants order A-17 back, $80.')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: /^Approve/ }).click()
      await page.getByRole('log').getByLabel('The answer of a person').waitFor()
      await page.getByRole('log').getByText('The $80 are on their way.').waitFor()
    },
  ],
  [
    '/inbox',
    async (page) => {
      // Another one in each theme.
      await page
        .getByRole('region', { name: 'What waits' })
        .getByRole('button', { name: /^(?:refund|post_update)/ })
        .first()
        .click()
      await page.getByRole('button', { name: /^Approve/ }).click()
      await page
        .getByText(/^Approved: /)
        .first()
        .waitFor()
    },
  ],
  [
    '/',
    async (page) => {
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.keyboard.press('?')
      await page.locator('dialog[open]').getByRole('heading', { name: 'Keys' }).waitFor()
    },
  ],
  [
    '/costs',
    async (page) => {
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.keyboard.press('Control+k')
      await page.locator('dialog[open] [role=option]').first().waitFor()
    },
  ],
  [
    '/compare',
    async (page) => {
      await page.getByLabel('Prompt').fill('Which pot?')
      await page.getByText("mandate run greeter 'Which pot?'").waitFor()
    },
  ],
  [
    '/policy?tool=refund',
    async (page) => {
      await page.getByLabel('Input, as JSON').fill('{oops')
      await page.getByText('with names in double quotes').waitFor()
    },
  ],
  [
    '/doctor',
    async (page) => {
      await page.getByRole('button', { name: 'Verify every run' }).click()
      await page.getByRole('table', { name: 'What was stopped or changed' }).waitFor()
    },
  ],
]

interface Found {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
}

describe.skipIf(CHROMIUM === undefined)('the studio for everyone', { timeout: 120_000 }, () => {
  const studio = useStudio()

  it.each(['light', 'dark'] as const)(
    'has no page that axe objects to, in %s and at 200 % of the size',
    async (colorScheme) => {
      const context = await studio.browser.newContext({
        colorScheme,
        viewport: { width: 640, height: 400 },
        deviceScaleFactor: 2,
      })
      const page = await openStudio(context, studio.served)
      const found: string[] = []
      const [cell] = await studio.service.runs({ sessionId: 'demo-notebook', limit: 1 })
      const [report] = await listEvals(studio.service)
      const shown = (): Promise<void> =>
        page.getByRole('heading', { level: 1 }).or(page.getByLabel('Message')).first().waitFor()
      for (const [path, what] of [
        ...[...PAGES, `/runs/${cell!.run}?tab=notebook`, `/evals/${report!.id}`].map((each) => [each, shown] as const),
        ...DONE,
      ]) {
        await page.goto(`${studio.served.url}${path}`)
        await what(page)
        // As a tester would: scripts of the page itself could not be added like this.
        await page.evaluate(AXE)
        const { violations } = (await page.evaluate('axe.run()')) as Found
        found.push(...violations.map(({ id, nodes }) => `${path} ${id} ${nodes[0]?.html}`))
        if (
          await page.evaluate(
            'document.documentElement.scrollWidth > innerWidth + 1 || main.scrollWidth > main.clientWidth',
          )
        )
          found.push(`${path} is wider than the window`)
      }
      await context.close()
      expect(found).toEqual([])
    },
  )

  it('frames what is selected, and keeps what is drawn, where the system chooses the colours', async () => {
    const page = await studio.open('/runs/demo-injection?at=9')
    await page.locator('[role=treeitem][aria-selected=true]').waitFor()
    const styleOf = (selector: string, name: string): Promise<string> =>
      page.evaluate(
        `getComputedStyle(document.querySelector('[role=treeitem][aria-selected=true]${selector}')).${name}`,
      )
    const drawn = await styleOf(' .drawn', 'backgroundColor')
    expect(await styleOf('', 'outlineStyle')).toBe('none')
    await page.emulateMedia({ forcedColors: 'active' })
    expect(await styleOf('', 'outlineStyle')).toBe('solid')
    expect(await styleOf(' .drawn', 'backgroundColor')).toBe(drawn)
    await page.close()
  })
})
