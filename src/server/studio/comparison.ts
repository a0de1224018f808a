import type { Json } from '../../core/index.ts'
import { alignEntries } from '../../journal/index.ts'
import type { Call, Route } from '../http/route.ts'
import { allEntries } from './all-entries.ts'

const RUN = { type: 'string' }

/** `GET /api/compare`: two runs entry by entry, by what their whole entries say. The entries themselves are asked for as they are looked at. */
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
