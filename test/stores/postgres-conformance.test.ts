import { describe, expect, it } from 'vitest'
import { journalConformance } from '../../src/testing/index.ts'
import { keyRing, postgresJournal } from '../../src/store/postgres/index.ts'
import { newKey } from '../../src/store/encryption/key-ring.ts'
import type { PostgresOptions } from '../../src/store/postgres/options.ts'
import { isFull } from '../rotation.ts'
import { has } from '../servers/servers.ts'
import { newSchema } from './postgres.fixture.ts'

const sides: readonly (readonly [string, Partial<PostgresOptions>])[] = [
  ['Postgres', {}],
  ['sealed Postgres', { encryption: keyRing(`k1:${newKey()}`) }],
  ...(isFull ? ([['Postgres behind a pooler', { prepare: false, poolSize: 1 }]] as const) : []),
]

describe.skipIf(!has('postgres'))('on a real server', () => {
  for (const [name, more] of sides)
    journalConformance(
      {
        name,
        async open() {
          const place = await newSchema()
          let journal = postgresJournal({ ...place, ...more })
          return {
            journal,
            async reopen() {
              await journal.close()
              journal = postgresJournal({ ...place, ...more })
              return journal
            },
            close: () => journal.close(),
          }
        },
      },
      { describe, it, expect },
    )
})
