import type { Json } from '../../../core/index.ts'
import type { Entry } from '../../../journal/index.ts'
import type { Call, Route } from '../route.ts'
import { head, plain } from './run-schemas.ts'
import { textBody } from '../../streams/iterable-stream.ts'
import { anything, count, flag, list, object, oneOf, openObject, text } from './schemas.ts'

const PAGE = 200
const PAGE_MAX = 1_000

/** Returns a page of the entries of a run; each entry is verified against the previous one. */
async function readEntries({ service, params, query }: Call): Promise<Json> {
  const { from = 1, limit = PAGE } = query as { readonly from?: number; readonly limit?: number }
  const entries: Entry[] = []
  for await (const entry of service.entries(params['runId']!, { fromSeq: from })) {
    if (entries.length === limit) return plain({ entries, next: entry.seq })
    entries.push(entry)
  }
  return plain({ entries })
}

/** Streams a run as a file of lines while it is read. */
async function exported({ service, params }: Call): Promise<Response> {
  const run = params['runId']!
  const lines = service.export(run)
  // Read first, so that a run that the caller may not read is refused before the response begins.
  const first = await lines.next()
  const all = async function* (): AsyncGenerator<string> {
    if (first.done !== true) yield `${first.value}\n`
    for await (const line of lines) yield `${line}\n`
  }
  return new Response(textBody(all()), {
    headers: {
      'content-type': 'application/jsonl',
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(run)}.jsonl`,
    },
  })
}

/** Routes that read, export, replay and verify the journal of a run. */
export const historyRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/runs/{runId}/entries',
    summary: 'The entries of a run, page by page.',
    tag: 'journal',
    access: 'identity',
    query: object({
      'from?': { type: 'integer', minimum: 1 },
      'limit?': { type: 'integer', minimum: 1, maximum: PAGE_MAX },
    }),
    answer: {
      status: 200,
      schema: object({ entries: list(openObject({ run: text, seq: count, type: text, hash: text })), 'next?': count }),
    },
    handle: readEntries,
  },
  {
    method: 'GET',
    path: '/api/runs/{runId}/export',
    summary: 'A run as a file of lines, as `mandate export` prints it, for `mandate import` and `mandate verify`.',
    tag: 'journal',
    access: 'identity',
    answer: { status: 200, type: 'application/jsonl' },
    handle: exported,
  },
  {
    method: 'GET',
    path: '/api/runs/{runId}/messages',
    summary: 'The conversation of a run.',
    tag: 'journal',
    access: 'identity',
    answer: { status: 200, schema: object({ messages: list(openObject({ role: text, content: anything })) }) },
    handle: async ({ service, params }) => plain({ messages: await service.messages(params['runId']!) }),
  },
  {
    method: 'GET',
    path: '/api/runs/{runId}/replay',
    summary: 'Executes a run again from its journal. Performs nothing; says whether it came to the same.',
    tag: 'journal',
    access: 'identity',
    answer: {
      status: 200,
      schema: openObject({
        run: text,
        identical: flag,
        complete: flag,
        entries: count,
        effects: count,
        'difference?': anything,
      }),
    },
    handle: async ({ service, params }) => plain(await service.replay(params['runId']!)),
  },
  {
    method: 'GET',
    path: '/api/runs/{runId}/verify',
    summary: 'Checks the hash chain of a run, and that nothing got around the gate.',
    tag: 'journal',
    access: 'identity',
    answer: {
      status: 200,
      schema: openObject({
        ok: flag,
        run: text,
        entries: count,
        head,
        problems: list(text),
        chain: oneOf('intact', 'broken'),
      }),
    },
    handle: async ({ service, params }) => plain(await service.verify(params['runId']!)),
  },
]
