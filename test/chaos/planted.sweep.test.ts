import { expect, test } from 'vitest'
import { canKeep } from '../servers/servers.ts'
import { asked } from '../stores/postgres.fixture.ts'
import { chaos } from './chaos.ts'

const PLAN = { engine: 'dbos', workers: 2, seed: 1, limitMs: 100_000 } as const

test.skipIf(!canKeep('postgres'))(
  'a store that loses, repeats or changes something behind a scene is noticed, for each of them',
  async () => {
    const tamper = async (url: string, schema: string): Promise<void> => {
      const entries = `"${schema}".entries`
      const end = (run: string, state: string): string =>
        `UPDATE "${schema}".runs SET summary = replace(summary, '"state":"completed"', '"state":"${state}"') WHERE run = '${run}'`
      const lines = [
        // As a server that forgot its last commit: all that is left of the run agrees.
        `DELETE FROM ${entries} WHERE run = 'r0' AND type = 'run-end'`,
        `UPDATE "${schema}".heads AS h SET seq = e.seq, hash = e.hash, at = e.at FROM ${entries} AS e
          WHERE h.run = 'r0' AND e.run = 'r0' AND e.seq = h.seq - 1`,
        `DELETE FROM ${entries} WHERE run = 'r1' AND seq = 3`,
        `UPDATE ${entries} SET at = at + 1 WHERE run = 'r2' AND seq = 2`,
        end('r3', 'running'),
        end('r4', 'failed'),
      ]
      for (const line of lines) await asked(url, line)
    }
    const { problems } = await chaos({ ...PLAN, runs: 5, shape: 'steps', faults: [], tamper })
    for (const sentence of [
      /^r0: the acknowledged entry \d+ is lost/u,
      /^r1: .*damaged at entry 3/u,
      /^r2: .*hash does not match/u,
      /^r3 is running/u,
      /^r4 is failed/u,
    ])
      expect(problems).toContainEqual(expect.stringMatching(sentence))
  },
  120_000,
)

test.skipIf(!canKeep('postgres'))(
  'calls that are made twice are noticed, and a scene that is not over in time, or without its fault',
  async () => {
    const killAt = { r0: 'after 1 was done' }
    const careless = await chaos({ ...PLAN, runs: 1, shape: 'steps', faults: [], killAt, isCareless: true })
    expect(careless.problems).toEqual([expect.stringMatching(/was done 2 times/u)])
    const never = [['crash-engine', 100]] as const
    const cut = await chaos({ ...PLAN, runs: 20, shape: 'sleep', faults: never, limitMs: 300 })
    expect(cut.problems).toEqual(
      expect.arrayContaining(['cut off after 300 ms', 'the fault "crash-engine" never happened']),
    )
  },
  120_000,
)
