import { MandateError, checkFields, checkNumbers } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import { DRAIN_MS } from '../members/membership.ts'

/** A queue of its own for the runs of some agents, with limits that hold over all workers. */
export interface QueueOptions {
  /** The agents whose runs go through it. */
  readonly agents: readonly string[]
  /** Most of its runs that are driven at a time, over all workers: for a model provider, say, that takes so many calls. */
  readonly concurrency?: number | undefined
  /** Most of its runs of one identity that are driven at a time, over all workers. */
  readonly tenantConcurrency?: number | undefined
}

/** How an engine on DBOS is set up. */
export interface DbosEngineOptions {
  /** The database of the journal: `postgres://user:password@host:5432/database`, with `?schema=` as the journal has it. */
  readonly url: string
  /** `worker` drives runs; `client`, when absent, only hands them over and reads. */
  readonly role?: 'client' | 'worker' | undefined
  /** A worker: most runs that it drives at a time; 50 when absent. */
  readonly concurrency?: number | undefined
  /** A worker: the queues it takes runs from; all when absent. `default` has the runs of agents that no queue names. */
  readonly take?: readonly string[] | undefined
  /** Queues of their own for the runs of some agents. Workers publish them, so that every process knows where a run belongs. */
  readonly queues?: Readonly<Record<string, QueueOptions>> | undefined
  /** How often a worker looks for runs; 50 ms when absent. */
  readonly pollMs?: number | undefined
  /** After how long without a sign of life a process that still has its connection counts as frozen; 30 s when absent. */
  readonly frozenMs?: number | undefined
  /** How often a run is driven again after workers died with it, before it is suspended as in doubt; 5 when absent. */
  readonly attempts?: number | undefined
  /** How long rows of segments that are over are kept; an hour when absent. */
  readonly keepMs?: number | undefined
  /** A worker that is told to end: how long calls in flight may still take before they are interrupted; 20 s when absent. Nothing new begins. */
  readonly drainMs?: number | undefined
  /** What this deployment is called in the list of workers; made from its agents, with their tools, instructions and limits, when absent. */
  readonly version?: string | undefined
}

export const DBOS_ENGINE_OPTIONS: FieldNames<DbosEngineOptions> = {
  url: true,
  role: true,
  concurrency: true,
  take: true,
  queues: true,
  pollMs: true,
  frozenMs: true,
  attempts: true,
  keepMs: true,
  drainMs: true,
  version: true,
}

const QUEUE_OPTIONS: FieldNames<QueueOptions> = { agents: true, concurrency: true, tenantConcurrency: true }

/** The same with nothing left open. */
export type EngineSettings = Required<{ [F in keyof DbosEngineOptions]: Exclude<DbosEngineOptions[F], undefined> }>

const QUEUE_NAME = /^[A-Za-z0-9_-]{1,60}$/u

/** The queue of runs whose agents no queue names. */
export const DEFAULT_QUEUE = 'default'

/** Fills in what was left out and refuses what cannot be meant, before anything is connected. */
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
