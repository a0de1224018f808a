/** Names of data variables. The host sets them, and they are reset for every cell. */
const DATA_NAMES = ['context', 'state', 'messages', 'history', 'run'] as const

/** The data variables whose values the host provides. */
export const SET_NAMES = ['context', 'state', 'messages'] as const

export type SetName = (typeof SET_NAMES)[number]

/** Slot for the graph drafts, stored with the data that the host sets. */
export const DRAFTS = 'drafts'

export type SlotName = SetName | typeof DRAFTS

/** Asynchronous functions of cells. */
export const CALL_NAMES = [
  'model_query',
  'model_query_batched',
  'agent_query',
  'agent_query_batched',
  'tool_call',
  'tool_call_batched',
  'graph_run',
  'graph_run_batched',
  'graph_define',
  'graph_validate',
  'graph_compile',
  'graph_diff',
  'graph_register',
  'rlm_query',
  'rlm_query_batched',
] as const

/** Synchronous functions of cells. */
export const INSTANT_NAMES = ['print', 'debug', 'emit', 'show_vars', 'answer'] as const

/** Names that variables of a session cannot have. */
export const RESERVED: ReadonlySet<string> = new Set([...DATA_NAMES, ...CALL_NAMES, ...INSTANT_NAMES, 'tools'])
