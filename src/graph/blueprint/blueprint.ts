import type { Json, JsonObject } from '../../core/index.ts'

/** The target that ends a branch of a graph. */
export const END = 'END'

/** The label of the way that a node takes when it failed. */
export const FAILED = 'failed'

/** What a node does. A `join` only waits for its sources; `human` is another name of `interrupt`, `graph` of `subgraph`. */
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

/** How the values that nodes write to one channel in one step become its new value. Other names are reducers that the host registered. */
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
  /** What it holds before anything is written. */
  readonly initial?: Json | undefined
}

/** One way out of a node: by the label that its router or its result names, or by the first condition that holds. */
export interface RouteBlueprint {
  readonly to: string
  readonly label?: string | undefined
  /** A condition over `state` and `result`. A route with neither a label nor a condition is taken when no other is. */
  readonly when?: string | undefined
}

/** Starts a node with an input of its own, beside the state; with `each` once for every item of a list. */
export interface SendBlueprint {
  readonly to: string
  readonly input?: Json | undefined
  /** An expression over `state` and `result` that gives a list. */
  readonly each?: string | undefined
}

export interface RetryBlueprint {
  /** How often the node is tried in all. */
  readonly attempts: number
  readonly delayMs?: number | undefined
  /** Each wait is this many times the one before. */
  readonly factor?: number | undefined
  readonly maxDelayMs?: number | undefined
}

/** A value that a command writes to a channel: as it is, or what an expression over `state` and `result` gives. */
type UpdateBlueprint = { readonly channel: string } & ({ readonly value: Json } | { readonly expr: string })

export interface CommandBlueprint {
  readonly goto?: string | undefined
  readonly update: readonly UpdateBlueprint[]
}

export interface NodeBlueprint {
  readonly name: string
  readonly kind: NodeKind
  readonly model?: string | undefined
  /** Text with `{{ state.field }}` in it; what is asked of a model, an agent or a person. */
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
  /** An expression over `state` and `item` that gives what the node works on. Absent: the item that it was sent, else the state. */
  readonly input?: string | undefined
  /** The channel that its result is written to; the name of the node when absent. */
  readonly writes?: string | undefined
  readonly tools?: readonly string[] | undefined
  /** The answers that a person may give. */
  readonly options?: readonly string[] | undefined
  /** The nodes that a join waits for. */
  readonly sources?: readonly string[] | undefined
  readonly next?: string | undefined
  /** Where the function of a `code` node, or its router, may go by a command; to every node when absent and nothing else says where it goes. */
  readonly ends?: readonly string[] | undefined
  readonly routes?: readonly RouteBlueprint[] | undefined
  readonly command?: CommandBlueprint | undefined
  readonly sends?: readonly SendBlueprint[] | undefined
  /** Pauses for a person before or after the node. */
  readonly pause?: 'before' | 'after' | undefined
  /** `sync` stores everything so far when the node is over, whatever the graph says. */
  readonly checkpoint?: 'sync' | undefined
  readonly timeoutMs?: number | undefined
  readonly retry?: RetryBlueprint | undefined
  readonly maxVisits?: number | undefined
  readonly metadata?: JsonObject | undefined
}

/** What holds for every node that does not say otherwise, and the limits of the graph. */
export interface GraphDefaults {
  readonly model?: string | undefined
  readonly system?: string | undefined
  readonly timeoutMs?: number | undefined
  readonly retry?: RetryBlueprint | undefined
  /** Steps in one run; 50 when absent. */
  readonly maxSteps?: number | undefined
  /** Times that one node runs in one run. */
  readonly maxVisits?: number | undefined
  /** Nodes that run at once; 8 when absent. */
  readonly maxConcurrency?: number | undefined
}

/** The only names that a graph may use of each kind, where it says so. */
export type AllowBlueprint = Readonly<Partial<Record<CatalogKind, readonly string[]>>>

/** What a registry knows by name. */
export const CATALOG_KINDS = ['model', 'tool', 'agent', 'graph', 'router', 'reducer', 'store', 'program'] as const
export type CatalogKind = (typeof CATALOG_KINDS)[number]

/** A place in a source text. Lines and columns count from 1, columns in characters; offsets count UTF-16 units from 0. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly line: number
  readonly column: number
}

export interface Provenance {
  /** A file, text that a model or a program made, or TypeScript. */
  readonly origin: 'file' | 'generated' | 'code'
  /** The path of the file, or what the generated text is called. */
  readonly label?: string | undefined
  /** Where parts stand in the source: `graph`, `node:<name>`, `channel:<name>`, `edge:<from>`. */
  readonly spans?: Readonly<Record<string, Span>> | undefined
}

/** A graph as data: what `.rag` text compiles to, what is reviewed, registered, compared and run. */
export interface Blueprint {
  readonly blueprint: 1
  readonly name: string
  /** What the graph is for, in words. */
  readonly description?: string | undefined
  readonly start: string
  readonly nodes: readonly NodeBlueprint[]
  readonly channels: readonly ChannelBlueprint[]
  readonly edges: readonly { readonly from: string; readonly to: string }[]
  /** `to` runs once all sources have run, in whatever steps. */
  readonly joins: readonly { readonly sources: readonly string[]; readonly to: string }[]
  readonly state?: readonly FieldBlueprint[] | undefined
  readonly input?: readonly FieldBlueprint[] | undefined
  readonly output?: readonly FieldBlueprint[] | undefined
  readonly defaults?: GraphDefaults | undefined
  /** When entries are stored: at once, in batches, or at the end and whenever the run suspends. */
  readonly checkpoint?: 'sync' | 'batch' | 'exit' | undefined
  /** Pauses for a person before or after every node. */
  readonly pause?: 'before' | 'after' | undefined
  readonly allow?: AllowBlueprint | undefined
  readonly metadata?: JsonObject | undefined
  /** Where it came from. Neither the hash nor a comparison takes it into account. */
  readonly provenance?: Provenance | undefined
}
