import type { ErrorInfo, Json, JsonObject } from '../../core/index.ts'

/** Starts a node with its own input. */
export type Sent = { readonly to: string; readonly input: Json }

/** The target of a command or a router: a node, `END`, or a node with its own input. */
export type Target = string | Sent

/** The result of one activation of a node, as journaled. */
export type NodeResult = {
  /** The value that routes read as `result`, and that is written to the channel of the node. */
  readonly result?: Json
  /** The values to write to channels. */
  readonly update?: JsonObject
  /** The route to take. */
  readonly label?: string
  /** The targets, instead of the routes of the node. */
  readonly goto?: readonly Target[]
}

/** An activation that failed permanently. */
export interface NodeFailure {
  readonly failed: ErrorInfo
}

export function isFailure(result: NodeResult | NodeFailure): result is NodeFailure {
  return 'failed' in result
}

/** One node in the active set of a step. */
export interface Activation {
  readonly node: string
  /** Starts at 1. */
  readonly step: number
  /** Its key in the journal: `node:fetch:3`, and `node:fetch:3:2` for the second of the same step. */
  readonly key: string
  /** The item that it was sent, if there is one. */
  readonly item?: Json | undefined
}
