import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentService, defineTool } from 'mandate'
import type { AgentConfig } from 'mandate'
import { exportRun, memoryJournal } from 'mandate/journal'
import type { Journal } from 'mandate/journal'
import { inMemory } from 'mandate/memory'
import { scripted } from 'mandate/model'
import { openStore } from 'mandate/sqlite'
import type { ToolContext } from 'mandate/tool'
import { expect, onTestFinished, test } from 'vitest'

/** Really waits, as long as it happens to take. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * 25))
}

/** Waits, looks at time and chance, writes, fails and is repeated: everything in which calls side by side could get in each other's way. */
function agents(): readonly AgentConfig[] {
  const roll = defineTool({
    name: 'roll',
    risk: 'read',
    async run(_: unknown, { random, now, memory }: ToolContext) {
      await pause()
      const rolled = [Math.floor(random() * 6) + 1, now()]
      await pause()
      await memory?.append('rolls', rolled)
      return rolled
    },
  })
  const flaky = defineTool({
    name: 'flaky',
    risk: 'read',
    idempotent: true,
    retry: { attempts: 2, backoffMs: 5 },
    async run(_: unknown, { attempt }: ToolContext) {
      await pause()
      if (attempt === 1) throw new Error('Not yet.')
      return 'worked'
    },
  })
  const turn = { toolCalls: [{ name: 'roll' }, { name: 'flaky' }, { name: 'roll' }, { name: 'roll' }] }
  const writing = (name: string) => scripted([turn, 'A line.'], { name })
  const main = scripted(
    [
      { toolCalls: [...turn.toolCalls, { name: 'a', input: { prompt: 'x' } }, { name: 'b', input: { prompt: 'y' } }] },
      turn,
      'Done.',
    ],
    { name: 'main' },
  )
  const memoryClient = inMemory()
  return [
    { id: 'main', model: main, tools: [roll, flaky], agents: ['a', 'b'], memoryClient },
    { id: 'a', model: writing('a'), tools: [roll, flaky] },
    { id: 'b', model: writing('b'), tools: [roll, flaky] },
  ]
}

/** Everything that a service of this seed wrote, run by run. */
async function journalOf(journal: Journal, parallel: number): Promise<string> {
  const service = new AgentService({ deterministic: { seed: 7 }, journal, agents: agents(), limits: { parallel } })
  const { id, status } = await service.run('main', 'Go.')
  expect(status).toBe('completed')
  expect(await service.replay(id)).toMatchObject({ identical: true })
  const lines: string[] = []
  for (const { run } of (await journal.list()).toSorted((a, b) => (a.run < b.run ? -1 : 1)))
    for await (const line of exportRun(journal, run)) lines.push(line)
  await service.stop()
  return lines.join('\n')
}

async function onDisk(parallel: number): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-delays-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const { journal } = await openStore({ dir })
  try {
    return await journalOf(journal, parallel)
  } finally {
    await journal.close()
  }
}

test.each([
  ['in memory, 8 at once', () => journalOf(memoryJournal(), 8)],
  ['in memory, 2 at once', () => journalOf(memoryJournal(), 2)],
  ['on disk', () => onDisk(8)],
])('one seed gives one journal, however long parallel calls really take: %s', async (_, run) => {
  const journals: string[] = []
  for (let round = 0; round < 4; round++) journals.push(await run())
  expect(journals[0]!.split('\n').length).toBeGreaterThan(60)
  expect(new Set(journals).size).toBe(1)
})
