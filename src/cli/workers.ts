import { MandateError } from '../core/index.ts'
import { Fleet, dbosEngine, outboxEngine } from '../engine/index.ts'
import type { DbosEngineOptions, FleetReport } from '../engine/index.ts'
import type { Engine } from '../run/index.ts'
import type { Part } from '../server/index.ts'
import { notShared } from './store.ts'
import type { OpenedJournal } from './store.ts'

/**
 * Hands runs to the workers of the store: where that was asked for, or where the store is one of workers and nothing else was. Whether one is up this
 * moment does not matter: what is handed over waits for them.
 */
export async function workersEngine(journal: OpenedJournal, wanted?: string): Promise<Engine | undefined> {
  if (wanted !== undefined && wanted !== 'dbos' && wanted !== 'local')
    throw new MandateError('INPUT_INVALID', `--engine is dbos or local, not "${wanted}".`)
  if (wanted === 'local' || (wanted === undefined && journal.url === undefined)) return undefined
  const url = urlOf(journal)
  const engine = await withFleet(journal, (fleet) => fleet.engine())
  if (engine === 'restate')
    throw new MandateError(
      'CONFIG_INVALID',
      'The workers of this store use Restate, whose address is set in code: start runs and servers there, with `restateEngine`. Requests can be answered here.',
    )
  return engine === undefined && wanted === undefined ? undefined : dbosEngine({ url })
}

/** Wakes runs of workers, whichever engine they have. Undefined where the store has never had workers. */
export async function answeringEngine(journal: OpenedJournal): Promise<Engine | undefined> {
  if (journal.url === undefined) return undefined
  const engine = await withFleet(journal, (fleet) => fleet.engine())
  return engine === 'restate' ? outboxEngine(journal.url) : workersEngine(journal)
}

/** What becomes of a run that was handed to the workers. */
export async function nextOf(journal: OpenedJournal): Promise<string> {
  const isUp = await withFleet(journal, (fleet) => fleet.isUp())
  return isUp ? 'a worker will continue it' : 'no worker is running: start one to continue it (mandate worker)'
}

/** An engine that takes runs. Workers of two engines over one store would each wait for wake-ups that the other one gets. */
export async function takingEngine(
  journal: OpenedJournal,
  options: Omit<DbosEngineOptions, 'url' | 'role'>,
): Promise<Engine> {
  const { workers } = await withFleet(journal, (fleet) => fleet.report())
  const other = workers.find(({ engine }) => engine !== 'dbos')
  if (other !== undefined)
    throw new MandateError(
      'CONFIG_INVALID',
      `A worker on ${other.place} uses Restate, and this one would use DBOS. Use one engine for a store: workers on Restate are started in code, with \`restateEngine\`.`,
    )
  return dbosEngine({ ...options, url: urlOf(journal), role: 'worker' })
}

/** What there is of workers; nothing where runs are kept in a folder. */
export async function reportOf(journal: OpenedJournal): Promise<FleetReport | undefined> {
  return journal.url === undefined ? undefined : withFleet(journal, (fleet) => fleet.report())
}

export async function withFleet<T>(journal: OpenedJournal, work: (fleet: Fleet) => Promise<T>): Promise<T> {
  const fleet = new Fleet(urlOf(journal))
  try {
    return await work(fleet)
  } finally {
    await fleet.close()
  }
}

/** The workers over HTTP, where runs are kept on a server. */
export async function fleetParts(journal: OpenedJournal): Promise<readonly Part[]> {
  if (journal.url === undefined) return []
  const { workersPart } = await import('../server/index.ts')
  const fleet = new Fleet(journal.url)
  return [workersPart({ report: () => fleet.report(), close: () => fleet.close() })]
}

function urlOf({ url, path }: OpenedJournal): string {
  if (url !== undefined) return url
  throw notShared(path)
}
