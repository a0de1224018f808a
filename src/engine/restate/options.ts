import { MandateError, checkFields, checkNumbers } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'

/** How Restate reaches a worker process to deliver segments. */
export interface RestateWorkerOptions {
  /** The port to listen on; any free port by default. */
  readonly port?: number | undefined
  /** The address to listen on; loopback by default. */
  readonly host?: string | undefined
  /**
   * The address at which Restate reaches the worker; built from `host` and `port` by default. All workers, of any version, share one address: a load balancer
   * or a Kubernetes service. If there are several addresses, Restate uses the one that was registered last; workers at the others are on standby.
   */
  readonly uri?: string | undefined
  /** Maximum number of segments that it drives at the same time; 50 by default. */
  readonly concurrency?: number | undefined
  /** Whether several workers on one machine share the port. */
  readonly sharePort?: boolean | undefined
  /** On shutdown: how long calls in flight may continue before they are interrupted; 20 s by default. No new work begins. */
  readonly drainMs?: number | undefined
  /** The name of this deployment in the list of workers. By default it is derived from its agents with their tools, instructions and limits. */
  readonly version?: string | undefined
}

export interface RestateOptions {
  /** The database of the journal, `postgres://…`. Wake-ups are recorded there in the transaction that causes them and then passed on to Restate. */
  readonly store: string
  /** The schema of the journal; `mandate` by default. */
  readonly schema?: string | undefined
  /** The ingress address of Restate, such as `http://127.0.0.1:8080`. */
  readonly ingress: string
  /** The admin address of Restate, such as `http://127.0.0.1:9070`, where a worker registers itself. */
  readonly admin?: string | undefined
  /** Set in a process that drives runs. A process without it only starts, answers and reads them. */
  readonly worker?: RestateWorkerOptions | undefined
}

const OPTIONS: FieldNames<RestateOptions> = {
  store: 'text',
  schema: 'text',
  ingress: 'text',
  admin: 'text',
  worker: 'object',
}
const WORKER: FieldNames<RestateWorkerOptions> = {
  port: true,
  host: 'text',
  uri: 'text',
  concurrency: true,
  sharePort: 'flag',
  drainMs: true,
  version: 'text',
}

const WILDCARDS = new Set(['0.0.0.0', '::'])

/** Rejects invalid options before any connection is opened. */
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
