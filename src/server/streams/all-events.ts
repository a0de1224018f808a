import { MandateError } from '../../core/index.ts'
import type { Route } from '../http/route.ts'
import type { AllFeed } from './all-feed.ts'
import { AllReader } from './all-reader.ts'
import type { EventStreams } from './sse.ts'

/** Returns the route `GET /api/events`, a stream of short events of all runs that the caller may read. */
export function allEvents({ feed, streams }: { readonly feed: AllFeed; readonly streams: EventStreams }): Route {
  return {
    method: 'GET',
    path: '/api/events',
    summary: 'What happens in all runs that the caller may read, in short, as server-sent events.',
    tag: 'runs',
    access: 'identity',
    answer: { status: 200, stream: true },
    handle: async ({ service, request }) =>
      streams.response(new AllReader(feed, service, momentOf(request.headers.get('last-event-id')))),
  }
}

function momentOf(given: string | null): number | undefined {
  if (given === null || given === '') return undefined
  if (/^\d{1,15}$/.test(given)) return Number(given)
  throw new MandateError('INPUT_INVALID', 'Last-Event-ID is the id of an event of this stream: a whole number.')
}
