import { expect, test } from 'vitest'
import type { PostgresLink } from '../../store/postgres/index.ts'
import { dbosEngine } from '../dbos/dbos-engine.ts'
import { engineSettings } from '../dbos/options.ts'
import { checkServer, refusePooler } from './server-checks.ts'

const options = { name: 'postgres://db/agents' } as PostgresLink['options']

test('a server that is too old is refused with its version and the one that is needed', async () => {
  const query = async (number: number): ReturnType<PostgresLink['query']> => ({
    rows: [{ number, name: 'PostgreSQL 12.4 on x86_64' }],
    count: 1,
  })
  await expect(checkServer({ options, query: () => query(120_004) })).rejects.toMatchObject({
    code: 'VERSION_UNSUPPORTED',
    message: expect.stringMatching(/PostgreSQL 12\.4; workers need Postgres 13/),
  })
  await expect(checkServer({ options, query: () => query(170_000) })).resolves.toBeUndefined()
})

test('a pooler that hands the processes of the server around is refused; connections of their own are not', async () => {
  const connecting = (pids: number[]): Parameters<typeof refusePooler>[0] => ({
    options,
    connect: async () =>
      ({
        query: async (sql: string) => ({ rows: sql === 'BEGIN' ? [] : [{ pid: pids.shift() }] }),
        end: async () => {},
      }) as never,
  })
  const refusal = { code: 'CONFIG_INVALID', message: expect.stringContaining('session mode') }
  await expect(refusePooler(connecting([7, 7]))).rejects.toMatchObject(refusal)
  await expect(refusePooler(connecting([7, 8, 9]))).rejects.toMatchObject(refusal)
  await expect(refusePooler(connecting([7, 8, 7]))).resolves.toBeUndefined()
})

test('what cannot be meant is refused before anything is connected', () => {
  const url = 'postgres://me@localhost/agents'
  const refused: [object, RegExp][] = [
    [{ url: 'mysql://localhost' }, /postgres:\/\//],
    [{ url, role: 'boss' }, /'client' or 'worker'/],
    [{ url, concurrency: 0.5 }, /concurrency/],
    [{ url, take: [] }, /at least one/],
    [{ url, queues: { 'a b': { agents: [] } } }, /letters, digits/],
    [{ url, queues: { a: { agents: ['x'] }, b: { agents: ['x'] } } }, /two queues, "a" and "b"/],
    [{ url, queues: { a: { agents: ['x'], concurency: 3 } } }, /concurrency/],
  ]
  for (const [given, message] of refused) expect(() => dbosEngine(given as never)).toThrow(message)
  expect(engineSettings({ url, queues: { slow: { agents: ['x'] } } }).take).toEqual(['default', 'slow'])
})

test('a server that is not there is named with what to check', async () => {
  const engine = dbosEngine({ url: 'postgres://me@127.0.0.1:1/agents' })
  await expect(engine.attach({} as never)).rejects.toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringContaining('Check host and port in the URL'),
  })
  await engine.stop()
})
