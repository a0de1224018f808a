import { MandateError, checkFields, checkNumbers } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import { DRAIN_MS } from '../members/membership.ts'

/** A separate queue for the runs of some agents, with limits that apply across all workers. */
export interface QueueOptions {
  /** The agents whose runs go through this queue. */
  readonly agents: readonly string[]
  /**
   * Maximum number of runs of this queue that are driven at the same time over all workers, for example to respect the concurrency limit of a model provider.
   */
  readonly concurrency?: number | undefined
  /** Maximum number of runs per identity that are driven at the same time over all workers. */
  readonly tenantConcurrency?: number | undefined
}

/** Options of an engine on DBOS. */
export interface DbosEngineOptions {
  /** The database of the journal: `postgres://user:password@host:5432/database`, with the same `?schema=` as the journal. */
  readonly url: string
  /** `worker` drives runs. `client`, the default, only enqueues and reads them. */
  readonly role?: 'client' | 'worker' | undefined
  /** For a worker: maximum number of runs that it drives at the same time; 50 by default. */
  readonly concurrency?: number | undefined
  /** For a worker: the queues it dequeues runs from; all by default. `default` is the queue for runs of agents that no queue lists. */
  readonly take?: readonly string[] | undefined
  /** Separate queues for the runs of some agents. Workers publish them to the database, so that every process can route a run to its queue. */
  readonly queues?: Readonly<Record<string, QueueOptions>> | undefined
  /** Interval at which a worker polls its queues; 50 ms by default. */
  readonly pollMs?: number | undefined
  /** Time without a heartbeat after which a process that still has its connection counts as frozen; 30 s by default. */
  readonly frozenMs?: number | undefined
  /** Number of times a run is driven again after workers died while driving it, before it is suspended as in doubt; 5 by default. */
  readonly attempts?: number | undefined
  /** Time for which rows of finished segments are kept; an hour by default. */
  readonly keepMs?: number | undefined
  /** For a worker that is shutting down: how long calls in flight may continue before they are interrupted; 20 s by default. No new work begins. */
  readonly drainMs?: number | undefined
  /** The name of this deployment in the list of workers. By default it is derived from its agents with their tools, instructions and limits. */
  readonly version?: string | undefined
}

export const DBOS_ENGINE_OPTIONS: FieldNames<DbosEngineOptions> = {
  url: 'text',
  role: 'text',
  concurrency: true,
  take: 'texts',
  queues: 'object',
  pollMs: true,
  frozenMs: true,
  attempts: 'number',
  keepMs: true,
  drainMs: true,
  version: 'text',
}

const QUEUE_OPTIONS: FieldNames<QueueOptions> = { agents: 'texts', concurrency: true, tenantConcurrency: true }

/** The options with all defaults filled in. */
export type EngineSettings = Required<{ [F in keyof DbosEngineOptions]: Exclude<DbosEngineOptions[F], undefined> }>

const QUEUE_NAME = /^[A-Za-z0-9_-]{1,60}$/u

/** The queue for runs whose agents no queue lists. */
export const DEFAULT_QUEUE = 'default'

/** Fills in defaults and rejects invalid options before any connection is opened. */
export function engineSettings(options: DbosEngineOptions): EngineSettings {
  checkFields(options, 'an option of `dbosEngine`', DBOS_ENGINE_OPTIONS)
  const counts = {
    concurrency: 'count+',
    pollMs: 'count+',
    frozenMs: 'count+',
    attempts: 'count+',
    keepMs: 'count',
    drainMs: 'count',
  } as const
  checkNumbers(options, 'an option of `dbosEngine`', counts)
  const { role = 'client', queues = {} } = options
  if (role !== 'client' && role !== 'worker')
    throw invalid(`\`role\` is ${JSON.stringify(role)}. Give 'client' or 'worker'.`)
  checkQueues(queues)
  const take = options.take ?? [DEFAULT_QUEUE, ...Object.keys(queues)]
  if (!Array.isArray(take) || take.length === 0) throw invalid('`take` names queues, at least one.')
  const wrong = (take as readonly unknown[]).find((name) => typeof name !== 'string' || !QUEUE_NAME.test(name))
  if (wrong !== undefined) throw invalid(`\`take\` has ${JSON.stringify(wrong)}, which is no name of a queue.`)
  const { concurrency = 50, pollMs = 50, frozenMs = 30_000, attempts = 5, keepMs = 3_600_000, version = '' } = options
  const { drainMs = DRAIN_MS } = options
  return { url: options.url, role, concurrency, take, queues, pollMs, frozenMs, attempts, keepMs, drainMs, version }
}

function checkQueues(queues: Readonly<Record<string, QueueOptions>>): void {
  const seen = new Map<string, string>()
  for (const [name, queue] of Object.entries(queues)) {
    if (!QUEUE_NAME.test(name))
      throw invalid(`A queue is called ${JSON.stringify(name)}. Use letters, digits, - and _.`)
    checkFields(queue, `a field of the queue "${name}"`, QUEUE_OPTIONS)
    checkNumbers(queue, `a field of the queue "${name}"`, { concurrency: 'count+', tenantConcurrency: 'count+' })
    if (!Array.isArray(queue.agents)) throw invalid(`The queue "${name}" needs \`agents\`: a list of names.`)
    for (const agent of queue.agents as readonly string[]) {
      const other = seen.get(agent)
      if (other !== undefined) throw invalid(`The agent "${agent}" is in two queues, "${other}" and "${name}".`)
      seen.set(agent, name)
    }
  }
}

function invalid(message: string): MandateError {
  return new MandateError('CONFIG_INVALID', message)
}
