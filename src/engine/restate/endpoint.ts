import { createServer } from 'node:http2'
import type { Http2Server, ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type * as Sdk from '@restatedev/restate-sdk'
import { MandateError, loadPackage, messageOf } from '../../core/index.ts'
import type { RestateWorkerOptions } from './options.ts'

/** A server that Restate delivers segments to. */
export interface Endpoint {
  /** The address in the notation of Restate. */
  readonly uri: string
  close(): Promise<void>
}

const DAY_MS = 86_400_000

/** Restate settings of a segment: it may take long without progress, and is retried until the run has come to rest. */
const OPTIONS = {
  inactivityTimeout: DAY_MS,
  abortTimeout: DAY_MS,
  idempotencyRetention: DAY_MS,
  journalRetention: 0,
  retryPolicy: { initialInterval: 50, exponentiationFactor: 2, maxInterval: 5_000, maxAttempts: 1_000_000 },
} as const

/** Starts a server for segments. Each run is one virtual object, so Restate never runs two segments of a run concurrently. */
export async function listenForSegments(
  service: string,
  { port = 0, host = '127.0.0.1', uri, sharePort = false }: RestateWorkerOptions,
  drive: (run: string, fromSeq: number) => Promise<void>,
): Promise<Endpoint> {
  const { createEndpointHandler, object, handlers } = await loadPackage<typeof Sdk>(
    '@restatedev/restate-sdk',
    'A worker on Restate',
  )
  const segment = handlers.object.exclusive({}, async (context, order: { readonly fromSeq?: number }) =>
    drive(context.key, order.fromSeq ?? 0),
  )
  const run = object({ name: service, handlers: { segment }, options: OPTIONS })
  // Failures in a segment are reported as events of the kernel.
  const handler = createEndpointHandler({ services: [run], logger: () => {} })
  const sessions = new Set<ServerHttp2Session>()
  const server = createServer((request, response) => handler(request, response))
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(notListening(`${host}:${port}`, cause)))
    server.listen({ port, host, reusePort: sharePort }, resolve)
  })
  const own = `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`
  return { uri: new URL(uri ?? own).href, close: () => close(server, sessions) }
}

function notListening(place: string, cause: Error): MandateError {
  return new MandateError(
    'CONFIG_INVALID',
    `A worker cannot listen at ${place}: ${messageOf(cause)}. Give it another port, or have the workers of one machine share theirs (\`sharePort\`).`,
    { cause },
  )
}

function close(server: Http2Server, sessions: ReadonlySet<ServerHttp2Session>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    for (const session of sessions) session.destroy()
  })
}
