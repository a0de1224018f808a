import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { Kernel } from '../../src/run/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import { has } from '../servers/servers.ts'
import { newSchema } from '../stores/postgres.fixture.ts'
import { openPlace } from './answer-race-place.ts'
import type { Place } from './answer-race-place.ts'

const ROUNDS = 12
const flags = ['--conditions=mandate-source', '--disable-warning=ExperimentalWarning']

async function answering(place: Place): Promise<ChildProcess> {
  const fixture = fileURLToPath(new URL('answer-race.fixture.ts', import.meta.url))
  const child = fork(fixture, [JSON.stringify(place)], { execArgv: flags })
  onTestFinished(() => {
    child.disconnect()
  })
  await once(child, 'message')
  return child
}

async function tell(child: ChildProcess, message: object): Promise<string> {
  const said = once(child, 'message')
  child.send(message)
  return String((await said)[0])
}

/** A file of its own. */
async function sqlitePlace(): Promise<Place> {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-race-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return { path: join(dir, 'race.sqlite') }
}

const STORES = [
  { name: 'SQLite', isPossible: true, place: sqlitePlace },
  { name: 'PostgreSQL', isPossible: has('postgres'), place: newSchema as () => Promise<Place> },
].filter(({ isPossible }) => isPossible)

test.each(STORES)(
  'of an approval and a reject from two processes at the same moment one is taken: $name',
  { timeout: 60_000 },
  async ({ place: newPlace }) => {
    const place = await newPlace()
    const journal = openPlace(place)
    onTestFinished(() => journal.close())
    const deeds: string[] = []
    const kernel = new Kernel({ journal })
    const pay = defineTool({
      name: 'pay',
      risk: 'write',
      needsApproval: true,
      run: (_, { runId }) => void deeds.push(runId),
    })
    kernel.registry.registerTool(pay)
    kernel.registry.registerMind({
      kind: 'program',
      name: 'main',
      start: async (_, context) => (await context.perform({ kind: 'tool', name: 'pay', input: {} })).status,
    })
    const [one, other] = await Promise.all([answering(place), answering(place)])
    for (let round = 0; round < ROUNDS; round++) {
      const runId = `race-${round}`
      expect((await kernel.run({ kind: 'program', name: 'main', input: null, runId })).state).toBe('suspended')
      const [request] = await kernel.approvals(runId)
      const said = await Promise.all([
        tell(one, { id: request!.id, answer: 'approve' }),
        tell(other, { id: request!.id, answer: 'reject' }),
      ])
      expect(
        said.filter((word) => word === 'recorded'),
        said.join(' / '),
      ).toHaveLength(1)
      expect(said.find((word) => word !== 'recorded')).toContain('already answered')
      await kernel.resume(runId)
      expect(deeds.includes(runId), said.join(' / ')).toBe(said[0] === 'recorded')
    }
    await kernel.stop()
  },
)
