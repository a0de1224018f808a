import { systemClock } from '../../src/core/index.ts'
import type { Clock } from '../../src/core/index.ts'
import { dbosEngine, localEngine, restateEngine } from '../../src/engine/index.ts'
import { Kernel } from '../../src/run/index.ts'
import type { Engine } from '../../src/run/index.ts'
import { postgresJournal } from '../../src/store/postgres/index.ts'
import { minds, toolsOf } from './minds.ts'

/** What a process of the suite is told. */
export interface Order {
  readonly engine: EngineName
  readonly url: string
  readonly schema: string
  /** Where the engine's own server is, if it has one. */
  readonly server?: string | undefined
  /** A port that the workers share, where the engine hands segments to them. */
  readonly port?: number | undefined
  /** The file that tells what was done outside. */
  readonly log: string
  /** By how much the clock of the process is wrong. */
  readonly skewMs?: number | undefined
  /** How many runs there are, where the worker itself has to start them. */
  readonly runs?: number | undefined
  /** Minds that this version does not have. */
  readonly lacks?: readonly string[] | undefined
}

export type EngineName = 'local' | 'dbos' | 'restate'

/** Soon enough for tests, long enough for a busy machine. */
const LEASE_MS = 4_000

/** A process over the engine: one that drives runs, or one that starts, answers and reads them. */
export function openKernel(order: Order, isWorker: boolean): Kernel {
  const { url, schema, log, skewMs = 0, lacks = [] } = order
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + skewMs }
  const kernel = new Kernel({
    journal: postgresJournal({ url, schema, patienceMs: 60_000, statementTimeoutMs: 5_000 }),
    engine: engineOf(order, isWorker),
    limits: { leaseMs: LEASE_MS, liveSleepMs: 200 },
    ...(skewMs === 0 ? {} : { clock }),
  })
  for (const mind of minds) if (!lacks.includes(mind.name)) kernel.registry.registerMind(mind)
  for (const tool of toolsOf(log)) kernel.registry.registerTool(tool)
  return kernel
}

function engineOf({ engine, url, schema, server, port, lacks = [] }: Order, isWorker: boolean): Engine {
  if (engine === 'local') return localEngine()
  if (engine === 'dbos')
    return dbosEngine({
      url: `${url}?schema=${schema}`,
      role: isWorker ? 'worker' : 'client',
      concurrency: 20,
      frozenMs: 3_000,
      version: lacks.length === 0 ? 'whole' : 'other',
    })
  const [ingress, admin] = server!.split('#') as [string, string]
  const worker = isWorker ? { port, sharePort: true, concurrency: 20 } : undefined
  return restateEngine({ store: url, schema, ingress, admin, worker })
}
