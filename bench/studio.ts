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
/** The views of a run that entries come into one by one. */
const TABS = ['timeline', 'journal'] as const
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
  const service = new AgentService({ tools: [note], mandate: { callCap: 1e9 } })
  const work = (calls: number): string => `for (let i = 0; i < ${calls}; i++) await tools.note({ i }); return 'done'`
  const run = async (runId: string, calls: number): Promise<void> => {
    await runProgram(service, script(work(calls)), {}, { runId, fuel: 1e9 })
    const { head } = await service.summary(runId)
    // Two entries for each call: a run that stopped early says nothing about long ones.
    if (head.seq < 2 * calls) throw new Error(`The run has ${head.seq} entries instead of ${2 * calls}.`)
  }
  await run('long', 5_000)
  await run('longer', 50_000)
  const part = studioPart({ folder, secret: newToken(), identity: service.identity })
  const server = httpServer(service, { authenticate: part.authenticate, parts: [part] })
  const { url: origin } = await server.listen({ port: 0 })
  const url = `${origin}${part.place}`
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
  try {
    const page = await browser.newPage({ viewport: { width: 1_280, height: 800 } })
    await page.goto(await part.link(origin))
    await page.addInitScript(NOTE_ROWS)
    const long = await opened(page, `${url}/runs/long`)
    await page.goto(`${url}/runs/long`)
    await page.evaluate(ALL_ROWS)
    const worked = await workOf(page)
    const scrolled = sorted(await page.evaluate(SCROLL_FRAMES))
    const workMs = (await worked()) / scrolled.length
    const searched = sorted(await searches(page))
    const rowBytes = (await page.evaluate(ROW_BYTES)) as number
    const longer = await opened(page, `${url}/runs/longer`)
    isLive = true
    const appended: Record<string, readonly number[]> = {}
    for (const tab of TABS) {
      const live = run(`live-${tab}`, APPENDS / 2)
      await page.goto(`${url}/runs/live-${tab}?tab=${tab}`)
      // How a page opens has a figure of its own.
      await page.evaluate(ROWS_AT)
      appended[tab] = sorted(await page.evaluate(MEASURE_FRAMES))
      await live
    }
    return section({ long, longer, scrolled, workMs, searched, rowBytes, appended })
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

const OPENINGS = 7

/** From the navigation to the frame that shows the first rows: the median of several, after one that fills the caches. */
async function opened(page: Page, address: string): Promise<Opened> {
  const times: number[] = []
  for (let opening = 0; opening <= OPENINGS; opening += 1) {
    await page.goto(address)
    const rowsAt = (await page.evaluate(ROWS_AT)) as number
    if (opening > 0) times.push(rowsAt)
  }
  const nodes = (await page.evaluate('document.querySelectorAll("*").length')) as number
  const client = await page.context().newCDPSession(page)
  const { usedSize } = (await client.send('Runtime.getHeapUsage')) as { usedSize: number }
  return { ms: times.toSorted((a, b) => a - b)[OPENINGS >> 1]!, nodes, heapMb: usedSize / MB }
}

/** Asked from outside, a page that loads answers late: it notes for itself when the frame with the first rows is done. */
const NOTE_ROWS = `new MutationObserver((_, watch) => {
  if (document.querySelector('[role=treeitem], [role=option]') === null) return
  watch.disconnect()
  requestAnimationFrame(() => setTimeout(() => (globalThis.rowsAt = performance.now())))
}).observe(document, { childList: true, subtree: true })`

const ROWS_AT = `new Promise((done) => {
  const look = () => (globalThis.rowsAt === undefined ? setTimeout(look, 20) : done(rowsAt))
  look()
})`

/** What the main thread of the page does from now on, in ms of processor time: whatever else the machine does. */
async function workOf(page: Page): Promise<() => Promise<number>> {
  const client = await page.context().newCDPSession(page)
  await client.send('Performance.enable', { timeDomain: 'threadTicks' })
  const now = async (): Promise<number> => {
    const { metrics } = await client.send('Performance.getMetrics')
    return 1_000 * metrics.find(({ name }) => name === 'TaskDuration')!.value
  }
  const before = await now()
  return async () => (await now()) - before
}

/** When all 5,000 lines are there: pages of entries come one after the other behind the first rows. */
const ALL_ROWS = `new Promise((done) => {
  const look = () =>
    document.querySelector('[role=tree]')?.offsetHeight >= 5000 * 28 ? setTimeout(done, 200) : setTimeout(look, 20)
  look()
})`

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

/** The times between frames while the rows are scrolled as fast as a wheel turns. */
const SCROLL_FRAMES = `new Promise((resolve) => {
  const box = document.querySelector('[role=tree]').parentElement
  const frames = []
  const steps = 180
  let last = performance.now()
  let done = 0
  const step = (now) => {
    frames.push(now - last)
    last = now
    done += 1
    box.scrollTop += 120
    done < steps ? requestAnimationFrame(step) : resolve(frames)
  }
  requestAnimationFrame(step)
})`

const SEARCHED = ['tool:note', 'error', 'note ok', 'nothing of the kind', 'call:9']

/** From a text in the filter of the timeline to the frame that shows the matching lines. */
async function searches(page: Page): Promise<number[]> {
  const times: number[] = []
  const search = async (text: string, shown: string | null): Promise<number> =>
    (await page.evaluate(`(${SEARCH})(${JSON.stringify(text)}, ${JSON.stringify(shown)})`)) as number
  const settled = async (text: string): Promise<string> => {
    await search(text, null)
    await page.waitForTimeout(500)
    return (await page.evaluate(SHOWN)) as string
  }
  const all = await settled('')
  for (const text of SEARCHED) {
    // What it shows is known from a first search, which is not counted.
    const shown = await settled(text)
    await search('', all)
    times.push(await search(text, shown))
    await search('', all)
  }
  return times
}

/** The height of the list, or the text in its place. */
const SHOWN = `String(document.querySelector('[role=tree]')?.offsetHeight ?? document.querySelector('main').textContent.length)`

/** Sets the text of the filter at once. The property is set on the element itself, so that React notices the change. */
const SEARCH = `(text, shown) => new Promise((resolve) => {
  const input = document.querySelector('main input[type=search]')
  const began = performance.now()
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, text)
  input.dispatchEvent(new Event('input', { bubbles: true }))
  const isDone = () =>
    new URLSearchParams(location.search).get('filter') === (text === '' ? null : text) &&
    (shown === null || ${SHOWN} === shown)
  const look = () =>
    isDone() ? requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began))) : setTimeout(look, 1)
  look()
})`

/** What a page of the outline weighs, by entry. */
const ROW_BYTES = `fetch('/api/runs/long/outline?from=1&limit=2000')
  .then((answer) => answer.text())
  .then((text) => text.length / JSON.parse(text).entries.length)`

function sorted(times: readonly number[]): readonly number[] {
  return times.toSorted((a, b) => a - b)
}

function share(times: readonly number[], part: number): number {
  return times[Math.min(times.length - 1, Math.floor(times.length * part))]!
}

interface Measured {
  readonly long: Opened
  readonly longer: Opened
  readonly scrolled: readonly number[]
  /** Of the main thread, by frame while it is scrolled. */
  readonly workMs: number
  readonly searched: readonly number[]
  readonly rowBytes: number
  /** By the view that the entries come into. */
  readonly appended: Readonly<Record<string, readonly number[]>>
}

function section({ long, longer, scrolled, workMs, searched, rowBytes, appended }: Measured): Section {
  const row = (name: string, { ms, nodes, heapMb }: Opened): readonly [string, number, number, number] => [
    name,
    ms,
    nodes,
    heapMb,
  ]
  const shares = (name: string, times: readonly number[]): readonly [string, number, number, number] => [
    name,
    share(times, 0.5),
    share(times, 0.95),
    share(times, 1),
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
        title: 'Frames and searches of the studio',
        note: `Frames while 10,000 entries are scrolled, and while ${APPENDS} come, about ${1_000 / APPEND_EVERY_MS} a second; texts typed into the filter of 10,000 entries.`,
        columns: ['ms p50', 'ms p95', 'ms longest'],
        rows: [
          shares('timeline, scrolled', scrolled),
          ...TABS.map((tab) => shares(`${tab}, live`, appended[tab]!)),
          shares('timeline, searched', searched),
        ],
      },
      {
        title: 'What the main thread of the studio does in a frame',
        note: 'Scripts, styles, layout and painting while 10,000 entries are scrolled.',
        columns: ['ms by frame'],
        rows: [['timeline, scrolled', workMs]],
      },
      {
        title: 'What an entry weighs on its way to the studio',
        note: 'Before compression.',
        columns: ['bytes of a row'],
        rows: [['outline of 2,000 entries', rowBytes]],
      },
    ],
    goals: [
      { name: 'ms to the first rows of 10,000 entries', measured: long.ms, atMost: 300 },
      { name: 'elements for 10,000 entries', measured: long.nodes, atMost: 1_500 },
      { name: 'MB of heap for 10,000 entries', measured: long.heapMb, atMost: 120 },
      { name: 'bytes of a row of the outline', measured: rowBytes, atMost: 300 },
      { name: 'ms p95 of a frame while 10,000 entries are scrolled', measured: share(scrolled, 0.95), atMost: 16.7 },
      { name: 'ms of the main thread by frame while 10,000 entries are scrolled', measured: workMs, atMost: 8 },
      { name: 'longest ms of a search over 10,000 entries', measured: share(searched, 1), atMost: 100 },
      {
        name: 'longest frame in ms while 200 entries a second come',
        measured: Math.max(...TABS.map((tab) => share(appended[tab]!, 1))),
        atMost: 50,
      },
    ],
  }
}
