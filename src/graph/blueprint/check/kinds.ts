import type { NodeBlueprint, NodeKind } from '../blueprint.ts'
import { NODE_KINDS } from '../blueprint.ts'
import { didYouMean } from '../report.ts'
import type { GraphView } from './graph-view.ts'

type Field = keyof NodeBlueprint

/** The kinds in a blueprint from outside: functions exist only in code. */
type DataKind = Exclude<NodeKind, 'code'>

/** The required fields of each kind, and its other specific fields. */
const KINDS: Readonly<Record<DataKind, { readonly needs?: Field; readonly uses: readonly Field[] }>> = {
  model: { uses: ['model', 'prompt', 'system', 'tools'] },
  agent: { uses: ['model', 'prompt', 'system', 'tools'] },
  tool_executor: { uses: ['tools'] },
  tool: { needs: 'tool', uses: ['tool'] },
  router: { uses: [] },
  subgraph: { needs: 'graph', uses: ['graph'] },
  subagent: { needs: 'agent', uses: ['agent', 'model', 'prompt', 'system', 'tools'] },
  program: { needs: 'script', uses: ['script'] },
  repl_agent: { needs: 'script', uses: ['script', 'model', 'prompt', 'system', 'tools'] },
  interrupt: { uses: ['prompt', 'options'] },
  join: { uses: ['sources'] },
}

const FIELDS_OF_KINDS: readonly Field[] = [
  'model',
  'prompt',
  'system',
  'agent',
  'graph',
  'script',
  'tool',
  'tools',
  'options',
  'sources',
]

/** Other common words for a kind. */
const KIND_WORDS: Readonly<Record<string, NodeKind>> = {
  human: 'interrupt',
  graph: 'subgraph',
  llm: 'model',
  tools: 'tool_executor',
  script: 'program',
}

/** Checks that every node has a known kind, its required fields, and no fields that its kind does not use. */
export function checkKinds(view: GraphView): void {
  const { blueprint, report } = view
  const joined = new Set(blueprint.joins.map((join) => join.to))
  blueprint.nodes.forEach((node, index) => {
    const path = `/nodes/${index}`
    if (node.kind === 'code' && report.isBuilt) return
    if (!Object.hasOwn(KINDS, node.kind)) {
      const other = Object.hasOwn(KIND_WORDS, node.kind) ? KIND_WORDS[node.kind] : undefined
      report.error('E-rag-invalid-node-kind', `\`${node.kind.slice(0, 60)}\` is not a kind of node.`, {
        path: `${path}/kind`,
        help:
          node.kind === 'code'
            ? 'Functions are nodes only of graphs that are built in TypeScript; name a registered program: `kind program`.'
            : other === undefined
              ? didYouMean(node.kind, NODE_KINDS)
              : `Write \`${other}\`.`,
      })
      return
    }
    const { needs, uses } = KINDS[node.kind as DataKind]
    if (needs !== undefined && node[needs] === undefined) missing(node, needs, path, view)
    for (const field of FIELDS_OF_KINDS)
      if (node[field] !== undefined && !uses.includes(field)) unused(node, field, path, view)
    checkFurther(node, path, joined, view)
  })
}

function missing(node: NodeBlueprint, field: string, path: string, { report }: GraphView): void {
  report.missing(
    'E-rag-missing-reference',
    `The node \`${node.name}\` of kind ${node.kind} does not name its ${field}.`,
    {
      path,
      help: `Add \`${field} "…"\`.`,
    },
  )
}

function unused(node: NodeBlueprint, field: Field, path: string, { report }: GraphView): void {
  const kinds = NODE_KINDS.filter((kind) => KINDS[kind].needs === field || KINDS[kind].uses[0] === field)
  const help = `Leave it out, or change the kind${kinds.length > 0 ? `: \`kind ${kinds[0]}\` uses it` : ''}.`
  const finding = { path: `${path}/${field}`, help }
  // A wait that does not happen changes the behaviour of a graph; other unused fields do not.
  if (field === 'sources')
    report.error('E-rag-invalid-value', `The node \`${node.name}\` of kind ${node.kind} cannot wait for sources.`, {
      ...finding,
      help: `Write \`join [${(node.sources ?? []).slice(0, 5).join(', ')}] -> ${node.name}\` beside the nodes.`,
    })
  else report.warning('W-rag-unused-item', `A node of kind ${node.kind} does not use \`${field}\`.`, finding)
}

function checkFurther(node: NodeBlueprint, path: string, joined: ReadonlySet<string>, { report }: GraphView): void {
  const { kind, name } = node
  if (kind === 'join' && node.sources === undefined && !joined.has(name))
    report.missing('E-rag-missing-reference', `The join \`${name}\` does not name the nodes that it waits for.`, {
      path,
      help: 'Add `sources [a, b]`.',
    })
  const isLabelled = node.routes?.some((route) => route.label !== undefined) ?? false
  if (kind === 'router' && node.router === undefined && isLabelled)
    report.missing('E-rag-missing-reference', `Nothing chooses between the labels of the router \`${name}\`.`, {
      path,
      help: 'Name a registered router (`router "…"`), or write conditions: `when "…" -> x`.',
    })
  if (kind === 'interrupt' && node.prompt === undefined)
    report.warning('W-rag-missing-prompt', `The node \`${name}\` asks a person and has no question.`, {
      path,
      help: 'Add `prompt "…"`.',
    })
}
