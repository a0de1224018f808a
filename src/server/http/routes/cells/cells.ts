import type { AgentService } from '../../../../agent/index.ts'
import { MandateError } from '../../../../core/index.ts'
import type { Json, Label } from '../../../../core/index.ts'
import type { ReplSession } from '../../../../repl/index.ts'
import type { Call, JsonSchema, Route } from '../../route.ts'
import { CellSessions } from './cell-sessions.ts'
import { placeIn, placeText } from '../list-place.ts'
import { limitsSchema, plain } from '../run-schemas.ts'
import { anything, count, flag, list, object, oneOf, openObject, text, texts } from '../schemas.ts'

const PATH = '/api/cell-sessions/{sessionId}'
const session = object({
  id: text,
  waiting: flag,
  variables: texts,
  cells: list(object({ run: text, cell: count, source: text, isFailed: flag })),
})
const listed = object({ id: text, waiting: flag, 'updatedAt?': { type: 'number' } })
const cellResult = openObject({
  status: oneOf('completed', 'failed', 'cancelled', 'waiting'),
  run: text,
  cell: count,
  stdout: text,
  variablesChanged: texts,
  calls: list(openObject({ id: text })),
  pending: list(openObject({})),
})

async function shown(of: ReplSession): Promise<Json> {
  return plain({ id: of.id, waiting: of.isWaiting, variables: await of.variables.names(), cells: await of.cells() })
}

/** Returns the route of an operation on one session. */
function doing(
  what: string,
  route: Pick<Route, 'summary' | 'answer'> & { readonly body: JsonSchema; readonly handle: Route['handle'] },
): Route {
  return {
    method: 'POST',
    path: `${PATH}/${what}`,
    tag: 'cells',
    access: 'identity',
    permission: 'run-agent',
    ...route,
  }
}

function lookRoutes(sessions: CellSessions): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/cell-sessions',
      summary: 'The sessions of the caller that were not closed, those with the newest cells first, page by page.',
      tag: 'cells',
      access: 'identity',
      permission: 'run-agent',
      query: object({ 'limit?': { type: 'integer', minimum: 1, maximum: 500 }, 'after?': text }),
      answer: { status: 200, schema: object({ sessions: list(listed), 'next?': text }) },
      async handle(call) {
        const { limit = 50, after } = call.query as { readonly limit?: number; readonly after?: string }
        const page = await sessions.list(call, limit, after === undefined ? undefined : placeIn(after))
        return plain(page.next === undefined ? page : { ...page, next: placeText(page.next) })
      },
    },
    {
      method: 'GET',
      path: PATH,
      summary: 'A session: its cells, the names of its variables, and whether a cell waits.',
      tag: 'cells',
      access: 'identity',
      permission: 'run-agent',
      answer: { status: 200, schema: session },
      handle: async (call) => shown(await sessions.find(call)),
    },
    {
      method: 'GET',
      path: `${PATH}/variables/{name}`,
      summary: 'The value of a variable.',
      tag: 'cells',
      access: 'identity',
      permission: 'run-agent',
      answer: { status: 200, schema: object({ name: text, value: anything }) },
      async handle(call) {
        const name = call.params['name']!
        const value = await (await sessions.find(call)).variables.get(name)
        if (value === undefined) throw new MandateError('NOT_FOUND', `The session has no variable "${name}".`)
        return { name, value }
      },
    },
    {
      method: 'PUT',
      path: `${PATH}/variables/{name}`,
      summary: 'Sets a variable, from the next cell on.',
      tag: 'cells',
      access: 'identity',
      permission: 'run-agent',
      body: object({ value: anything, 'labels?': texts }),
      answer: { status: 200, schema: object({ name: text }) },
      async handle(call) {
        const { value, labels = [] } = call.body as { readonly value: Json; readonly labels?: readonly Label[] }
        ;(await sessions.find(call)).variables.set(call.params['name']!, value, { labels })
        return { name: call.params['name']! }
      },
    },
  ]
}

/** Returns the routes for sessions of cells: scripts that are evaluated one after another over variables that persist. */
export function cellRoutes(host: AgentService): readonly Route[] {
  const sessions = new CellSessions(host)
  return [
    {
      method: 'POST',
      path: '/api/cell-sessions',
      summary: 'Opens a session of cells.',
      tag: 'cells',
      access: 'identity',
      permission: 'run-agent',
      body: object({ 'policy?': openObject({}), 'budget?': limitsSchema, 'context?': anything, 'state?': anything }),
      answer: { status: 201, schema: session },
      handle: async (call) => shown(await sessions.begin(call, call.body as object)),
    },
    ...lookRoutes(sessions),
    {
      method: 'DELETE',
      path: PATH,
      summary:
        'Closes a session for good: a cell that is evaluated or waits is cancelled. The journals of its cells stay.',
      tag: 'cells',
      access: 'identity',
      permission: 'run-agent',
      answer: { status: 200, schema: object({ id: text }) },
      handle: async (call) => ({ id: await sessions.close(call) }),
    },
    doing('cells', {
      summary: 'Evaluates a cell and waits for what it gives; one that waits for a person says so.',
      body: object({ source: text, 'labels?': texts }),
      answer: { status: 200, schema: cellResult },
      async handle(call) {
        const { source, labels } = call.body as { readonly source: string; readonly labels?: readonly Label[] }
        return plain(await (await sessions.find(call)).evalCell(source, { labels }))
      },
    }),
    doing('resume', {
      summary: 'Goes on with the cell that waited.',
      body: object({}),
      answer: { status: 200, schema: cellResult },
      handle: async (call) => plain(await (await sessions.find(call)).resume()),
    }),
    doing('cancel', {
      summary: 'Ends the cell that is evaluated or waits. The session stays.',
      body: object({ 'reason?': text }),
      answer: { status: 200, schema: object({ id: text }) },
      async handle(call) {
        const found = await sessions.find(call)
        await found.cancel((call.body as { readonly reason?: string }).reason)
        return { id: found.id }
      },
    }),
    doing('undo', {
      summary: 'Brings the variables back to what they were before the last cells.',
      body: object({ 'cells?': { type: 'integer', minimum: 1 } }),
      answer: { status: 200, schema: session },
      async handle(call) {
        const found = await sessions.find(call)
        await found.undo((call.body as { readonly cells?: number }).cells)
        return shown(found)
      },
    }),
    doing('fork', {
      summary: 'A new session with the variables as they were after a cell: the last one, or that of a run.',
      body: object({ 'at?': text }),
      answer: { status: 201, schema: session },
      handle: async (call: Call) => shown(await sessions.fork(call, (call.body as { readonly at?: string }).at)),
    }),
  ]
}
