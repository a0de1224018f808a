import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentService, defineTool } from 'mandate'
import { manualClock } from 'mandate/testing'
import { systemClock } from '../../src/core/index.ts'
import type { AgentConfig, ServiceOptions } from 'mandate'
import { exportRun, memoryJournal } from 'mandate/journal'
import type { Journal } from 'mandate/journal'
import { inMemory } from 'mandate/memory'
import { scripted } from 'mandate/model'
import type { ScriptedModel } from '../../src/model/index.ts'
import { openStore } from 'mandate/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'

/** Tools side by side, a child run, a retry, a failure, randomness and memory: everything that could come out differently. */
function agents(): { readonly configs: readonly AgentConfig[]; readonly models: readonly ScriptedModel[] } {
  const main = scripted(
    [
      {
        text: 'I roll.',
        toolCalls: [{ name: 'roll' }, { name: 'roll' }, { name: 'writer', input: { prompt: 'a line' } }],
      },
      { error: 'busy', retriable: true, retryAfterMs: 1 },
      { toolCalls: [{ name: 'break' }, { name: 'nothing' }] },
      'It is done.',
    ],
    { name: 'main' },
  )
  const writer = scripted([{ toolCalls: [{ name: 'roll' }] }, 'Roses are red.'], { name: 'writer' })
  const roll = defineTool({ name: 'roll', risk: 'read', run: async (_, { random }) => Math.floor(random() * 6) + 1 })
  const broken = defineTool({ name: 'break', risk: 'read', run: () => Promise.reject(new Error('broken')) })
  const configs: readonly AgentConfig[] = [
    { id: 'main', model: main, tools: [roll, broken], agents: ['writer'], memoryClient: inMemory() },
    { id: 'writer', model: writer, tools: [roll] },
  ]
  return { configs, models: [main, writer] }
}

/** Everything that a service wrote, run by run. */
async function exportAll(journal: Journal): Promise<string[]> {
  const lines: string[] = []
  for (const { run } of (await journal.list()).toSorted((a, b) => (a.run < b.run ? -1 : 1))) {
    for await (const line of exportRun(journal, run)) lines.push(line)
  }
  return lines
}

async function runOnce(journal: Journal, options: ServiceOptions): Promise<string[]> {
  const service = new AgentService({ ...options, journal, agents: agents().configs })
  const session = service.createSession('main')
  const first = await session.run('Roll the dice.')
  expect({ ...first, ...first.report() }).toMatchObject({
    status: 'completed',
    deterministic: true,
    text: 'I roll.\nIt is done.',
  })
  expect(await session.run('Again.')).toMatchObject({ status: 'failed' })
  const lines = await exportAll(journal)
  await service.stop()
  return lines
}

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-determinism-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

async function runOnDisk(options: ServiceOptions): Promise<string[]> {
  const { journal } = await openStore({ dir: folder() })
  try {
    return await runOnce(journal, options)
  } finally {
    await journal.close()
  }
}

describe('two services with one seed, asked the same things', () => {
  const seeded: ServiceOptions = { deterministic: { seed: 42 } }

  it('write the same journals byte for byte, in memory and on disk', async () => {
    const [one, two] = [await runOnce(memoryJournal(), seeded), await runOnce(memoryJournal(), seeded)]
    expect(one.length).toBeGreaterThan(30)
    expect(two.join('\n') === one.join('\n')).toBe(true)
    const [three, four] = [await runOnDisk(seeded), await runOnDisk(seeded)]
    // The order in which parallel work ends may be another on another store; on the same one it is the same.
    expect(four.join('\n') === three.join('\n')).toBe(true)
  })

  it('write other journals with another seed', async () => {
    const [one, two] = [
      await runOnce(memoryJournal(), seeded),
      await runOnce(memoryJournal(), { deterministic: { seed: 43 } }),
    ]
    expect(two.length).toBe(one.length)
    expect(two).not.toEqual(one)
  })

  it('do so with a clock of the host as well', async () => {
    const run = async (): Promise<string[]> => {
      const { now } = manualClock(1_700_000_000_000, 7)
      const deterministic = { seed: 'a', clock: { now, timer: systemClock.timer } }
      const journal = memoryJournal()
      const service = new AgentService({ deterministic, journal, agents: agents().configs })
      expect((await service.run('main', 'Go.')).startedAt).toMatch(/^2023-11-14T22:13:20/)
      return exportAll(journal)
    }
    expect((await run()).join('\n') === (await run()).join('\n')).toBe(true)
  })

  it('replay without asking a model or a tool for anything', async () => {
    const journal = memoryJournal()
    const first = new AgentService({ ...seeded, journal, agents: agents().configs })
    const { id } = await first.run('main', 'Roll the dice.')
    const { configs, models } = agents()
    const second = new AgentService({ journal, agents: configs.map((config) => ({ ...config, tools: [] })) })
    for (const { run } of await journal.list())
      expect(await second.replay(run)).toMatchObject({ identical: true, complete: true })
    expect(models.flatMap(({ requests }) => requests)).toEqual([])
    expect(await second.result(id)).toEqual(await first.result(id))
  })
})
