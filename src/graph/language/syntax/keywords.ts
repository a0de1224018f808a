import type { CatalogKind } from '../../blueprint/blueprint.ts'

/**
 * What follows each keyword in a graph. A word is a keyword only in these positions; elsewhere it is a name.
 * - `word`, `text`, `number`, `duration`: one literal; `target`: the name of a node, or END
 * - `texts`, `targets`: a list; `settings`: a block of known keys; `record`: a block of free keys
 * - the others have a form of their own
 */
export const GRAPH_ITEMS = {
  start: 'target',
  description: 'text',
  defaults: 'settings',
  input: 'fields',
  output: 'fields',
  state: 'fields',
  checkpoint: 'word',
  interrupt: 'word',
  channel: 'channel',
  join: 'join',
  allow: 'allow',
  metadata: 'record',
  node: 'node',
} as const

/** The same for a node. */
export const NODE_ITEMS = {
  kind: 'word',
  model: 'text',
  prompt: 'text',
  system: 'text',
  agent: 'text',
  graph: 'text',
  script: 'text',
  router: 'text',
  tool: 'text',
  input: 'text',
  writes: 'word',
  tools: 'texts',
  options: 'texts',
  sources: 'targets',
  next: 'target',
  ends: 'targets',
  routes: 'routes',
  command: 'command',
  sends: 'sends',
  checkpoint: 'word',
  interrupt: 'word',
  timeout: 'duration',
  retry: 'settings',
  visits: 'number',
  metadata: 'record',
  steering: 'steering',
} as const

export type GraphItemName = keyof typeof GRAPH_ITEMS
export type NodeItemName = keyof typeof NODE_ITEMS

/** Items that may be repeated. */
export const REPEATABLE: ReadonlySet<string> = new Set(['channel', 'join', 'node', 'allow'])

/** The keys of a `retry` block: the field of the blueprint, and the type of its value. */
export const RETRY_SETTINGS = {
  attempts: ['attempts', 'number'],
  delay: ['delayMs', 'duration'],
  factor: ['factor', 'number'],
  max_delay: ['maxDelayMs', 'duration'],
} as const

/** The same for `defaults`. */
export const DEFAULT_SETTINGS = {
  model: ['model', 'text'],
  system: ['system', 'text'],
  timeout: ['timeoutMs', 'duration'],
  retry: ['retry', 'retry'],
  max_steps: ['maxSteps', 'number'],
  max_visits: ['maxVisits', 'number'],
  max_concurrency: ['maxConcurrency', 'number'],
} as const

/** The lists of an `allow` item. */
export const ALLOW_LISTS: Readonly<Record<string, CatalogKind>> = {
  models: 'model',
  tools: 'tool',
  agents: 'agent',
  graphs: 'graph',
  routers: 'router',
  reducers: 'reducer',
  stores: 'store',
  programs: 'program',
}

/** Words inside the forms of items. */
export const INNER_WORDS = ['graph', 'when', 'otherwise', 'send', 'each', 'goto', 'update', 'expr', 'initial'] as const

/** Synonyms of kinds of nodes. */
export const KIND_ALIASES: Readonly<Record<string, string>> = { human: 'interrupt', graph: 'subgraph' }

/** Words with a fixed value. */
export const CONSTANTS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null }

export const FIELD_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'list', 'any'] as const
