import { describe, expect, it } from 'vitest'
import { systemRandom } from '../../src/core/index.ts'
import { dbosEngine } from '../../src/engine/index.ts'
import { postgresJournal } from '../../src/store/postgres/index.ts'
import { engineConformance } from '../../src/testing/index.ts'
import { has } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'

describe.skipIf(!has('postgres'))('DBOS', () => {
  engineConformance(
    {
      name: 'DBOS',
      async start() {
        const server = await sharedServer('postgres')
        const url = `${server}?schema=t_${systemRandom.hex(8)}`
        return {
          async join() {
            const journal = postgresJournal({ url })
            // Each process says what it can drive under a name of its own.
            const version = systemRandom.hex(4)
            return { journal, engine: dbosEngine({ url, role: 'worker', version }), close: () => journal.close() }
          },
          stop: async () => {},
        }
      },
    },
    { describe, it, expect },
  )
})
