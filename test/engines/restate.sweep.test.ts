import { describe, expect, it, test } from 'vitest'
import { systemRandom } from '../../src/core/index.ts'
import { restateEngine } from '../../src/engine/index.ts'
import { postgresJournal } from '../../src/store/postgres/index.ts'
import { engineConformance } from '../../src/testing/index.ts'
import { has } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'

describe.skipIf(!has('restate') || !has('postgres'))('Restate', () => {
  engineConformance(
    {
      name: 'Restate',
      async start() {
        const store = await sharedServer('postgres')
        const [ingress, admin] = (await sharedServer('restate')).split('#') as [string, string]
        const schema = `t_${systemRandom.hex(8)}`
        const join = async (): Promise<{
          journal: ReturnType<typeof postgresJournal>
          engine: ReturnType<typeof restateEngine>
          close: () => Promise<void>
        }> => {
          const journal = postgresJournal({ url: store, schema })
          const engine = restateEngine({ store, schema, ingress, admin, worker: {} })
          return { journal, engine, close: () => journal.close() }
        }
        return { join, stop: async () => {} }
      },
    },
    { describe, it, expect },
  )
})

test('what cannot be meant is refused before anything is connected', () => {
  const good = { store: 'postgres://a/b', ingress: 'http://127.0.0.1:1' }
  expect(() => restateEngine({ ...good, ingress: 'localhost' })).toThrow('`ingress` is no address')
  expect(() => restateEngine({ ...good, worker: {} })).toThrow('give `admin`')
  expect(() => restateEngine({ ...good, admin: 'http://127.0.0.1:2', worker: { concurrency: 0 } })).toThrow(
    'concurrency',
  )
  expect(() => restateEngine({ ...good, adress: 'x' } as never)).toThrow('adress')
})
