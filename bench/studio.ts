import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AgentService, defineTool } from 'mandate'
import { newToken } from 'mandate/server'
import { runProgram, script } from 'mandate/vm'
import { chromium } from 'playwright-core'
import type { Page } from 'playwright-core'
import { httpServer, studioPart } from '../src/server/index.ts'
import type { Section } from './report.ts'

const CHROMIUM = '/usr/bin/chromium'
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']
const APPENDS = 1_000
const APPEND_EVERY_MS = 5
const MB = 1_048_576

/** What the page of the studio takes for long runs, in Debian's Chromium without a graphics card. */
export async function studio(): Promise<Section> {
  const folder = fileURLToPath(new URL('../dist/studio', import.meta.url))
  if (!existsSync(CHROMIUM) || !existsSync(folder)) throw new Error('Needs chromium, and npm run build:studio.')
  let isLive = false
  const note = defineTool({
    name: 'note',
    risk: 'read',
    run: () => (isLive ? new Promise((resolve) => setTimeout(() => resolve('noted'), 2 * APPEND_EVERY_MS)) : 'noted'),
  })
  const service = new AgentService({ tools: [note] })
  const work = (calls: number): string => `for (let i = 0; i < ${calls}; i++) await tools.note({ i }); return 'done'`
  const run = (runId: string, calls: number): Promise<unknown> =>
    runProgram(service, script(work(calls)), {}, { runId, fuel: 1e9 })
  await run('long', 5_000)
  await run('longer', 50_000)
  const part = studioPart({ folder, secret: newToken(), identity: service.identity })
  const server = httpServer(service, { authenticate: part.authenticate, parts: [part] })
  const { url } = await server.listen({ port: 0 })
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
  try {
    const page = await browser.newPage({ viewport: { width: 1_280, height: 800 } })
    await page.goto(await part.link(url))
    await opened(page, `${url}/runs/long`)
    const long = await opened(page, `${url}/runs/long`)
    const longer = await opened(page, `${url}/runs/longer`)
    isLive = true
    const live = run('live', APPENDS / 2)
    await page.goto(`${url}/runs/live?tab=journal`)
    const frames = (await page.evaluate(MEASURE_FRAMES)) as number[]
    await live
    frames.sort((a, b) => a - b)
    return section(long, longer, frames)
  } finally {
    await browser.close()
    await server.close()
    await service.stop()
  }
}

interface Opened {
  readonly ms: number
  readonly nodes: number
  readonly heapMb: number
}

/** From the navigation to the first rows. */
async function opened(page: Page, address: string): Promise<Opened> {
  await page.goto(address)
  await page.locator('[role=treeitem]').first().waitFor()
  const ms = (await page.evaluate('performance.now()')) as number
  const nodes = (await page.evaluate('document.querySelectorAll("*").length')) as number
  const client = await page.context().newCDPSession(page)
  const { usedSize } = (await client.send('Runtime.getHeapUsage')) as { usedSize: number }
  return { ms, nodes, heapMb: usedSize / MB }
}

/** The times between frames for four seconds. */
const MEASURE_FRAMES = `new Promise((resolve) => {
  const frames = []
  let last = performance.now()
  const end = last + 4000
  const step = (now) => {
    frames.push(now - last)
    last = now
    now < end ? requestAnimationFrame(step) : resolve(frames)
  }
  requestAnimationFrame(step)
})`

function section(long: Opened, longer: Opened, frames: readonly number[]): Section {
  const at = (share: number): number => frames[Math.min(frames.length - 1, Math.floor(frames.length * share))]!
  const row = (name: string, { ms, nodes, heapMb }: Opened): readonly [string, number, number, number] => [
    name,
    ms,
    nodes,
    heapMb,
  ]
  return {
    tables: [
      {
        title: 'The page of the studio',
        note: 'Chromium without a graphics card; browser and server share the cores.',
        columns: ['ms to the first rows', 'elements', 'MB of heap'],
        rows: [row('10,000 entries', long), row('100,000 entries', longer)],
      },
      {
        title: 'Frames while entries come',
        note: `${APPENDS} entries, about ${1_000 / APPEND_EVERY_MS} a second.`,
        columns: ['ms p50', 'ms p95', 'ms longest'],
        rows: [['journal, live', at(0.5), at(0.95), at(1)]],
      },
    ],
    goals: [
      { name: 'ms to the first rows of 10,000 entries', measured: long.ms, atMost: 300 },
      { name: 'elements for 10,000 entries', measured: long.nodes, atMost: 1_500 },
      { name: 'longest frame in ms while 200 entries a second come', measured: at(1), atMost: 50 },
    ],
  }
}
