import { MandateError } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { isEnded } from '../../journal/index.ts'
import type { AgentService } from '../../agent/index.ts'
import type { Call, Route } from '../http/route.ts'
import { RunCursor } from './run-cursor.ts'
import { RunReader } from './run-reader.ts'
import type { RunFeeds } from './run-feeds.ts'
import type { EventStreams } from './sse.ts'

interface Streaming {
  readonly service: AgentService
  readonly feeds: RunFeeds
  readonly streams: EventStreams
}

/** Returns the route `GET /api/runs/{runId}/events`: the events of a run after the entry in `Last-Event-ID`. */
export function runEvents(streaming: Streaming): Route {
  return {
    method: 'GET',
    path: '/api/runs/{runId}/events',
    summary: 'What happens in a run, as server-sent events. Resumes behind the entry that Last-Event-ID names.',
    tag: 'runs',
    access: 'identity',
    query: { type: 'object', properties: { after: { type: 'integer', minimum: 0 } } },
    answer: { status: 200, stream: true },
    handle: (call) => openRunEvents(streaming, call),
  }
}

async function openRunEvents({ service, feeds, streams }: Streaming, call: Call): Promise<Response> {
  const runId = call.params['runId']!
  const given = call.request.headers.get('last-event-id') ?? call.query['after']
  const after = lastSeq(given)
  await checkReadable(call, runId)
  const summary = await service.journal.summary(runId)
  if (summary === undefined) throw new MandateError('NOT_FOUND', `There is no run "${runId}" in this journal.`)
  // Stops a browser from reconnecting after the end of the run.
  if (isEnded(summary.state) && given !== undefined && after >= summary.head.seq)
    return new Response(null, { status: 204 })
  if (after > summary.head.seq)
    throw new MandateError(
      'INPUT_INVALID',
      `The run "${runId}" has ${summary.head.seq} entries; Last-Event-ID names ${after}. Connect without it.`,
    )
  const { feed, leave } = feeds.join(runId)
  try {
    await feed.ready
  } catch (error) {
    leave()
    throw error
  }
  const read = (fromSeq: number): ReturnType<Call['service']['entries']> => call.service.entries(runId, { fromSeq })
  return streams.response(new RunReader(new RunCursor(feed, after, { read, leave })))
}

/** Reads the first entry in the name of the caller, so that the request is refused like any other read of the run. */
async function checkReadable({ service }: Call, runId: string): Promise<void> {
  const entries = service.entries(runId)
  await entries.next()
  await entries.return(undefined)
}

/** Parses the seq of the last entry that the client has. */
function lastSeq(given: Json | undefined): number {
  if (given === undefined || given === null || given === '') return 0
  const text = typeof given === 'number' ? String(given) : given
  if (typeof text === 'string' && /^\d{1,15}$/.test(text)) return Number(text)
  throw new MandateError('INPUT_INVALID', 'Last-Event-ID is the `seq` of an entry: a whole number.')
}
