import type { Json } from '../../core/index.ts'
import { alignEntries } from '../../journal/index.ts'
import type { Call, Route } from '../http/route.ts'
import { allEntries } from './all-entries.ts'

const RUN = { type: 'string' }

/**
 * `GET /api/compare`: aligns the entries of two runs by their full content. Returns only their positions; the page requests the entries when it shows them.
 */
export const compareRoute: Route = {
  method: 'GET',
  path: '/api/compare',
  summary: 'The entries of two runs side by side: the same, changed, or only in one of them.',
  tag: 'journal',
  access: 'identity',
  query: { type: 'object', properties: { a: RUN, b: RUN }, required: ['a', 'b'], additionalProperties: false },
  answer: {
    status: 200,
    schema: {
      type: 'object',
      properties: { pairs: { type: 'array', items: { type: 'object' } } },
      required: ['pairs'],
    },
  },
  handle: compare,
}

async function compare({ service, query }: Call): Promise<Json> {
  const { a, b } = query as { readonly a: string; readonly b: string }
  const pairs = alignEntries(await allEntries(service, a), await allEntries(service, b))
  return {
    pairs: pairs.map((pair) => ({
      kind: pair.kind,
      ...(pair.a === undefined ? {} : { a: pair.a.seq }),
      ...(pair.b === undefined ? {} : { b: pair.b.seq }),
    })),
  }
}
