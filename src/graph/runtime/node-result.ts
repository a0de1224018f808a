import type { ErrorInfo, Json, JsonObject } from '../../core/index.ts'

/** Starts a node with an input of its own. */
export type Sent = { readonly to: string; readonly input: Json }

/** Where a command or a router sends a run: a node, `END`, or a node with an input of its own. */
export type Target = string | Sent

/** What one activation of a node came to, as the journal has it. */
export type NodeResult = {
  /** What routes see as `result`, and what is written to the channel of the node. */
  readonly result?: Json
  /** What is written to channels. */
  readonly update?: JsonObject
  /** The route to take. */
  readonly label?: string
  /** Where to go instead of by the routes of the node. */
  readonly goto?: readonly Target[]
}

/** An activation that failed for good. */
export interface NodeFailure {
  readonly failed: ErrorInfo
}

export function isFailure(result: NodeResult | NodeFailure): result is NodeFailure {
  return 'failed' in result
}

/** One node in the active set of a step. */
export interface Activation {
  readonly node: string
  /** From 1 up. */
  readonly step: number
  /** Names it in the journal: `node:fetch:3`, and `node:fetch:3:2` for the second of the same step. */
  readonly key: string
  /** What it was sent, where it was. */
  readonly item?: Json | undefined
}
