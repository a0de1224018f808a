import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { readAll, verifyEntries } from '../../src/journal/index.ts'
import { isFull } from '../rotation.ts'
import { keepServer } from '../servers/keeping.ts'
import type { KeptServer } from '../servers/keeping.ts'
import { canKeep } from '../servers/servers.ts'
import type { CrashOrder } from './crash-runner.fixture.ts'
import { openJournal } from './postgres.fixture.ts'

const RUNS = isFull ? 1_000 : 60
const STEPS = 4
const program = fileURLToPath(new URL('./crash-runner.fixture.ts', import.meta.url))
const flags = ['--conditions=mandate-source', '--disable-warning=ExperimentalWarning']

interface Ended {
  readonly signal: NodeJS.Signals | null
  readonly said: string
  readonly complaint: string
}

function start(order: CrashOrder): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [...flags, program, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  let complaint = ''
  child.stdout.on('data', (piece) => (said += String(piece)))
  child.stderr.on('data', (piece) => (complaint += String(piece)))
  const ended = new Promise<Ended>((resolve) => child.on('close', (_, signal) => resolve({ signal, said, complaint })))
  return { child, ended }
}

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').slice(0, -1)
}

/** Waits until that many effects have happened in the world; a process that ends before is one that failed. */
async function happened({ world }: CrashOrder, count: number, ended: Promise<Ended>): Promise<void> {
  const early = ended.then(({ complaint, said }) =>
    Promise.reject(new Error(`It ended too early: ${complaint || said}`)),
  )
  early.catch(() => {})
  const isEnough = (): void => expect(linesOf(world).length).toBeGreaterThanOrEqual(count)
  await Promise.race([vi.waitFor(isEnough, { timeout: 60_000, interval: 5 }), early])
}

/** Every run ended, every effect happened once, every entry that was acknowledged is there, every chain is whole. */
async function checkAll(order: CrashOrder): Promise<void> {
  const done = linesOf(order.world)
  expect(done.length - new Set(done).size, 'effects that happened twice').toBe(0)
  expect(done.length).toBe(RUNS * STEPS)
  const journal = openJournal({ url: order.url, schema: order.schema })
  const acked = Map.groupBy(
    linesOf(order.acks).map((line) => line.split(' ')),
    ([run]) => run!,
  )
  expect(acked.size).toBe(RUNS)
  for (const [run, lines] of acked) {
    const entries = await readAll(journal, run)
    expect(verifyEntries(run, entries, await journal.knownHead(run)).problems).toEqual([])
    const lost = lines.filter(([, seq, hash]) => entries[Number(seq) - 1]?.hash !== hash)
    expect(lost, `acknowledged entries of ${run} that are not there`).toEqual([])
  }
  const summaries = await journal.list({ state: 'completed', limit: Infinity })
  expect(summaries.length).toBe(RUNS)
}

describe.skipIf(!canKeep('postgres'))(`${RUNS} runs at once on a Postgres server`, () => {
  let server: KeptServer
  let count = 0
  beforeAll(async () => {
    server = await keepServer({ kind: 'postgres', isSafe: true })
  })
  afterAll(() => server.stop())

  function newOrder(): CrashOrder {
    const folder = mkdtempSync(join(tmpdir(), 'mandate-pg-crash-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const [world, acks] = [join(folder, 'world'), join(folder, 'acks')]
    for (const file of [world, acks]) writeFileSync(file, '')
    return { url: server.url, schema: `crash_${count++}`, runs: RUNS, steps: STEPS, world, acks }
  }

  const total = RUNS * STEPS

  test('the process is killed twice: nothing acknowledged is lost, nothing is done twice', async () => {
    const order = newOrder()
    for (const share of [0.2, 0.6]) {
      const { child, ended } = start(order)
      await happened(order, Math.floor(total * share), ended)
      child.kill('SIGKILL')
      expect((await ended).signal).toBe('SIGKILL')
    }
    const { said, complaint } = await start(order).ended
    expect(complaint).toBe('')
    expect(JSON.parse(said)).toEqual({ completed: RUNS })
    await checkAll(order)
  })

  test('the database crashes twice: the same process goes on, and nothing is lost or done twice', async () => {
    const order = newOrder()
    const { ended } = start(order)
    for (const share of [0.2, 0.6]) {
      await happened(order, Math.floor(total * share), ended)
      await server.crash()
      await new Promise((resolve) => setTimeout(resolve, 300))
      await server.start()
    }
    const { said, complaint } = await ended
    expect(complaint).toBe('')
    expect(JSON.parse(said)).toEqual({ completed: RUNS })
    await checkAll(order)
  })

  test('process and database die together: what comes after finds everything', async () => {
    const order = newOrder()
    const { child, ended } = start(order)
    await happened(order, Math.floor(total * 0.4), ended)
    const crash = server.crash()
    child.kill('SIGKILL')
    await Promise.all([crash, ended])
    await server.start()
    const { said, complaint } = await start(order).ended
    expect(complaint).toBe('')
    expect(JSON.parse(said)).toEqual({ completed: RUNS })
    await checkAll(order)
  })
})
