import { onTestFinished } from 'vitest'
import { systemRandom } from '../../src/core/index.ts'
import { postgresJournal } from '../../src/store/postgres/index.ts'
import type { PostgresJournal, PostgresOptions } from '../../src/store/postgres/index.ts'
import { sharedServer } from '../servers/shared.ts'

/** A schema that nobody has used yet, in the server that the tests share. */
export async function newSchema(): Promise<{ readonly url: string; readonly schema: string }> {
  return { url: await sharedServer('postgres'), schema: `t_${systemRandom.hex(8)}` }
}

/** A journal that is closed after the test. */
export function openJournal(options: PostgresOptions): PostgresJournal {
  const journal = postgresJournal(options)
  onTestFinished(() => journal.close())
  return journal
}
