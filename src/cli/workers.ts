import { MandateError } from '../core/index.ts'
import { Fleet, dbosEngine } from '../engine/index.ts'
import type { DbosEngineOptions, FleetReport } from '../engine/index.ts'
import type { Engine } from '../run/index.ts'
import type { Part } from '../server/index.ts'
import type { OpenedJournal } from './store.ts'

/** Hands runs to the workers of the store: where that was asked for, or where workers are up and nothing else was. */
export async function workersEngine(journal: OpenedJournal, wanted?: string): Promise<Engine | undefined> {
  if (wanted !== undefined && wanted !== 'dbos' && wanted !== 'local')
    throw new MandateError('INPUT_INVALID', `--engine is dbos or local, not "${wanted}".`)
  if (wanted === 'local') return undefined
  if (wanted === 'dbos') return dbosEngine({ url: urlOf(journal) })
  return journal.url !== undefined && (await withFleet(journal, (fleet) => fleet.isUp()))
    ? dbosEngine({ url: journal.url })
    : undefined
}

/** An engine that takes runs. */
export function takingEngine(journal: OpenedJournal, options: Omit<DbosEngineOptions, 'url' | 'role'>): Engine {
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
  throw new MandateError(
    'INPUT_INVALID',
    `Runs are kept in ${path}, which one machine has. Workers share a database: give --dir postgres://…`,
  )
}
