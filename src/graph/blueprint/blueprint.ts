import type { Json, JsonObject, Label } from '../../core/index.ts'

/** The target that ends a branch of a graph. */
export const END = 'END'

/** The label of the route that a failed node takes. */
export const FAILED = 'failed'

/** The kinds of nodes. A `join` only waits for its sources; `human` is a synonym of `interrupt`, `graph` of `subgraph`. */
export const NODE_KINDS = [
  'model',
  'agent',
  'tool_executor',
  'tool',
  'router',
  'subgraph',
  'subagent',
  'program',
  'repl_agent',
  'interrupt',
  'join',
] as const
/** `code` is a function of the host: only graphs that are built in TypeScript have such nodes. */
export type NodeKind = (typeof NODE_KINDS)[number] | 'code'

/** How the values that nodes write to one channel in one step become its new value. Other names are reducers that the host has registered. */
export const CHANNEL_KINDS = [
  'last_value',
  'topic',
  'delta',
  'messages',
  'ephemeral',
  'untracked',
  'barrier',
  'named_barrier',
  'aggregate',
] as const

/** The type of a field of the state, the input or the output. */
export interface FieldBlueprint {
  readonly name: string
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'list' | 'any'
  /** The type of the items of a list. */
  readonly items?: FieldBlueprint['type'] | undefined
  readonly optional?: boolean | undefined
}

export interface ChannelBlueprint {
  readonly name: string
  /** One of `CHANNEL_KINDS`, or the name of a registered reducer. */
  readonly reducer: string
  readonly args: readonly (string | number | boolean)[]
  /** Its value before anything is written. */
  readonly initial?: Json | undefined
}

/** One route out of a node: taken by the label that its router or its result names, or by the first condition that holds. */
export interface RouteBlueprint {
  readonly to: string
  readonly label?: string | undefined
  /** A condition over `state` and `result`. A route with neither a label nor a condition is taken if no other is. */
  readonly when?: string | undefined
}

/** Starts a node with its own input, besides the state; with `each` once for every item of a list. */
export interface SendBlueprint {
  readonly to: string
  readonly input?: Json | undefined
  /** An expression over `state` and `result` that returns a list. */
  readonly each?: string | undefined
}

export interface RetryBlueprint {
  /** The total number of attempts. */
  readonly attempts: number
  readonly delayMs?: number | undefined
  /** The factor between consecutive waits. */
  readonly factor?: number | undefined
  readonly maxDelayMs?: number | undefined
}

/** A value that a command writes to a channel: a constant, or the value of an expression over `state` and `result`. */
type UpdateBlueprint = { readonly channel: string } & ({ readonly value: Json } | { readonly expr: string })

export interface CommandBlueprint {
  readonly goto?: string | undefined
  readonly update: readonly UpdateBlueprint[]
}

export interface NodeBlueprint {
  readonly name: string
  readonly kind: NodeKind
  readonly model?: string | undefined
  /** The prompt for a model, an agent or a person: a text with `{{ state.field }}` in it. */
  readonly prompt?: string | undefined
  readonly system?: string | undefined
  readonly agent?: string | undefined
  readonly graph?: string | undefined
  /** The name of a registered program (`program`) or script (`repl_agent`). */
  readonly script?: string | undefined
  /** The name of a registered router. */
  readonly router?: string | undefined
  /** The tool of a `tool` node. */
  readonly tool?: string | undefined
  /** An expression over `state` and `item` for the input of the node. By default the item that it was sent, otherwise the state. */
  readonly input?: string | undefined
  /** The channel of its result; the name of the node by default. */
  readonly writes?: string | undefined
  readonly tools?: readonly string[] | undefined
  /** The allowed answers of a person. */
  readonly options?: readonly string[] | undefined
  /** The nodes for which a join waits. */
  readonly sources?: readonly string[] | undefined
  readonly next?: string | undefined
  /** Where the function of a `code` node, or its router, may go by a command; by default every node, unless edges or routes are given. */
  readonly ends?: readonly string[] | undefined
  readonly routes?: readonly RouteBlueprint[] | undefined
  readonly command?: CommandBlueprint | undefined
  readonly sends?: readonly SendBlueprint[] | undefined
  /** Pauses for a person before or after the node. */
  readonly pause?: 'before' | 'after' | undefined
  /** `sync` stores everything when the node has finished, whatever the graph's setting. */
  readonly checkpoint?: 'sync' | undefined
  readonly timeoutMs?: number | undefined
  readonly retry?: RetryBlueprint | undefined
  readonly maxVisits?: number | undefined
  readonly metadata?: JsonObject | undefined
}

/** Defaults of all nodes, and the limits of the graph. */
export interface GraphDefaults {
  readonly model?: string | undefined
  readonly system?: string | undefined
  readonly timeoutMs?: number | undefined
  readonly retry?: RetryBlueprint | undefined
  /** Steps in one run; 50 by default. */
  readonly maxSteps?: number | undefined
  /** How often one node may run in one run. */
  readonly maxVisits?: number | undefined
  /** Nodes that run at once; 8 by default. */
  readonly maxConcurrency?: number | undefined
}

/** The only names of each kind that a graph may use, if restricted. */
export type AllowBlueprint = Readonly<Partial<Record<CatalogKind, readonly string[]>>>

/** The kinds of names in a registry. */
export const CATALOG_KINDS = ['model', 'tool', 'agent', 'graph', 'router', 'reducer', 'store', 'program'] as const
export type CatalogKind = (typeof CATALOG_KINDS)[number]

/** A position in a source text. Lines and columns count from 1, columns in characters; offsets count UTF-16 units from 0. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly line: number
  readonly column: number
}

export interface Provenance {
  /** A file, text generated by a model or a program, or TypeScript. */
  readonly origin: 'file' | 'generated' | 'code'
  /** The path of the file, or a name of the generated text. */
  readonly label?: string | undefined
  /** The positions of parts in the source: `graph`, `node:<name>`, `channel:<name>`, `edge:<from>`. */
  readonly spans?: Readonly<Record<string, Span>> | undefined
  /** The labels of generated text, if they were tracked: every run of the graph has them. */
  readonly labels?: readonly Label[] | undefined
}

/** A graph as data: the result of compiling `.rag` text; reviewed, registered, compared and run in this form. */
export interface Blueprint {
  readonly blueprint: 1
  readonly name: string
  /** The purpose of the graph. */
  readonly description?: string | undefined
  readonly start: string
  readonly nodes: readonly NodeBlueprint[]
  readonly channels: readonly ChannelBlueprint[]
  readonly edges: readonly { readonly from: string; readonly to: string }[]
  /** `to` runs once all sources have run, in any steps. */
  readonly joins: readonly { readonly sources: readonly string[]; readonly to: string }[]
  readonly state?: readonly FieldBlueprint[] | undefined
  readonly input?: readonly FieldBlueprint[] | undefined
  readonly output?: readonly FieldBlueprint[] | undefined
  readonly defaults?: GraphDefaults | undefined
  /** When entries are stored: at once, in batches, or at the end and when the run suspends. */
  readonly checkpoint?: 'sync' | 'batch' | 'exit' | undefined
  /** Pauses for a person before or after every node. */
  readonly pause?: 'before' | 'after' | undefined
  readonly allow?: AllowBlueprint | undefined
  readonly metadata?: JsonObject | undefined
  /** Its origin, which neither the hash nor a comparison includes. */
  readonly provenance?: Provenance | undefined
}
