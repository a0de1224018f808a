import { describe, expect, onTestFinished, test } from 'vitest'
import { dbosEngine } from '../../src/engine/index.ts'
import { keepServer } from '../servers/keeping.ts'
import { canKeep } from '../servers/servers.ts'
import { asked } from '../stores/postgres.fixture.ts'
import { SAID } from './talker.fixture.ts'
import { askAll, openTalkers } from './talking.ts'
import type { Asked } from './talking.ts'
import { startProgram } from './workers.fixture.ts'

const AGENTS = ['slow', 'moody', 'team']
const AFTER_FIRST = SAID.slice(SAID.indexOf(' '))

/** The answer of a process is complete, whatever of another process stands before it. */
function expectWhole({ agent, face, text, isWhole }: Asked): void {
  const said = agent === 'moody' ? new RegExp(`(^|\n)p\\d+${AFTER_FIRST}$`) : new RegExp(`^${SAID}$`)
  expect.soft({ agent, face, isWhole, text }).toMatchObject({ isWhole: true, text: expect.stringMatching(said) })
}

describe.skipIf(!canKeep('postgres'))(
  'an answer that is streamed from a worker is complete before its normal end',
  () => {
    test.each(['a worker is killed', 'all connections to the database are cut'])(
      'also when %s in mid-text',
      async (fault) => {
        const server = await keepServer({ kind: 'postgres', isSafe: false })
        onTestFinished(() => server.stop())
        const { url } = server
        const [service, first] = await Promise.all([
          openTalkers(url, dbosEngine({ url })),
          // Neither can take all of the runs.
          startProgram('talker.fixture.ts', { url, concurrency: 8 }),
          startProgram('talker.fixture.ts', { url, concurrency: 8 }),
        ])
        const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL`
        let isDone = false
        const heard = await askAll(service, AGENTS, (texts) => {
          // Somebody has heard some words, and nobody all.
          if (isDone || texts.filter((text) => text.includes('w5')).length < 6) return
          isDone = true
          if (fault.includes('killed')) first.kill('SIGKILL')
          else void asked(url, cut)
        })
        expect(isDone).toBe(true)
        for (const one of heard) expectWhole(one)
      },
    )
  },
)
