// Takes screenshots of every page of the studio with the demo runs, in both themes:
// `node --conditions=mandate-source scripts/screenshots.ts [folder] [width] [page …]`.
// Without a folder it replaces those of docs/images, as WebP. For another folder it writes PNG, for inspection.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FleetReport } from '../src/engine/index.ts'
import { listEvals } from '../src/evals/index.ts'
import { workersPart } from '../src/server/index.ts'
import { CHROMIUM } from '../test/browser/chromium.fixture.ts'
import { StudioInBrowser, openStudio } from '../test/studio/studio.fixture.ts'

const IMAGES = join(import.meta.dirname, '../docs/images')
const QUALITY = 70
/** The address of each page, and a text that the page shows when it is loaded. */
const PAGES: Readonly<Record<string, readonly [path: string, shown: string]>> = {
  runs: ['/', 'demo-refund'],
  run: ['/runs/demo-injection?at=9', 'Gate: deny'],
  chat: ['/runs/demo-large-model?tab=chat', 'Which pot?'],
  graph: ['/runs/demo-graph?tab=graph', '×4'],
  notebook: ['/runs/notebook?tab=notebook', 'dear'],
  state: ['/runs/demo-refund?tab=state&at=10', 'effects under way'],
  journal: ['/runs/demo-refund?tab=journal&at=11', 'approval-request'],
  team: ['/runs/demo-team', 'fact-finder'],
  doubt: ['/runs/demo-doubt', 'charge_card'],
  inbox: ['/inbox?item=demo-refund-ap11', 'A person looks at refunds'],
  compare: ['/compare?a=demo-large-model&b=demo-small-model', 'changed'],
  agents: ['/agents', 'greeter'],
  'agent-chat': ['/agents/adviser?session=conversation', 'Four minutes.'],
  costs: ['/costs', 'adviser'],
  evals: ['/evals', 'advice about tea pots'],
  eval: ['/evals/eval', 'as-a-table'],
  policy: ['/policy?tool=refund', 'What would the gate decide?'],
  workers: ['/workers', 'vm-1:4711'],
  doctor: ['/doctor', 'Journals'],
}

async function shoot(
  { browser, served }: StudioInBrowser,
  { folder, width, names, cell, report, conversation }: Shooting,
): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: width < 600 ? 844 : 800 } })
    const page = await openStudio(context, served)
    const client = await context.newCDPSession(page)
    await client.send('Emulation.setScrollbarsHidden', { hidden: true })
    for (const name of names) {
      const [path, shown] = PAGES[name]!
      await page.goto(
        `${served.url}${path
          .replace('/runs/notebook', `/runs/${cell}`)
          .replace('/evals/eval', `/evals/${report}`)
          .replace('=conversation', `=${conversation}`)}`,
      )
      await page
        .getByText(shown)
        .or(page.getByLabel(shown))
        .filter({ visible: true })
        .first()
        .waitFor({ timeout: 5_000 })
        .catch(() => console.error(`${name}: nothing says ${shown}`))
      await page.evaluate('new Promise((done) => setTimeout(done, 900))')
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
      const file = join(folder, `studio-${name}-${colorScheme}`)
      if (folder !== IMAGES) await page.screenshot({ path: `${file}-${width}.png` })
      else {
        const { data } = await client.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
        writeFileSync(`${file}.webp`, Buffer.from(data, 'base64'))
      }
    }
    if (page.faults.length > 0) console.error(page.faults.join('\n'))
    await context.close()
  }
}

interface Shooting {
  readonly folder: string
  readonly width: number
  readonly names: readonly string[]
  /** The id of a run that is a cell. */
  readonly cell: string
  /** The id of the latest eval report. */
  readonly report: string
  /** The id of a conversation of two turns. */
  readonly conversation: string
}

/** Talks with an agent, and returns the id of the conversation. */
async function talked(): Promise<string> {
  const page = await studio.open('/agents/adviser')
  for (const [text, answer] of [
    ['Which tea pot is the best, and how do I use it?', 'Which pot?'],
    ['And how long?', 'Four minutes.'],
  ] as const) {
    await page.getByLabel('Message').fill(text)
    await page.keyboard.press('Enter')
    await page.getByRole('log').getByText(answer).first().waitFor()
  }
  await page.close()
  return new URL(page.url()).searchParams.get('session')!
}

const [folder = IMAGES, width = '1280', ...wanted] = process.argv.slice(2)
if (CHROMIUM === undefined) throw new Error('Needs chromium.')
mkdirSync(folder, { recursive: true })
/** Returns a fixed report of workers, because real workers need a database. */
const fleet = (): FleetReport => {
  const now = Date.now()
  const worker = (id: string, place: string, running: number, startedAt: number) => ({
    ...{
      id,
      place,
      engine: 'dbos' as const,
      version: '0.1.0',
      state: 'up' as const,
      running,
      concurrency: 50,
      queues: ['default'],
    },
    ...{ minds: ['agent/support', 'agent/researcher'], startedAt, seenAt: now - 1_000 },
  })
  return {
    workers: [worker('w1', 'vm-1:4711', 12, now - 7_200_000), worker('w2', 'vm-2:4712', 3, now - 3_600_000)],
    queues: [{ name: 'default', queued: 4, running: 15, delayed: 1, lagMs: 420, isOrphan: false }],
    held: [{ run: 'demo-news', reason: 'no worker knows agent/newsdesk', since: now - 600_000 }],
  }
}
const workers = workersPart({ report: () => Promise.resolve(fleet()), close: () => Promise.resolve() })
const studio = await new StudioInBrowser().start({ parts: [workers] })
const { service } = studio
const cell = (await service.runs({ sessionId: 'demo-notebook', limit: 1 }))[0]!.run
await shoot(studio, {
  folder,
  width: Number(width),
  names: wanted.length === 0 ? Object.keys(PAGES) : wanted,
  cell,
  report: (await listEvals(service))[0]!.id,
  conversation: await talked(),
})
await studio.close()
