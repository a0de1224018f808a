import { AgentRun, kernelOf } from '../../../agent/index.ts'
import type { AgentService } from '../../../agent/index.ts'
import { MandateError } from '../../../core/index.ts'
import type { BudgetLimits, Json, JsonObject, Label } from '../../../core/index.ts'
import type * as GraphRoom from '../../../graph/index.ts'
import type { Blueprint } from '../../../graph/index.ts'
import type { Call, JsonSchema, Route } from '../route.ts'
import { limitsSchema, plain, runAccepted, runResult } from './run-schemas.ts'
import { WAITING, answerFor } from './run-wait.ts'
import { list, object, openObject, text, texts } from './schemas.ts'

type Graphs = typeof GraphRoom

/** Loads the graph module at the first request for graphs. */
const graphs = (): Promise<Graphs> => import('../../../graph/index.ts')

const READS = ['run-agent', 'read-journal'] as const
const blueprint = openObject({ name: text })
const finding = openObject({ code: text, message: text, severity: text })

/** Compiles the source of a request. Source from the network counts as generated, so it is registered only after a review. */
function compiled(
  { compileRag, graphRegistry }: Graphs,
  service: AgentService,
  source: string,
): ReturnType<Graphs['compileRag']> {
  return compileRag(source, { origin: 'generated', label: 'request', catalog: graphRegistry(service) })
}

/** Returns the only graph of a source; otherwise throws with the reasons. */
export function oneGraph(room: Graphs, service: AgentService, source: string): Blueprint {
  const { graphs: found, diagnostics } = compiled(room, service, source)
  const [first] = found
  if (first !== undefined && found.length === 1) return first
  const why = diagnostics.map(({ message }) => message).join('; ') || `it holds ${found.length} graphs`
  throw new MandateError(
    'INPUT_INVALID',
    `The source is not one graph: ${why}. POST it to /api/graphs/check for all findings.`,
    {
      info: plain({ diagnostics }),
    },
  )
}

async function runGraphFor(host: AgentService, call: Call): Promise<Response> {
  const { graphRegistry, runGraph } = await graphs()
  const { input, ...options } = call.body as {
    readonly input?: JsonObject
    readonly budget?: BudgetLimits
    readonly labels?: readonly Label[]
  }
  const name = graphRegistry(host).require('graph', call.params['graphName']!)
  const begun = runGraph(host, name, input ?? {}, { ...options, identity: call.identity })
  const { runId, outcome } = begun
  const run = new AgentRun<Json>(runId, {
    events: host.events,
    result: outcome.then(() => call.service.result(runId)),
    agent: () => undefined,
    begun: () => kernelOf(host).stored(runId),
    abort: (reason) => begun.abort(reason),
    cancel: (reason) => call.service.cancel(runId, reason),
  })
  return answerFor(call, run, 201)
}

async function checked(host: AgentService, source: string): Promise<Json> {
  const room = await graphs()
  const { graphs: found, diagnostics } = compiled(room, host, source)
  const shown = found.map((graph) => ({
    name: graph.name,
    hash: room.blueprintHash(graph),
    blueprint: graph,
    mermaid: room.toMermaid(graph),
    reach: room.inspectGraph(host, graph),
  }))
  return plain({ ok: found.length > 0, graphs: shown, diagnostics })
}

async function shownGraph(host: AgentService, name: string): Promise<Json> {
  const { graphRegistry, blueprintHash, toMermaid } = await graphs()
  const registry = graphRegistry(host)
  const found = registry.blueprint(registry.require('graph', name))!
  return plain({ name: found.name, hash: blueprintHash(found), blueprint: found, mermaid: toMermaid(found) })
}

const graph: JsonSchema = object({ name: text, hash: text, blueprint, mermaid: text })

/** Returns the routes that show and run registered graphs, and check source text. */
export function graphRoutes(host: AgentService): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/graphs',
      summary: 'The names of the registered graphs.',
      tag: 'graphs',
      access: 'identity',
      permission: READS,
      answer: { status: 200, schema: object({ graphs: texts }) },
      handle: async () => ({ graphs: (await graphs()).graphRegistry(host).names('graph') }),
    },
    {
      method: 'GET',
      path: '/api/graphs/{graphName}',
      summary: 'A registered graph: its blueprint, its hash, and a Mermaid diagram.',
      tag: 'graphs',
      access: 'identity',
      permission: READS,
      answer: { status: 200, schema: graph },
      handle: async ({ params }) => shownGraph(host, params['graphName']!),
    },
    {
      method: 'POST',
      path: '/api/graphs/check',
      summary: 'Compiles `.rag` text: all findings, and what its graphs could reach here. Nothing is registered.',
      tag: 'graphs',
      access: 'identity',
      permission: READS,
      body: object({ source: text }),
      answer: {
        status: 200,
        schema: object({
          ok: { type: 'boolean' },
          graphs: list(
            object({
              name: text,
              hash: text,
              blueprint,
              mermaid: text,
              reach: openObject({ tools: list(openObject({ name: text })) }),
            }),
          ),
          diagnostics: list(finding),
        }),
      },
      handle: async ({ body }) => checked(host, (body as { readonly source: string }).source),
    },
    {
      method: 'POST',
      path: '/api/graphs/{graphName}/runs',
      summary: 'Runs a registered graph, in the name of the caller.',
      tag: 'graphs',
      access: 'identity',
      permission: 'run-agent',
      query: WAITING,
      body: object({ 'input?': openObject({}), 'budget?': limitsSchema, 'labels?': texts }),
      answer: { status: 201, schema: runResult, also: { 202: runAccepted } },
      handle: (call) => runGraphFor(host, call),
    },
  ]
}
