import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/help/commands.ts'
import { CHROMIUM, launchChromium } from '../browser/chromium.fixture.ts'
import { announceSkip, isFull } from '../rotation.ts'
import { readSubpaths } from '../tidy/api.ts'
import { publicNames } from '../tidy/public-names.ts'
import { parseSource, root } from '../tidy/sources.ts'
import { deadLinks, pagesIn, serveFolder } from './site.fixture.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Not asked: the name of the search button and the roles of code blocks are Starlight's own; a table may have no word for what its first column is. */
const AXE_OPTIONS = {
  rules: Object.fromEntries(
    ['label-content-name-mismatch', 'landmark-unique', 'empty-table-header'].map((rule) => [rule, { enabled: false }]),
  ),
}
const SCROLLABLE_BY_KEYBOARD =
  '[...document.querySelectorAll("pre, .sl-markdown-content table")].every((one) => one.scrollWidth <= one.clientWidth || one.tabIndex === 0)'

interface Found {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
}

const dist = join(root, 'site/dist')
// Installing takes about a minute: only where that was asked for and time is no object.
const mayInstall = isFull && process.env['MANDATE_INSTALL'] === '1'
const isInstalled = existsSync(join(root, 'site/node_modules/astro')) || mayInstall
if (!isInstalled) announceSkip('the site of the documents (its packages are not installed)', 'npm run docs, then again')

describe.skipIf(!isInstalled)('the site of the documents', () => {
  beforeAll(() => {
    const ran = spawnSync(process.execPath, [join(root, 'scripts/docs/build.ts')], { cwd: root, encoding: 'utf8' })
    if (ran.status !== 0) throw new Error(`npm run docs failed: ${ran.stderr}${ran.stdout}`)
  }, 240_000)

  test('has a page for every document, and every link inside it leads somewhere', () => {
    const pages = pagesIn(dist)
    expect(pages.length).toBeGreaterThan(60)
    expect(pages.flatMap((page) => deadLinks(dist, page)).join('\n')).toBe('')
  })

  test('has llms.txt, whose links are files, and all pages in llms-full.txt', () => {
    const links = [...readFileSync(join(dist, 'llms.txt'), 'utf8').matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link!)
    expect(links.length).toBeGreaterThan(40)
    expect(links.filter((link) => !existsSync(join(dist, link)))).toEqual([])
    const full = readFileSync(join(dist, 'llms-full.txt'), 'utf8')
    expect(links.filter((link) => link.endsWith('.md') && !full.includes(`/${link}\n`))).toEqual([])
  })

  test('the reference has every public name of every subpath with a sentence, and every command', () => {
    const page = (name: string): string => readFileSync(join(dist, 'reference', `${name}.md`), 'utf8')
    const missing = [...readSubpaths()].flatMap(([subpath, path]) => {
      const label = subpath.replace('.', 'mandate')
      const text = page(label.replace('/', '-'))
      const names = publicNames(parseSource(path, readFileSync(join(root, path), 'utf8')))
      return names.filter((name) => !text.includes(`\n### ${name}\n`)).map((name) => `${label}: ${name}`)
    })
    expect(missing).toEqual([])
    const bare = [...readSubpaths().keys()].flatMap((subpath) => {
      const [shown = ''] = page(subpath.replace('.', 'mandate').replace('/', '-')).split('\n## Types that these use')
      return [...shown.matchAll(/^### (\S+)\n\n(?=```|\||Also has)/gm)].map(([, name]) => `${subpath}: ${name}`)
    })
    expect(bare).toEqual([])
    expect([...COMMANDS.keys()].filter((name) => !page('commands').includes(`\n### mandate ${name}\n`))).toEqual([])
  })

  describe.skipIf(CHROMIUM === undefined)('in a browser', () => {
    let browser: Browser
    let server: Awaited<ReturnType<typeof serveFolder>>
    beforeAll(async () => {
      browser = await launchChromium()
      server = await serveFolder(dist, '/')
    })
    afterAll(async () => {
      await browser?.close()
      await server?.close()
    })

    /** Opens a page and collects what it asks of other hosts, and its errors. */
    async function open(path: string): Promise<{ page: Page; strange: string[] }> {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
      const strange: string[] = []
      page.on('request', (request) => {
        if (!request.url().startsWith(server.origin) && !request.url().startsWith('data:')) strange.push(request.url())
      })
      page.on('pageerror', (error) => strange.push(error.message))
      page.on('response', (response) => {
        if (response.status() >= 400) strange.push(`${response.status()} ${response.url()}`)
      })
      await page.goto(`${server.origin}${path}`, { waitUntil: 'networkidle' })
      return { page, strange }
    }

    test('a search finds a page and leads to it, without a request to another host', async () => {
      const { page, strange } = await open('/')
      await page.keyboard.press('Control+k')
      await page.getByRole('textbox', { name: 'Search' }).fill('fencing token lease')
      const first = page.locator('.pagefind-ui__result-link').first()
      await first.waitFor()
      const title = await first.textContent()
      await first.click()
      await page.waitForURL((url) => url.pathname !== '/')
      expect(await page.locator('h1').first().textContent()).toContain(title?.split(' > ')[0])
      expect(strange).toEqual([])
      await page.close()
    })

    test.each(['light', 'dark'] as const)('axe objects to no page, in %s', async (colorScheme) => {
      const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 800 } })
      const found: string[] = []
      for (const path of ['/', '/tutorial/', '/guarantees/journal/', '/comparison/', '/reference/commands/']) {
        await page.goto(`${server.origin}${path}`)
        // What can be scrolled can be reached by keyboard: scripts of the page see to it once they know how wide it is.
        await page.waitForFunction(SCROLLABLE_BY_KEYBOARD)
        await page.evaluate(AXE)
        const { violations } = await page.evaluate<Found>(`axe.run(${JSON.stringify(AXE_OPTIONS)})`)
        found.push(...violations.map(({ id, nodes }) => `${path} ${id}: ${nodes[0]?.html}`))
      }
      expect(found).toEqual([])
      await page.close()
    })

    test.each([1280, 390])('no page is wider than a window of %d pixels, in light and dark', async (width) => {
      const { page, strange } = await open('/')
      await page.setViewportSize({ width, height: 800 })
      const backgrounds = new Set<string>()
      for (const theme of ['light', 'dark']) {
        await page.evaluate((name) => localStorage.setItem('starlight-theme', name), theme)
        for (const path of ['/', '/tutorial/', '/guarantees/', '/comparison/', '/reference/mandate/']) {
          await page.goto(`${server.origin}${path}`)
          const seen = await page.evaluate(() => ({
            overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
            background: getComputedStyle(document.body).backgroundColor,
          }))
          expect(seen.overflow, path).toBe(0)
          backgrounds.add(seen.background)
        }
      }
      expect(backgrounds.size).toBe(2)
      expect(strange).toEqual([])
      await page.close()
    })
  })
})
