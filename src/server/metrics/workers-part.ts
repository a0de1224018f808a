import type { Json } from '../../core/index.ts'
import type { Part, Route } from '../http/route.ts'
import { plain } from '../http/routes/run-schemas.ts'
import { count, flag, list, object, openObject, text } from '../http/routes/schemas.ts'
import { CounterFamily } from './metric-family.ts'

/** The report of an engine about its workers. */
interface Workers {
  readonly workers: readonly { readonly state: string; readonly running: number; readonly concurrency: number }[]
  readonly queues: readonly {
    readonly name: string
    readonly queued: number
    readonly running: number
    readonly delayed: number
    readonly lagMs: number
    /** None of the running workers takes from it. */
    readonly isOrphan: boolean
  }[]
  readonly held: readonly { readonly run: string; readonly reason: string }[]
}

interface WorkersSource {
  report(): Promise<Workers>
  close(): Promise<void>
}

const queue = object({
  name: text,
  queued: count,
  running: count,
  delayed: count,
  lagMs: { type: 'number' },
  isOrphan: flag,
})

/**
 * Returns the part with `GET /api/workers`: members, load, versions, lag and runs that no worker can drive. It adds them to `/metrics` as well, for
 * autoscalers.
 */
export function workersPart(source: WorkersSource): Part {
  const routes: Route[] = [
    {
      method: 'GET',
      tag: 'workers',
      access: 'identity',
      permission: 'read-journal',
      path: '/api/workers',
      summary: 'The workers over the store, what waits for them, and what none of them can drive.',
      answer: {
        status: 200,
        schema: object({
          workers: list(openObject({ id: text, state: text })),
          queues: list(queue),
          held: list(openObject({ run: text, reason: text })),
        }),
      },
      handle: async (): Promise<Json> => plain(await source.report()),
    },
  ]
  return { routes, figures: async () => figures(await source.report()), close: () => source.close() }
}

function figures({ workers, queues, held }: Workers): string {
  const gauge = (name: string, help: string): CounterFamily => new CounterFamily(`mandate_${name}`, help, 'gauge')
  const members = gauge('workers', 'Workers, by their state.')
  const slots = gauge('worker_slots', 'Runs that the workers can drive at a time, and those they drive.')
  const queued = gauge('queue_segments', 'Segments of runs in a queue, by what they wait for.')
  const lag = gauge(
    'queue_lag_seconds',
    'How long the segment that waits longest has waited; orphan: workers are up, and none takes from the queue.',
  )
  const stuck = gauge('held_runs', 'Runs that no worker can drive.')
  for (const { state, running, concurrency } of workers) {
    members.add({ state })
    slots.add({ of: 'all' }, concurrency)
    slots.add({ of: 'used' }, running)
  }
  for (const { name, lagMs, isOrphan, ...counts } of queues) {
    lag.add({ queue: name, orphan: String(isOrphan) }, lagMs / 1_000)
    for (const [state, number] of Object.entries(counts)) queued.add({ queue: name, state }, number)
  }
  stuck.add({}, held.length)
  return [members, slots, queued, lag, stuck].map((family) => family.text()).join('')
}
