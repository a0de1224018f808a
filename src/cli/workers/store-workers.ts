import { MandateError } from '../../core/index.ts'
import { Fleet, dbosEngine, outboxEngine } from '../../engine/index.ts'
import type { DbosEngineOptions, FleetReport } from '../../engine/index.ts'
import type { Engine } from '../../run/index.ts'
import type { Part } from '../../server/index.ts'
import { configuredRestate, restateClient, restateTaker } from './restate-place.ts'
import type { RestatePlace } from './restate-place.ts'
import { notShared } from '../store.ts'
import type { OpenedJournal } from '../store.ts'

/** The values of `--engine`. */
const ENGINES = ['dbos', 'restate', 'local'] as const
type EngineName = (typeof ENGINES)[number]

export function readEngine(typed: string | undefined): EngineName | undefined {
  if (typed === undefined || ENGINES.some((name) => name === typed)) return typed as EngineName | undefined
  throw new MandateError('INPUT_INVALID', `--engine is ${ENGINES.join(', ')}, not "${typed}".`)
}

/**
 * Returns an engine that hands runs to the workers of the store: if it was requested, or if the store has workers and `--engine local` was not given. Workers
 * need not be running at the moment; runs wait for them.
 */
export async function workersEngine(
  journal: OpenedJournal,
  source: string,
  typed?: string,
): Promise<Engine | undefined> {
  const wanted = readEngine(typed)
  if (wanted === 'local' || (wanted === undefined && journal.url === undefined)) return undefined
  const url = urlOf(journal)
  const known = await withFleet(journal, (fleet) => fleet.engine())
  if (wanted !== undefined) await checkSameEngine(journal, wanted)
  const engine = wanted ?? known
  if (engine === undefined) return undefined
  return engine === 'restate' ? restateClient(url, await configuredRestate(source)) : dbosEngine({ url })
}

/** Returns an engine that hands runs to the current or future workers of the store. */
export async function detachingEngine(journal: OpenedJournal, source: string): Promise<Engine> {
  const engine = await workersEngine(journal, source)
  if (engine !== undefined) return engine
  const restate = await configuredRestate(source)
  return restate === undefined ? dbosEngine({ url: urlOf(journal) }) : restateClient(urlOf(journal), restate)
}

/** Returns the same engine, and a promise that resolves when it has accepted a run. */
export function noticing(engine: Engine): { readonly engine: Engine; readonly taken: Promise<void> } {
  const taken = Promise.withResolvers<void>()
  const dispatch = async (run: string, cause: string): Promise<void> => {
    await engine.dispatch(run, cause)
    taken.resolve()
  }
  const { name, clock, placement } = engine
  const handing: Engine = {
    ...{ name, clock, placement, dispatch },
    attach: (host) => engine.attach(host),
    schedule: (run, at) => engine.schedule(run, at),
    stop: () => engine.stop(),
  }
  return { engine: handing, taken: taken.promise }
}

/** Returns an engine that wakes runs of workers, of whichever kind. Undefined if the store never had workers. */
export async function answeringEngine(journal: OpenedJournal): Promise<Engine | undefined> {
  if (journal.url === undefined) return undefined
  const engine = await withFleet(journal, (fleet) => fleet.engine())
  if (engine === 'restate') return outboxEngine(journal.url)
  return engine && dbosEngine({ url: journal.url })
}

/** Describes what happens next to a run that was handed to the workers. */
export async function nextOf(journal: OpenedJournal): Promise<string> {
  const isUp = await withFleet(journal, (fleet) => fleet.isUp())
  return isUp ? 'a worker will continue it' : 'no worker is running: start one to continue it (mandate worker)'
}

/** How a worker receives runs, by its engine. */
export type Taking =
  | { readonly engine: 'dbos'; readonly options: Omit<DbosEngineOptions, 'url' | 'role'> }
  | { readonly engine: 'restate'; readonly place: RestatePlace; readonly typed: RestatePlace['worker'] }

/** Creates the engine of a worker. */
export async function takingEngine(journal: OpenedJournal, taking: Taking): Promise<Engine> {
  await checkSameEngine(journal, taking.engine)
  const url = urlOf(journal)
  return taking.engine === 'restate'
    ? restateTaker(url, taking.place, taking.typed)
    : dbosEngine({ ...taking.options, url, role: 'worker' })
}

/** Rejects workers with different engines on one store: each would wait for wake-ups that the other one receives. */
async function checkSameEngine(journal: OpenedJournal, wanted: 'dbos' | 'restate'): Promise<void> {
  const { workers } = await withFleet(journal, (fleet) => fleet.report())
  const other = workers.find(({ engine, state }) => engine !== wanted && state !== 'silent')
  if (other !== undefined)
    throw new MandateError(
      'CONFIG_INVALID',
      `A worker on ${other.place} uses --engine ${other.engine}, and this command would use ${wanted}. Use one engine for a store: give --engine ${other.engine}, or stop the workers first.`,
    )
}

/** Returns the report of the workers; undefined if runs are stored in a folder. */
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

/** Returns the HTTP part that shows workers, if runs are stored on a server. */
export async function fleetParts(journal: OpenedJournal): Promise<readonly Part[]> {
  if (journal.url === undefined) return []
  const { workersPart } = await import('../../server/index.ts')
  const fleet = new Fleet(journal.url)
  return [workersPart({ report: () => fleet.report(), close: () => fleet.close() })]
}

function urlOf({ url, path }: OpenedJournal): string {
  if (url !== undefined) return url
  throw notShared(path)
}
