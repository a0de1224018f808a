import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { manualClock, seededRandom } from '../../src/core/index.ts'
import { exportRun, importRun, memoryJournal } from '../../src/journal/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { Kernel } from '../../src/run/index.ts'
import { keyRing } from '../../src/store/postgres/index.ts'
import { newKey } from '../../src/store/encryption/key-ring.ts'
import { sqliteJournal } from '../../src/store/sqlite/index.ts'
import { sampleRun } from '../../src/testing/index.ts'
import type { Tool } from '../../src/tool/index.ts'
import { minds } from '../crash/minds.ts'
import { has } from '../servers/servers.ts'
import { newSchema, openJournal, store } from './postgres.fixture.ts'

function sqlite(): Journal {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-same-'))
  const journal = sqliteJournal({ path: join(folder, 'journal.db') })
  onTestFinished(async () => {
    await journal.close()
    rmSync(folder, { recursive: true })
  })
  return journal
}

async function linesOf(journal: Journal, run: string): Promise<string[]> {
  const lines: string[] = []
  for await (const line of exportRun(journal, run)) lines.push(line)
  return lines
}

/** Answers at once: what comes first must not depend on how fast a store is. */
function tool(name: string, more: Partial<Tool> = {}): Tool {
  return {
    name,
    inputSchema: {},
    risk: 'read',
    validate: (input) => ({ valid: true, value: input }),
    run: (input) => `${name} did ${String(input)}`,
    ...more,
  }
}

/** A run of the crash test, with chains, a child's approvals and effects of both kinds; clock and chance are the test's. */
async function runOn(journal: Journal, seed: number): Promise<string[][]> {
  const kernel = new Kernel({
    journal,
    clock: manualClock(1_000_000),
    random: seededRandom(`salts ${seed}`),
    onApproval: async () => ({ answer: 'approve' }),
  })
  for (const mind of minds) kernel.registry.registerMind(mind)
  for (const one of [tool('act'), tool('look', { idempotent: true }), tool('deploy', { needsApproval: true })])
    kernel.registry.registerTool(one)
  const outcome = await kernel.run({
    kind: 'program',
    name: 'child',
    input: `run ${seed}`,
    runId: `run_${seed}`,
    seed: String(seed),
  })
  expect(outcome.state).toBe('completed')
  const runs = (await kernel.list()).map(({ run }) => run).toSorted()
  await kernel.stop()
  return Promise.all(runs.map((run) => linesOf(journal, run)))
}

describe.skipIf(!has('postgres'))('SQLite and Postgres', () => {
  test('a run moves from one to the other and back without changing a byte', async () => {
    const [file, plain] = [sqlite(), openJournal(await newSchema())]
    const sealed = openJournal({ ...(await newSchema()), encryption: keyRing(`k:${newKey()}`) })
    const odd = { input: { text: 'NUL \u0000, lone \ud800, 🙂, \u2028', number: 0.1 + 0.2, deep: [[{}]] } }
    const entries = sampleRun('run', {
      notes: 600,
      end: 'completed',
      start: { ...odd, name: 'odd \u0000 \ud800 name' },
    })
    await store(file, entries)
    const lines = await linesOf(file, 'run')
    expect(lines).toHaveLength(602)
    for (const journal of [plain, sealed, memoryJournal()]) {
      expect(await importRun(journal, lines, 0)).toEqual({ run: 'run', entries: 602 })
      expect(await importRun(journal, lines, 0)).toEqual({ run: 'run', entries: 0 })
      expect(await linesOf(journal, 'run')).toEqual(lines)
      // The same run, marked as one that was not written here.
      expect(await journal.summary('run')).toEqual({ ...(await file.summary('run')), imported: { from: 1, to: 602 } })
    }
    const back = sqlite()
    await importRun(back, await linesOf(sealed, 'run'), 0)
    expect(await linesOf(back, 'run')).toEqual(lines)
  })

  test('the same runs give the same journals', async () => {
    for (const seed of [1, 2, 3]) {
      const there = await runOn(openJournal(await newSchema()), seed)
      expect(there).toEqual(await runOn(sqlite(), seed))
      expect(there.flat().length).toBeGreaterThan(10)
    }
  })
})
