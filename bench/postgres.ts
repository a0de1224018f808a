import { Client } from 'pg'
import type { Entry } from 'mandate/journal'
import { postgresJournal } from 'mandate/postgres'
import { keepServer } from '../test/servers/keeping.ts'
import { canKeep, givenUrl } from '../test/servers/servers.ts'
import { inTurns, throughJournal, timed } from './append-runs.ts'
import type { Timed } from './append-runs.ts'
import { median } from './harness.ts'
import type { Section } from './report.ts'

const ROUNDS = 9

interface RawRow {
  readonly run: string
  readonly type: string
  /** The whole entry, as JSON. */
  readonly body: string
}

/** The baseline: the same bytes through the same driver without any checks. Queued writes are sent in one statement and one commit. */
class RawStore {
  readonly #client: Client
  #gathered: { readonly row: RawRow; readonly resolve: () => void }[] = []
  #isBusy = false

  constructor(client: Client) {
    this.#client = client
  }

  append(row: RawRow): Promise<void> {
    return new Promise((resolve) => {
      this.#gathered.push({ row, resolve })
      if (this.#gathered.length === 1 && !this.#isBusy) setImmediate(() => void this.#commit())
    })
  }

  async #commit(): Promise<void> {
    this.#isBusy = true
    while (this.#gathered.length > 0) {
      const load = this.#gathered
      this.#gathered = []
      await this.#client.query({
        name: 'raw',
        text: 'INSERT INTO raw_rows (run, type, body) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])',
        values: [load.map(({ row }) => row.run), load.map(({ row }) => row.type), load.map(({ row }) => row.body)],
      })
      for (const { resolve } of load) resolve()
    }
    this.#isBusy = false
  }
}

async function throughRaw(store: RawStore, runs: readonly (readonly Entry[])[]): Promise<Timed> {
  const bodies = runs.map((entries) =>
    entries.map((entry) => ({ run: entry.run, type: entry.type, body: JSON.stringify(entry) })),
  )
  await store.append(bodies[0]![0]!)
  return timed(() =>
    Promise.all(
      bodies.map(async (rows) => {
        for (let seq = 1; seq < rows.length; seq++) await store.append(rows[seq]!)
      }),
    ),
  )
}

/** Measures a hundred runs that append prepared entries one after another, and the driver alone: both in this process, alternately, on the same server. */
async function measurePostgres(url: string): Promise<{ own: readonly Timed[]; bare: readonly Timed[] }> {
  const journal = postgresJournal({ url, schema: 'bench' })
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(
      'CREATE TABLE IF NOT EXISTS raw_rows (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run text, type text, body text)',
    )
    const raw = new RawStore(client)
    return await inTurns(
      ROUNDS,
      (runs) => throughJournal(journal, runs),
      (runs) => throughRaw(raw, runs),
    )
  } finally {
    await Promise.all([journal.close(), client.end()])
  }
}

/** Measures the journal on a Postgres server, which is started if none is configured. */
export async function postgres(): Promise<Section> {
  const given = givenUrl('postgres')
  if (given === undefined && !canKeep('postgres')) {
    console.log('>>> SKIPPED: the journal on Postgres. To run it: install postgresql, or set MANDATE_TEST_POSTGRES')
    return { tables: [], goals: [] }
  }
  const server = given === undefined ? await keepServer({ kind: 'postgres', isSafe: true }) : undefined
  try {
    const { own, bare } = await measurePostgres(given ?? server!.url)
    const row = (name: string, times: readonly Timed[]): [string, number, number] => [
      name,
      median(times.map(({ perSecond }) => perSecond)),
      median(times.map(({ cpuMicroseconds }) => cpuMicroseconds)),
    ]
    return {
      tables: [
        {
          title: 'A hundred runs on one Postgres journal',
          note: 'Appends of one prepared entry of 1 KB, beside the same bytes in one table through `pg` alone, with one statement for all that have gathered. CPU is that of this process; the server has its own.',
          columns: ['appends per second', 'µs CPU per append'],
          rows: [row('raw pg, group commit', bare), row('postgresJournal.append', own)],
        },
      ],
      goals: [
        {
          name: 'appends per second beside the raw driver',
          measured: median(own.map((one, index) => one.perSecond / bare[index]!.perSecond)),
          atLeast: 0.6,
        },
      ],
    }
  } finally {
    await server?.stop()
  }
}
