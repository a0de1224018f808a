import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { isEnded, readAll } from '../../src/journal/index.ts'
import { scripted } from '../../src/model/index.ts'
import { httpServer } from '../../src/server/index.ts'
import type { HttpServer } from '../../src/server/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { openPlace } from '../contracts/answer-race-place.ts'
import type { Place } from '../contracts/answer-race-place.ts'
import { isSweep } from '../rotation.ts'
import { has } from '../servers/servers.ts'
import { newSchema } from '../stores/postgres.fixture.ts'

const flags = ['--conditions=mandate-source', '--disable-warning=ExperimentalWarning']
const program = fileURLToPath(new URL('./owner.fixture.ts', import.meta.url))

interface Owner {
  readonly child: ChildProcess
  readonly lines: string[]
  readonly notes: string
}

function startOwner(place: Place, notes: string): Owner {
  const child = fork(program, [JSON.stringify(place), notes], {
    execArgv: flags,
    silent: true,
    // Most of what so short a process does is load its modules.
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'mandate-cancel-compile') },
  })
  const lines: string[] = []
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (piece) => lines.push(...String(piece).split('\n').filter(Boolean)))
  return { child, lines, notes }
}

const TOKEN = 'token-of-the-owner-0001'

/** What says by itself that it has begun to wait. */
const WAITING = ['model', 'tool', 'child', 'node', 'last']

const until = <T>(look: () => T | Promise<T>) => vi.waitFor(look, { timeout: 20_000, interval: 10 })

const stores = [
  { name: 'SQLite', isThere: true, open: async (folder: string): Promise<Place> => ({ path: join(folder, 'j.db') }) },
  { name: 'Postgres', isThere: has('postgres'), open: (): Promise<Place> => newSchema() },
]

interface Bench {
  readonly owner: Owner
  readonly journal: Journal
  /** It knows none of the agents, programs and graphs that it cancels. */
  readonly service: AgentService
  readonly server: HttpServer
  readonly faults: string[]
}

const folder = mkdtempSync(join(tmpdir(), 'mandate-cancel-'))
const benches = new Map<string, Bench>()

async function openBench({ name, open }: (typeof stores)[number]): Promise<void> {
  const place = await open(folder)
  const owner = startOwner(place, join(folder, `notes-${name}`))
  const journal = openPlace(place)
  const service = new AgentService({ journal })
  const faults: string[] = []
  service.events.on('engine-fault', ({ data }) => faults.push(JSON.stringify(data)))
  const server = httpServer(service, { tokens: [{ token: TOKEN, identity: { id: 'ana', roles: ['owner'] } }] })
  benches.set(name, { owner, journal, service, server, faults })
  await until(() => expect(owner.lines).toEqual(expect.arrayContaining(WAITING.map((each) => `waiting ${each}`))))
  const kinds = async () => (await service.runs()).map(({ mind }) => mind)
  await until(async () => expect(await kinds()).toEqual(expect.arrayContaining(['cell', 'program'])))
  const isCalling = async (): Promise<boolean> =>
    (await readAll(journal, 'mcp')).some(({ key, type }) => type === 'effect-start' && key?.includes('tool') === true)
  await until(async () => expect(await isCalling()).toBe(true))
}

/** As a client of the other process's HTTP API would. */
async function cancelOverHttp(server: HttpServer, runId: string): Promise<number> {
  const headers = { host: '127.0.0.1', authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ reason: 'no longer needed' })
  const url = `http://127.0.0.1/api/runs/${runId}/cancel`
  return (await server.fetch(new Request(url, { method: 'POST', headers, body }))).status
}

/** SQLite in the short suite, Postgres in the sweep. */
const possible = stores.filter(({ isThere, name }) => isThere && (name === 'Postgres') === (isSweep && has('postgres')))

beforeAll(() => Promise.all(possible.map(openBench)), 60_000)

afterAll(async () => {
  for (const { owner, service, server, journal } of benches.values()) {
    owner.child.kill('SIGKILL')
    await server.close()
    await service.stop()
    await journal.close()
  }
  rmSync(folder, { recursive: true, force: true })
})

describe.each(possible)('cancelled through another process, over $name', ({ name: store }) => {
  let owner: Owner
  let journal: Journal
  let service: AgentService
  let server: HttpServer
  let faults: string[]

  beforeAll(() => {
    ;({ owner, journal, service, server, faults } = benches.get(store)!)
  })

  /** Cancels it, and waits until its process has ended it: by that alone, since none of the runs would ever do anything more. */
  async function cancelled(runId: string, name = runId): Promise<string> {
    expect(await cancelOverHttp(server, runId)).toBe(202)
    await until(() => expect(owner.lines.some((line) => line.startsWith(`ended ${name}`))).toBe(true))
    const before = await readAll(journal, runId)
    expect(before.at(-1)).toMatchObject({ type: 'run-end', data: { state: 'cancelled' } })
    await service.cancel(runId, 'once more')
    expect(await readAll(journal, runId)).toEqual(before)
    return (await journal.summary(runId))!.state
  }

  test('the stream of a model is cut', async () => {
    expect(await cancelled('model')).toBe('cancelled')
    expect(owner.lines).toContain('cut model')
  })

  test('a tool gets its signal', async () => {
    expect(await cancelled('tool')).toBe('cancelled')
    expect(owner.lines).toContain('cut tool')
  })

  test('a child run ends with its parent', async () => {
    expect(await cancelled('child')).toBe('cancelled')
    expect(owner.lines).toContain('cut child')
    expect((await service.runs({ parent: 'child' })).map(({ state }) => state)).toEqual(['cancelled'])
  })

  test('a program that only computes stops', async () => {
    expect(await cancelled('program')).toBe('cancelled')
  })

  test('a cell that only computes stops', async () => {
    const cell = (await service.runs()).find(({ mind }) => mind === 'cell')
    expect(await cancelled(cell!.run, 'cell')).toBe('cancelled')
  })

  test('a node of a graph gets its signal', async () => {
    expect(await cancelled('node')).toBe('cancelled')
    expect(owner.lines).toContain('cut node')
  })

  test('an MCP server is told that its call is cancelled', async () => {
    expect(await cancelled('mcp')).toBe('cancelled')
    await until(() => expect(readFileSync(owner.notes, 'utf8')).toMatch(/cancelled/))
  })

  test('a run that ends by itself at the same moment has one end, and it stays', async () => {
    const ends = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        const runId = `brief-${at}`
        owner.child.send(runId)
        await until(async () => expect(await journal.summary(runId)).toBeDefined())
        await service.cancel(runId, 'raced')
        await until(async () => expect(isEnded((await journal.summary(runId))!.state)).toBe(true))
        const entries = await readAll(journal, runId)
        expect(entries.filter(({ type }) => type === 'run-end')).toEqual([entries.at(-1)])
        const { state } = (await journal.summary(runId))!
        expect(entries.at(-1)).toMatchObject({ data: { state } })
        return state
      }),
    )
    expect(ends.every((state) => state === 'completed' || state === 'cancelled')).toBe(true)
  })

  test('a run whose process died is cancelled by the other, when its lease has expired', async () => {
    const died = new AgentService({ journal, agents: [{ id: 'brief', model: scripted(['Brief.']) }] })
    owner.child.send('crash')
    await until(() => expect(owner.child.exitCode ?? owner.child.signalCode).not.toBeNull())
    await died.cancel('last', 'its process is gone')
    await until(async () => expect((await journal.summary('last'))!.state).toBe('cancelled'))
    await died.stop()
    // That another process has a run is nothing to report.
    expect(faults).toEqual([])
  })
})
