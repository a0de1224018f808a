import { MandateError, messageOf } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import type { Call, Route } from '../http/route.ts'
import { lightEntry } from './light-entry.ts'

const PAGE = 1_000
const PAGE_MAX = 5_000
const TEXT_MAX = 1_048_576
const COUNT = { type: 'integer', minimum: 1 }

/** `GET /api/runs/{runId}/outline`: returns many entries of a run in short form, up to the first damaged entry. */
export const outlineRoute: Route = {
  method: 'GET',
  path: '/api/runs/{runId}/outline',
  summary: 'The entries of a run with what is large in them cut to its beginning, page by page.',
  tag: 'journal',
  access: 'identity',
  query: {
    type: 'object',
    properties: { from: COUNT, limit: { ...COUNT, maximum: PAGE_MAX }, text: { ...COUNT, maximum: TEXT_MAX } },
    additionalProperties: false,
  },
  answer: {
    status: 200,
    schema: {
      type: 'object',
      properties: {
        entries: { type: 'array', items: { type: 'object' } },
        head: { type: 'integer' },
        state: { type: 'string' },
        damage: { type: 'object', properties: { seq: { type: 'integer' }, message: { type: 'string' } } },
      },
      required: ['entries', 'head', 'state'],
    },
  },
  handle: readOutline,
}

async function readOutline({ service, params, query }: Call): Promise<Json> {
  const {
    from = 1,
    limit = PAGE,
    text,
  } = query as {
    readonly from?: number
    readonly limit?: number
    readonly text?: number
  }
  const { head, state } = await service.summary(params['runId']!)
  const entries: JsonObject[] = []
  try {
    for await (const entry of service.entries(params['runId']!, { fromSeq: from })) {
      entries.push(lightEntry(entry, text))
      if (entries.length === limit) break
    }
  } catch (error) {
    // Entries before a damaged one are still valid and are returned. If the first entry is damaged, only the damage is reported.
    if (!(MandateError.isInstance(error) && error.code === 'JOURNAL_DAMAGED') && entries.length === 0 && from === 1)
      throw error
    return { entries, head: head.seq, state, damage: { seq: from + entries.length, message: messageOf(error) } }
  }
  return { entries, head: head.seq, state }
}
