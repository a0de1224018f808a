import { MandateError } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import {
  blueprintHash,
  compileRag,
  diffBlueprints,
  graphRegistry,
  graphReviews,
  putGraph,
  renderDiagnostics,
  resolveBlueprint,
} from '../../graph/index.ts'
import type { Blueprint } from '../../graph/index.ts'
import { defineTool } from '../../tool/index.ts'
import type { Tool } from '../../tool/index.ts'

/** The tools behind the `graph_…` functions. Cells cannot call them as tools, because the functions maintain the drafts. */
export const GRAPH_TOOLS: ReadonlySet<string> = new Set([
  'graph_define',
  'graph_validate',
  'graph_diff',
  'graph_register',
])

const BLUEPRINT = { type: 'object' } as const

/** Creates tools for the graph operations of cells, so that each passes the gate, is recorded and is not repeated in a replay. */
export function graphTools(host: object): ReadonlyMap<string, Tool> {
  const catalog = graphRegistry(host)
  const tools: readonly Tool[] = [
    defineTool({
      name: 'graph_define',
      description: 'Reads a graph that was written as text.',
      inputSchema: {
        type: 'object',
        properties: { name: { type: 'string' }, source: { type: 'string' } },
        required: ['name', 'source'],
      },
      risk: 'read',
      safeByDefault: true,
      idempotent: true,
      takesTokens: true,
      run: ({ name, source }: { readonly name: string; readonly source: string }) => read(name, source),
    }),
    defineTool({
      name: 'graph_validate',
      description: 'Says which names of a graph are not known here.',
      inputSchema: { type: 'object', properties: { blueprint: BLUEPRINT }, required: ['blueprint'] },
      risk: 'read',
      safeByDefault: true,
      idempotent: true,
      takesTokens: true,
      run: ({ blueprint }: { readonly blueprint: JsonObject }) =>
        resolveBlueprint(blueprint as unknown as Blueprint, catalog).map(({ message, help }) =>
          help === undefined ? message : `${message} ${help}`,
        ),
    }),
    defineTool({
      name: 'graph_diff',
      description: 'Says how two graphs differ.',
      inputSchema: {
        type: 'object',
        properties: { registered: { type: 'string' }, before: BLUEPRINT, after: BLUEPRINT },
        required: ['after'],
      },
      risk: 'read',
      safeByDefault: true,
      idempotent: true,
      takesTokens: true,
      run: (input: { readonly registered?: string; readonly before?: JsonObject; readonly after: JsonObject }) => {
        const { registered, after } = input
        const before = registered === undefined ? (input.before as unknown as Blueprint) : catalog.blueprint(registered)
        if (before === undefined)
          throw new MandateError('NOT_FOUND', `No graph is registered as "${registered}". Compare with a draft.`)
        return diffBlueprints(before, after as unknown as Blueprint) as unknown as Json
      },
    }),
    registerTool(host),
  ]
  return new Map(tools.map((tool) => [tool.name, tool]))
}

function registerTool(host: object): Tool {
  return defineTool({
    name: 'graph_register',
    description: 'Makes a graph known, so that it can be run.',
    inputSchema: {
      type: 'object',
      properties: { blueprint: BLUEPRINT, permit: { type: 'string' } },
      required: ['blueprint'],
    },
    risk: 'write',
    safeByDefault: true,
    run: async ({ blueprint, permit }: { readonly blueprint: JsonObject; readonly permit?: string }, { identity }) => {
      const graph = blueprint as unknown as Blueprint
      // An unreviewed graph may replace only generated graphs, never those of the host.
      const isGenerated = graphRegistry(host).blueprint(graph.name)?.provenance?.origin === 'generated'
      if (permit === undefined) return putGraph(host, graph, { override: isGenerated })
      const { graph: name } = await graphReviews(host)
        .as({ ...identity, roles: identity.roles ?? [] })
        .register(graph, permit)
      return name
    },
  })
}

/** Compiles a graph written by a cell. Its origin is always `generated`, regardless of its source. */
function read(name: string, source: string): Json {
  const { graphs, diagnostics } = compileRag(source, { origin: 'generated', label: 'cell' })
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new MandateError('INPUT_INVALID', renderDiagnostics(source, errors))
  const found = graphs.find((graph) => graph.name === name)
  if (found === undefined)
    throw new MandateError(
      'INPUT_INVALID',
      `The text has no graph "${name}": it has ${graphs.map((graph) => graph.name).join(', ') || 'none'}.`,
    )
  return { blueprint: JSON.parse(JSON.stringify(found)) as Json, hash: blueprintHash(found) }
}
