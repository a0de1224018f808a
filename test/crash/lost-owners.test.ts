import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../../src/core/index.ts'
import { readAll } from '../../src/journal/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { has } from '../servers/servers.ts'
import { newSchema } from '../stores/postgres.fixture.ts'
import { RUNS, openStore, ownerKernel } from './owner.fixture.ts'
import type { OwnerTask } from './owner.fixture.ts'

const DAY = 86_400_000
const program = fileURLToPath(new URL('./owner.fixture.ts', import.meta.url))
const flags = ['--conditions=mandate-source', '--disable-warning=ExperimentalWarning']

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-lost-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'world'), '')
  return folder
}

function opened(store: OwnerTask['store']): Journal {
  const journal = openStore(store)
  onTestFinished(() => journal.close())
  return journal
}

function linesOf(world: string): string[] {
  return readFileSync(world, 'utf8').split('\n').slice(0, -1)
}

interface Owner {
  /** Resolves when it has stopped itself. */
  readonly stopped: Promise<void>
  /** What it says at its end. */
  readonly ended: Promise<string>
  goOn(): void
}

function startOwner(task: OwnerTask): Owner {
  const child = spawn(process.execPath, [...flags, program, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += String(piece)))
  const ended = new Promise<string>((resolve) => child.on('close', () => resolve(said)))
  const stopped = vi.waitFor(() => expect(said).toContain('stopped'), { timeout: 20_000, interval: 5 })
  return { stopped, ended, goOn: () => void child.kill('SIGCONT') }
}

async function checkJournals(journal: Journal): Promise<void> {
  for (const run of RUNS) {
    const entries = await readAll(journal, run)
    expect(entries.filter(({ type }) => type === 'run-end').length, run).toBe(1)
  }
  // The calls that were queued had not begun: only the one that was under way is in doubt.
  const asked = (await readAll(journal, 'queue')).filter(({ type }) => type === 'approval-request')
  expect(asked.map(({ key }) => key)).toEqual(['tool'])
}

const stores = [
  { name: 'SQLite', isThere: true, open: async (folder: string) => ({ path: join(folder, 'journal.db') }) },
  { name: 'Postgres', isThere: has('postgres'), open: newSchema },
]

describe.each(stores.filter(({ isThere }) => isThere))('an owner that lost its runs, on $name', ({ name, open }) => {
  test('stopped, taken over and continued, it touches nothing that it had waited to do', async () => {
    const folder = newFolder()
    const task: OwnerTask = { store: await open(folder), world: join(folder, 'world'), leaseMs: 1_500 }
    const journal = opened(task.store)
    const owner = startOwner(task)
    await owner.stopped
    expect(linesOf(task.world).toSorted()).toEqual(['first queue/tool 1', 'first retry/tool 1'])
    const taker = ownerKernel(journal, { file: task.world, name: 'second' }, 60_000)
    const outcomes = await vi.waitFor(() => Promise.all(RUNS.map((run) => taker.resume(run))), {
      timeout: 10_000,
      interval: 50,
    })
    expect(outcomes.map(({ state }) => state)).toEqual(RUNS.map(() => 'completed'))
    const done = linesOf(task.world)
    writeFileSync(`${task.world}.go`, '')
    owner.goOn()
    const said = JSON.parse((await owner.ended).replace('stopped', '')) as string[]
    expect(linesOf(task.world).slice(done.length)).toEqual([])
    expect(done.filter((line) => line.startsWith('second')).map((line) => line.split(' ')[1])).toEqual(
      expect.arrayContaining(['queue/tool#2', 'queue/tool#3', 'retry/tool', 'approval/tool', 'timer/tool']),
    )
    for (const message of said) expect(message).toContain('was taken over by another owner')
    await checkJournals(journal)
  })

  test('healthy, and met by a taker whose clock is a day ahead, every call happens once', async () => {
    const folder = newFolder()
    const store = await open(folder)
    const [file, go] = [join(folder, 'world'), Promise.withResolvers<void>()]
    let isOver = false
    void go.promise.then(() => (isOver = true))
    const first = ownerKernel(opened(store), { file, name: 'first', until: () => isOver }, 30_000)
    const ended = first.run({ kind: 'program', name: 'queue', input: null, runId: 'queue', seed: 'q' }).then(
      ({ state }) => state,
      (error: { code?: string }) => error.code,
    )
    await vi.waitFor(() => expect(linesOf(file)).toEqual(['first queue/tool 1']), { timeout: 10_000 })
    const ahead = { ...systemClock, now: () => systemClock.now() + DAY }
    const taken = await ownerKernel(opened(store), { file, name: 'second' }, 30_000, ahead)
      .resume('queue')
      .then(
        ({ state }) => state,
        (error: { code?: string }) => error.code,
      )
    go.resolve()
    // A server has one clock for all; on a file the runs can be taken, and then the first owner stops.
    expect([taken, await ended]).toEqual(
      name === 'Postgres' ? ['LEASE_HELD', 'completed'] : ['completed', 'LEASE_LOST'],
    )
    const keys = linesOf(file).map((line) => line.split(' ')[1]!)
    expect(keys.toSorted((a, b) => a.localeCompare(b))).toEqual(['queue/tool', 'queue/tool#2', 'queue/tool#3'])
  })
})
