import { AgentService, kernelOf } from '../../src/agent/index.ts'
import { systemClock } from '../../src/core/index.ts'
import type { Clock } from '../../src/core/index.ts'
import { dbosEngine, localEngine, restateEngine } from '../../src/engine/index.ts'
import { Kernel } from '../../src/run/index.ts'
import type { Engine } from '../../src/run/index.ts'
import { postgresJournal } from '../../src/store/postgres/index.ts'
import { HOOKED, hookedAgent } from './hooks.ts'
import { minds, toolsOf } from './minds.ts'
import { engineWithPlaces, journalWithPlaces, passing } from './places.ts'

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
  /** What the runs of a worker that starts them itself are called; by their number when absent. */
  readonly shape?: string | undefined
  /** How long a lease lasts that nobody renews. */
  readonly leaseMs?: number | undefined
  /** Segments at a time; 20 when absent. */
  readonly concurrency?: number | undefined
  /** The file into which the places are written that a run passes, and where it is killed. */
  readonly places?: string | undefined
  /** Tools whose calls are repeated although they must not be. */
  readonly isCareless?: boolean | undefined
  /** By run, the place at which its process is killed, once. */
  readonly killAt?: Readonly<Record<string, string>> | undefined
}

export type EngineName = 'local' | 'dbos' | 'restate'

/** Soon enough for tests, long enough for a busy machine. */
const LEASE_MS = 4_000

/** A process over the engine: one that drives runs, or one that starts, answers and reads them. With a service where deliveries start the runs. */
export function openKernel(
  order: Order,
  isWorker: boolean,
): { readonly kernel: Kernel; readonly engine: Engine; readonly service?: AgentService } {
  const { url, schema, log, shape, skewMs = 0, lacks = [], leaseMs = LEASE_MS, isCareless = false } = order
  const pass = isWorker ? passing(order) : undefined
  const plain = engineOf(order, isWorker)
  const engine = pass === undefined ? plain : engineWithPlaces(plain, pass)
  const journal = postgresJournal({ url, schema, patienceMs: 60_000, statementTimeoutMs: 5_000 })
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + skewMs }
  const options = {
    journal: pass === undefined ? journal : journalWithPlaces(journal, pass),
    engine,
    limits: { leaseMs, liveSleepMs: 200 },
    ...(skewMs === 0 ? {} : { clock }),
  }
  if (shape === HOOKED) {
    const service = new AgentService({ ...options, agents: [hookedAgent(log)] })
    return { kernel: kernelOf(service), engine, service }
  }
  const kernel = new Kernel(options)
  for (const mind of minds) if (!lacks.includes(mind.name)) kernel.registry.registerMind(mind)
  for (const tool of toolsOf(log, pass)) kernel.registry.registerTool(isCareless ? { ...tool, idempotent: true } : tool)
  return { kernel, engine }
}

function engineOf(
  { engine, url, schema, server, port, lacks = [], concurrency = 20 }: Order,
  isWorker: boolean,
): Engine {
  if (engine === 'local') return localEngine()
  if (engine === 'dbos')
    return dbosEngine({
      url: `${url}?schema=${schema}`,
      role: isWorker ? 'worker' : 'client',
      concurrency,
      frozenMs: 3_000,
      version: lacks.length === 0 ? 'whole' : 'other',
    })
  const [ingress, admin] = server!.split('#') as [string, string]
  const worker = isWorker ? { port, sharePort: true, concurrency } : undefined
  return restateEngine({ store: url, schema, ingress, admin, worker })
}
