import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AgentService } from 'mandate'
import { GENESIS, headOf } from 'mandate/journal'
import { hashEffect } from '../src/journal/index.ts'
import type { Entry, Journal } from 'mandate/journal'
import { scripted } from 'mandate/model'
import { Kernel } from 'mandate/kit'
import { openStore } from 'mandate/sqlite'
import { forgeEntry } from '../src/testing/index.ts'
import type { ForgedDraft } from '../src/testing/index.ts'
import { median } from './harness.ts'
import type { Section } from './report.ts'

const RUNS = 100_000
const WAITING = 20_000
const PAGE = 50
const ROUNDS = 9
const GOAL_MS = 300
const BATCH = 500

/** Returns the entries of a run as written by a kernel, whose call waits for a person or was performed. */
function entriesOf(run: string, at: number, isWaiting: boolean): Entry[] {
  const input = { order: run, amount: 10 }
  const call = { kind: 'tool', name: 'refund', input, hash: hashEffect('tool', 'refund', input) }
  const decision = { verdict: 'ask', rule: 'risk', reason: 'it pays money', risk: 'write' }
  const start = { protocol: 1, mind: 'agent', name: 'clerk', sessionId: run, input: 'Refund it.', seed: '1', depth: 0 }
  const identity = { id: 'ana', roles: ['owner'] }
  const wakeAt = at + 86_400_000
  const asked = {
    ...call,
    asked: call.hash,
    reason: 'approval',
    rule: 'risk',
    text: 'it pays money',
    expiresAt: wakeAt,
  }
  const end = { outcome: { status: 'ok', value: 'done' }, spent: {}, durationMs: 1 }
  const rest: Omit<ForgedDraft, 'at'>[] = isWaiting
    ? [
        { type: 'approval-request', key: 'turn:1/tool:1', data: asked },
        { type: 'run-suspend', data: { reason: 'approval', pending: [], wakeAt, activeMs: 1 } },
      ]
    : [
        { type: 'effect-start', key: 'turn:1/tool:1', data: { ...call, decision, reserved: {}, repeatable: false } },
        { type: 'effect-end', key: 'turn:1/tool:1', data: end },
        { type: 'run-end', data: { state: 'completed', activeMs: 1, spent: {} } },
      ]
  const first = { type: 'run-start', data: { ...start, identity, durability: 'sync', budget: {}, pins: {} } } as const
  let head = GENESIS
  return [first, ...rest].map((draft) => {
    const entry = forgeEntry(run, head, { ...draft, at }, 'salt')
    head = headOf(entry)
    return entry
  })
}

async function fill(journal: Journal): Promise<void> {
  const now = Date.now() - RUNS
  for (let from = 0; from < RUNS; from += BATCH) {
    const numbers = Array.from({ length: BATCH }, (_, index) => from + index)
    await Promise.all(
      numbers.map(async (number) => {
        const run = `run_${String(number).padStart(7, '0')}`
        const lease = await journal.acquire({ run, owner: 'bench', ttlMs: 60_000, now: 0 })
        await journal.append(lease, 0, entriesOf(run, now + number, number % (RUNS / WAITING) === 0))
        await journal.release(lease)
      }),
    )
  }
}

async function timed(work: () => unknown, rounds: number = ROUNDS): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const from = process.hrtime.bigint()
    await work()
    times.push(Number(process.hrtime.bigint() - from) / 1e6)
  }
  return median(times)
}

function command(dir: string): void {
  const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))
  const args = ['--conditions=mandate-source', main, 'inbox', '--limit', String(PAGE), '--dir', dir]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`mandate inbox failed: ${stderr}`)
}

/** Checks that the time to read a page of the inbox does not depend on the number of waiting requests. */
export async function inbox(): Promise<Section> {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-bench-inbox-'))
  try {
    const filling = await openStore({ dir })
    await fill(filling.journal)
    await filling.close()
    const opening = await timed(async () => (await openStore({ dir })).close())
    const store = await openStore({ dir })
    const kernel = new Kernel({ journal: store.journal })
    const page = await timed(() => kernel.inbox({ limit: PAGE }))
    const one = await timed(() => kernel.approvals('run_0050000'))
    const runs = await timed(() => store.journal.list({ limit: PAGE }))
    await kernel.stop()
    const firstRun = await timed(async () => {
      const service = new AgentService({
        agents: [{ id: 'greeter', model: scripted(['Hello.']) }],
        journal: store.journal,
      })
      await service.run('greeter', 'Say hello.')
      await service.stop()
    }, 3)
    await store.close()
    const told = await timed(() => command(dir), 5)
    const empty = mkdtempSync(join(tmpdir(), 'mandate-bench-empty-'))
    await (await openStore({ dir: empty })).close()
    const bare = await timed(() => command(empty), 5)
    rmSync(empty, { recursive: true, force: true })
    return {
      tables: [
        {
          title: `A store of ${RUNS.toLocaleString('en')} runs, ${WAITING.toLocaleString('en')} of them waiting for people (SQLite)`,
          columns: ['ms'],
          rows: [
            [`a page of the inbox, ${PAGE} requests`, page],
            ['the approvals of one run', one],
            [`a page of the list of runs, ${PAGE}`, runs],
            ['opening the store', opening],
            ['the first run of a process', firstRun],
            ['`mandate inbox`, from sources', told],
            ['`mandate inbox` in an empty store, from sources', bare],
          ],
        },
      ],
      goals: [
        { name: 'ms for a page of the inbox', measured: page, atMost: GOAL_MS },
        { name: 'ms for the approvals of one run', measured: one, atMost: GOAL_MS },
      ],
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
