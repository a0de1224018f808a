import type { AgentService } from 'mandate'
import type { Identity } from 'mandate/journal'
import type { Call } from '../../../src/server/http/route.ts'

/** A request as the server hands it to a route. */
export function callOf(service: AgentService, identity: Identity, given: Pick<Call, 'params' | 'request'>): Call {
  return {
    service: service.as(identity),
    identity,
    query: {},
    body: null,
    bytes: new Uint8Array(),
    signal: new AbortController().signal,
    closing: new AbortController().signal,
    drives: () => {},
    ...given,
  }
}
