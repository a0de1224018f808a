/** Names that hold data: the host fills them, and they are as before after every cell. */
const DATA_NAMES = ['context', 'state', 'messages', 'history', 'run'] as const

/** Those that a host sets. */
export const SET_NAMES = ['context', 'state', 'messages'] as const

export type SetName = (typeof SET_NAMES)[number]

/** Graphs that cells have written are kept beside the data that the host sets. */
export const DRAFTS = 'drafts'

export type SlotName = SetName | typeof DRAFTS

/** Functions that cells wait for. */
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

/** Functions that are answered at once. */
export const INSTANT_NAMES = ['print', 'debug', 'emit', 'show_vars', 'answer'] as const

/** No variable of a session has one of these names. */
export const RESERVED: ReadonlySet<string> = new Set([...DATA_NAMES, ...CALL_NAMES, ...INSTANT_NAMES, 'tools'])
