import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemRandom } from '../../src/core/index.ts'
import { dbosEngine, restateEngine } from '../../src/engine/index.ts'
import { Kernel } from '../../src/run/index.ts'
import type { Engine } from '../../src/run/index.ts'
import { postgresJournal } from '../../src/store/postgres/index.ts'
import { minds, toolsOf } from '../chaos/minds.ts'
import { has } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'

/** Stores answers without the wake-up: as when the worker that took it could not reach the database for what it does with it. */
function withoutWakeUps(engine: Engine): Engine {
  const placement = { enlist: async () => async () => {}, settled: engine.placement!.settled }
  return {
    name: engine.name,
    clock: engine.clock,
    placement,
    attach: (host) => engine.attach(host),
    dispatch: async () => {},
    schedule: async () => {},
    stop: () => engine.stop(),
  }
}

async function enginesOf(kind: string, schema: string): Promise<{ worker: Engine; client: Engine; store: string }> {
  const store = await sharedServer('postgres')
  const url = `${store}?schema=${schema}`
  if (kind === 'dbos') return { store, worker: dbosEngine({ url, role: 'worker' }), client: dbosEngine({ url }) }
  const [ingress, admin] = (await sharedServer('restate')).split('#') as [string, string]
  const shared = { store, schema, ingress, admin }
  return { store, worker: restateEngine({ ...shared, worker: {} }), client: restateEngine(shared) }
}

const engines = has('postgres') ? ['dbos', ...(has('restate') ? ['restate'] : [])] : []

test.each(engines)(
  'with %s, a parked run whose wake-up was lost goes on by itself, although it has a timer for later',
  async (kind) => {
    const schema = `t_${systemRandom.hex(8)}`
    const folder = mkdtempSync(join(tmpdir(), 'mandate-world-'))
    const log = join(folder, 'world')
    writeFileSync(log, '')
    const { store, worker, client } = await enginesOf(kind, schema)
    const open = (engine: Engine): Kernel => {
      const kernel = new Kernel({ journal: postgresJournal({ url: store, schema }), engine })
      for (const mind of minds) kernel.registry.registerMind(mind)
      for (const tool of toolsOf(log)) kernel.registry.registerTool(tool)
      return kernel
    }
    const [driver, person] = [open(worker), open(withoutWakeUps(client))]
    onTestFinished(async () => {
      for (const kernel of [person, driver]) {
        await kernel.stop()
        await kernel.journal.close()
      }
      rmSync(folder, { recursive: true })
    })
    await driver.attach()
    await person.attach()
    await driver.run({ kind: 'program', name: 'ask', input: null, runId: 'waits' })
    const [request] = await person.approvals('waits')
    await person.respond(request!.id, { answer: 'approve' })
    expect((await driver.journal.summary('waits'))?.state).toBe('suspended')
    const state = async (): Promise<string | undefined> => (await driver.journal.summary('waits'))?.state
    await expect.poll(state, { timeout: 60_000 }).toBe('completed')
  },
)
