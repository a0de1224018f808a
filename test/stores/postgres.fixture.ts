import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { MandateError, systemRandom } from '../../src/core/index.ts'
import type { Entry, Journal } from '../../src/journal/index.ts'
import { postgresJournal } from '../../src/store/postgres/index.ts'
import type { PostgresJournal } from '../../src/store/postgres/postgres-journal.ts'
import type { PostgresOptions } from '../../src/store/postgres/options.ts'
import { givenUrl } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'

/** A schema that nobody has used yet, in the server that the tests share. */
export async function newSchema(): Promise<{ readonly url: string; readonly schema: string }> {
  const place = { url: await sharedServer('postgres'), schema: `t_${systemRandom.hex(8)}` }
  // A server of ours goes as a whole; one that was lent is given back as it was.
  if (givenUrl('postgres') !== undefined)
    onTestFinished(() => asked(place.url, `DROP SCHEMA IF EXISTS ${place.schema} CASCADE`).then(() => {}))
  return place
}

/** A journal that is closed after the test. */
export function openJournal(options: PostgresOptions): PostgresJournal {
  const journal = postgresJournal(options)
  onTestFinished(() => journal.close())
  return journal
}

/** Stores a run as its only writer would. */
export async function store(journal: Journal, entries: readonly Entry[]): Promise<void> {
  const lease = await journal.acquire({ run: entries[0]!.run, owner: 'tester', ttlMs: 1_000, now: 0 })
  await journal.append(lease, 0, entries)
  await journal.release(lease)
}

/** Asks the server itself. */
export async function asked(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** What something was refused with; fails when it was not. */
export async function refused(attempt: Promise<unknown>): Promise<MandateError> {
  try {
    await attempt
  } catch (error) {
    if (MandateError.isInstance(error)) return error
    throw error
  }
  throw new Error('It was accepted.')
}
