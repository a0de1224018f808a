import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Budget, createGate } from '../src/gate/index.ts'
import { memoryJournal } from 'mandate/journal'
import { sqliteJournal } from 'mandate/sqlite'
import { measure, measuredTable } from './harness.ts'
import type { Measured } from './harness.ts'
import type { Section } from './report.ts'
import { runAgent, runByHand } from './workloads.ts'

const TURNS = 10

async function steps(): Promise<Measured> {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-bench-'))
  const sqlite = sqliteJournal({ path: join(dir, 'journal.db') })
  const times = async (count: number, once: () => Promise<unknown>): Promise<void> => {
    for (let done = 0; done < count; done += TURNS) await once()
  }
  try {
    return await measure({
      name: 'One step: a model call and a tool call',
      unit: 'step',
      count: 500,
      rounds: 9,
      by: 'cpu',
      sides: [
        { name: 'by hand: no gate, no journal', run: (count) => times(count, () => runByHand(TURNS)) },
        {
          name: 'agent, journal in memory',
          run: (count) => times(count, async () => (await runAgent(TURNS, { journal: memoryJournal() })).stop()),
        },
        {
          name: 'agent, journal on disk (SQLite, synchronous=FULL)',
          share: 0.2,
          run: (count) => times(count, async () => (await runAgent(TURNS, { journal: sqlite })).stop()),
        },
      ],
    })
  } finally {
    await sqlite.close()
    rmSync(dir, { recursive: true })
  }
}

async function replaying(): Promise<Measured> {
  const journal = memoryJournal()
  const agent = await runAgent(100, { journal })
  const [run] = await agent.service.runs()
  const measured = await measure({
    name: 'A run of 100 turns',
    unit: 'run',
    count: 3,
    rounds: 7,
    by: 'cpu',
    sides: [
      {
        name: 'live, journal in memory',
        run: async (count) => {
          for (let i = 0; i < count; i++) await (await runAgent(100, { journal: memoryJournal() })).stop()
        },
      },
      {
        name: 'replayed',
        run: async (count) => {
          for (let i = 0; i < count; i++) await agent.service.replay(run!.run)
        },
      },
      {
        name: 'verified',
        run: async (count) => {
          for (let i = 0; i < count; i++) await agent.service.verify(run!.run)
        },
      },
    ],
  })
  await agent.stop()
  return measured
}

async function deciding(): Promise<Measured> {
  const effect = { kind: 'tool', name: 'add_one', input: { n: 1 } } as const
  const request = {
    effect,
    facts: { known: true, risk: 'read', worst: { toolCalls: 1 } },
    identity: { id: 'me', roles: ['owner'] },
    budget: new Budget({ toolCalls: 1e9 }),
    depth: 0,
    toolCalls: 0,
    now: 0,
  } as const
  const plain = createGate({ mandate: {} })
  const rules = Array.from({ length: 20 }, (_, index) => ({
    id: `rule-${index}`,
    when: { tool: `other_${index}` },
    then: 'deny' as const,
  }))
  const ruled = createGate({ mandate: { rules, allow: ['add_one'] }, above: [{ profile: 'strict' }] })
  const decide =
    (gate: typeof plain) =>
    async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) await gate.decide(request)
    }
  return measure({
    name: 'One decision of the gate',
    unit: 'decision',
    count: 20_000,
    rounds: 7,
    by: 'cpu',
    sides: [
      { name: 'no rules', run: decide(plain) },
      { name: 'two mandates, 20 rules', run: decide(ruled) },
    ],
  })
}

/** Measures the overhead of the kernel per step, the savings of a replay, and the cost of a decision. */
export async function kernel(): Promise<Section> {
  const measured = [await steps(), await replaying(), await deciding()]
  return { tables: measured.map(measuredTable), goals: [] }
}
