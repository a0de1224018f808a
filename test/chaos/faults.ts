import { Client } from 'pg'
import type { Random } from '../../src/core/index.ts'
import { isEnded } from '../../src/journal/index.ts'
import type { Engine, Kernel } from '../../src/run/index.ts'
import type { KeptServer } from '../servers/keeping.ts'
import type { Proxy } from '../servers/proxy.ts'
import { pause } from './processes.ts'
import type { Processes } from './processes.ts'

export type Fault =
  | 'kill'
  | 'kill-recovering'
  | 'freeze'
  | 'drain'
  | 'other-version'
  | 'cut-connections'
  | 'crash-postgres'
  | 'crash-engine'
  | 'full-disk'
  | 'stall'
  | 'dispatch-again'

/** What faults are caused in. */
export interface Targets {
  readonly processes: Processes
  readonly postgres: KeptServer
  readonly engineServer: KeptServer | undefined
  readonly proxies: readonly Proxy[]
  readonly client: Kernel
  readonly engine: Engine
  readonly random: Random
}

/** Longer than a lease lasts and than it takes to count as frozen. */
const LONG_MS = 5_000

/** Has something go wrong. False when there was nothing that could. */
export function cause(fault: Fault, targets: Targets): Promise<boolean> {
  return CAUSES[fault](targets)
}

const CAUSES: Readonly<Record<Fault, (targets: Targets) => Promise<boolean>>> = {
  async kill({ processes }) {
    const wasKilled = processes.signal(processes.pick(), 'SIGKILL')
    await processes.start()
    return wasKilled
  },

  /** The others notice a death within a second: those who do are killed in the middle of it. */
  async 'kill-recovering'({ processes, random }) {
    const wasKilled = processes.signal(processes.pick(), 'SIGKILL')
    await pause(300 + random.next() * 700)
    const wasRecovering = processes.signal(processes.pick(), 'SIGKILL')
    await Promise.all([processes.start(), processes.start()])
    return wasKilled && (wasRecovering || processes.started > 2)
  },

  async freeze({ processes, random }) {
    const worker = processes.pick()
    if (!processes.signal(worker, 'SIGSTOP')) return false
    await pause(LONG_MS + random.next() * 3_000)
    return processes.signal(worker, 'SIGCONT')
  },

  async drain({ processes }) {
    const worker = processes.pick()
    await processes.start()
    return processes.signal(worker, 'SIGTERM')
  },

  async 'other-version'({ processes }) {
    const worker = processes.pick()
    await processes.start({ lacks: ['chains'] })
    return processes.signal(worker, 'SIGTERM')
  },

  async 'cut-connections'({ postgres }) {
    const sql =
      "SELECT count(pg_terminate_backend(pid))::int AS count FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
    return (await countOf(postgres.url, sql)) > 0
  },

  async 'crash-postgres'({ postgres, random }) {
    await postgres.crash()
    await pause(random.next() * 2_000)
    await postgres.start()
    return true
  },

  async 'crash-engine'({ engineServer, random }) {
    if (engineServer === undefined) return false
    await engineServer.crash()
    await pause(random.next() * 1_000)
    await engineServer.start()
    return true
  },

  async 'full-disk'({ postgres, random }) {
    await postgres.fill()
    await pause(2_000 + random.next() * 2_000)
    await postgres.free()
    return true
  },

  /** Some of the workers reach the database no more, while they go on with what they do; then all arrives that was under way. */
  async stall({ proxies, random }) {
    const proxy = proxies[Math.floor(random.next() * proxies.length)]
    if (proxy === undefined) return false
    const held = proxy.held
    proxy.hold()
    await pause(LONG_MS + random.next() * 3_000)
    proxy.restore()
    return proxy.held > held
  },

  /** Runs that have a segment get more of them. */
  async 'dispatch-again'({ client, engine, random }) {
    const runs = (await client.journal.list({ limit: 100 })).filter(
      ({ parent, state }) => parent === undefined && !isEnded(state),
    )
    const name = `again/${random.hex(4)}`
    const again = runs
      .slice(0, 20)
      .flatMap(({ run }) => [1, 2, 3].map((each) => engine.dispatch(run, `${name}/${each}`)))
    const results = await Promise.allSettled(again)
    return results.some(({ status }) => status === 'fulfilled')
  },
}

async function countOf(url: string, sql: string): Promise<number> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    return ((await client.query(sql)).rows[0] as { count: number }).count
  } catch {
    return 0
  } finally {
    await client.end().catch(() => {})
  }
}
