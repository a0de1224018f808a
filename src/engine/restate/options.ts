import { MandateError, checkFields, checkNumbers } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'

/** Where a process can be reached by Restate, which hands it segments. */
export interface RestateWorkerOptions {
  /** The port it listens on; any free one when absent. */
  readonly port?: number | undefined
  /** The address it listens on; loopback when absent. */
  readonly host?: string | undefined
  /**
   * The address under which Restate reaches it; made of `host` and `port` when absent. Workers share one, of whatever version they are: a load balancer,
   * or a service of Kubernetes. Of several addresses, Restate uses the one that was made known last; the workers at the others stand by.
   */
  readonly uri?: string | undefined
  /** How many segments it drives at a time; 50 when absent. */
  readonly concurrency?: number | undefined
  /** Several workers on one machine share the port. */
  readonly sharePort?: boolean | undefined
  /** When it is told to end: how long calls in flight may still take before they are interrupted; 20 s when absent. Nothing new begins. */
  readonly drainMs?: number | undefined
  /** What this deployment is called in the list of workers; made from its agents, with their tools, instructions and limits, when absent. */
  readonly version?: string | undefined
}

export interface RestateOptions {
  /** The database of the journal, `postgres://…`: wake-ups are recorded there together with what causes them, and passed on to Restate. */
  readonly store: string
  /** The schema of the journal; `mandate` when absent. */
  readonly schema?: string | undefined
  /** Where Restate takes requests, such as `http://127.0.0.1:8080`. */
  readonly ingress: string
  /** Where Restate is administered, such as `http://127.0.0.1:9070`: a worker makes itself known there. */
  readonly admin?: string | undefined
  /** Present in a process that drives runs; one without it starts, answers and reads them. */
  readonly worker?: RestateWorkerOptions | undefined
}

const OPTIONS: FieldNames<RestateOptions> = { store: true, schema: true, ingress: true, admin: true, worker: true }
const WORKER: FieldNames<RestateWorkerOptions> = {
  port: true,
  host: true,
  uri: true,
  concurrency: true,
  sharePort: true,
  drainMs: true,
  version: true,
}

const WILDCARDS = new Set(['0.0.0.0', '::'])

/** Refuses what makes no sense, before anything is connected. */
export function checkRestateOptions(options: RestateOptions): void {
  checkFields(options, 'an option of `restateEngine`', OPTIONS)
  const { ingress, admin, worker } = options
  checkAddress('ingress', ingress)
  if (admin !== undefined) checkAddress('admin', admin)
  if (worker === undefined) return
  checkFields(worker, 'an option of `worker`', WORKER)
  if (worker.uri !== undefined) checkAddress('worker.uri', worker.uri)
  checkNumbers(worker, 'an option of `worker`', { drainMs: 'count' })
  const { concurrency = 1, port = 0 } = worker
  if (!(Number.isSafeInteger(concurrency) && concurrency >= 1))
    throw invalid(`\`worker.concurrency\` is ${String(concurrency)}. Give a whole number from 1.`)
  if (!(Number.isSafeInteger(port) && port >= 0 && port < 65_536))
    throw invalid(`\`worker.port\` is ${String(port)}. Give a port, or leave it out for any free one.`)
  if (worker.uri === undefined && WILDCARDS.has(worker.host ?? ''))
    throw invalid(
      `A worker that listens at ${worker.host} needs the address under which Restate reaches it: give \`worker.uri\`.`,
    )
  if (admin === undefined)
    throw invalid('A worker makes itself known to Restate: give `admin`, such as "http://127.0.0.1:9070".')
}

function checkAddress(name: string, address: unknown): void {
  const parsed = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:')
    throw invalid(`\`${name}\` is no address. Give one such as "http://127.0.0.1:8080".`)
}

function invalid(message: string): MandateError {
  return new MandateError('CONFIG_INVALID', message)
}
