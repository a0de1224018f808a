import type { LookupFunction } from 'node:net'
import type { Agent as AgentType, fetch as Fetch } from 'undici'
import { MandateError } from '../core/index.ts'
import type { HttpRequest } from './http-exchange.ts'

/** Sends one request, without following redirects. */
export type Send = (request: HttpRequest, signal: AbortSignal) => Promise<Response>

const HEADERS_MAX = 64 * 1024
const CONNECT_MS = 10_000

/** A client whose connections go only where `lookup` lets them. It is loaded with the first request, and keeps connections for the next. */
export function transport(lookup: LookupFunction): Send {
  let client: ReturnType<typeof open> | undefined
  return async (request, signal) => {
    const { fetch, agent } = await (client ??= open(lookup))
    const { url, method, headers, body } = request
    try {
      const init = {
        method,
        headers: [...headers] as [string, string][],
        body: body ?? null,
        signal,
        dispatcher: agent,
      }
      return (await fetch(url, { ...init, redirect: 'manual' })) as unknown as Response
    } catch (error) {
      // A refusal of ours comes wrapped in the client's own error.
      const { cause } = error as { cause?: unknown }
      throw MandateError.isInstance(cause) ? cause : error
    }
  }
}

async function open(lookup: LookupFunction): Promise<{ fetch: typeof Fetch; agent: AgentType }> {
  const { Agent, fetch } = await import('undici')
  const agent = new Agent({ connect: { lookup, timeout: CONNECT_MS }, maxHeaderSize: HEADERS_MAX, connections: 32 })
  return { fetch, agent }
}
