import { expect, onTestFinished, test } from 'vitest'
import { systemClock, systemRandom } from '../../src/core/index.ts'
import { STRANDED_MS, strandedRuns } from '../../src/engine/members/stranded.ts'
import { Kernel } from '../../src/run/index.ts'
import type { EngineHost } from '../../src/run/index.ts'
import { linkTo, postgresJournal } from '../../src/store/postgres/index.ts'
import { has } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'

test.skipIf(!has('postgres'))(
  'a run is left behind when nobody holds its lease, not while a process that is no worker waits for a long call of it',
  async () => {
    const url = `${await sharedServer('postgres')}?schema=t_${systemRandom.hex(8)}`
    const journal = postgresJournal({ url })
    const link = linkTo(url, 1)
    const kernel = new Kernel({ journal })
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    kernel.registry.registerMind({
      kind: 'program',
      name: 'waits',
      start: async () => {
        begun.resolve()
        await end.promise
        return null
      },
    })
    const outcome = kernel.run({ kind: 'program', name: 'waits', input: null, runId: 'long' })
    onTestFinished(async () => {
      end.resolve()
      await outcome.catch(() => {})
      await kernel.stop()
      await journal.close()
      await link.close()
    })
    await begun.promise
    const clock = { ...systemClock, now: () => systemClock.now() + STRANDED_MS + 1_000 }
    const host = { clock, journal, isWanted: async () => false } as unknown as EngineHost
    const found = async (): Promise<string[]> => [...(await strandedRuns(host, link)).keys()]
    expect(await found()).toEqual([])
    await link.query(`UPDATE ${link.table('heads')} SET owner = NULL`)
    expect(await found()).toEqual(['long'])
  },
)
