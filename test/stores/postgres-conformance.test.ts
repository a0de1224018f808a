import { describe, expect, it } from 'vitest'
import { type TestApi, journalConformance } from '../../src/testing/index.ts'
import { keyRing, postgresJournal } from '../../src/store/postgres/index.ts'
import { newKey } from '../../src/store/encryption/key-ring.ts'
import type { PostgresOptions } from '../../src/store/postgres/options.ts'
import { everyFifth } from '../rotation.ts'
import { has } from '../servers/servers.ts'
import { newSchema } from './postgres.fixture.ts'

const sides: readonly (readonly [string, Partial<PostgresOptions>, TestApi['it']])[] = [
  ['Postgres', {}, it],
  ['sealed Postgres', { encryption: keyRing(`k1:${newKey()}`) }, everyFifth(it)],
  ['Postgres behind a pooler', { prepare: false, poolSize: 1 }, everyFifth(it)],
]

describe.skipIf(!has('postgres'))('on a real server', () => {
  for (const [name, more, someOrAll] of sides)
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
      { describe, it: someOrAll, expect },
    )
})
