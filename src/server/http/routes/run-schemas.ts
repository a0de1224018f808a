import type { AgentResult } from '../../../agent/index.ts'
import { resultJson } from '../../../agent/index.ts'
import type { Json, JsonObject } from '../../../core/index.ts'
import type { RunSummary } from '../../../journal/index.ts'
import type { JsonSchema } from '../route.ts'
import { anything, count, list, object, oneOf, openObject, text } from './schemas.ts'

export const head: JsonSchema = object({ seq: count, hash: text, at: { type: 'number' } })

/** The schema of the summary of a run. */
export const runInfo: JsonSchema = object({
  id: text,
  kind: text,
  name: text,
  sessionId: text,
  'parent?': text,
  state: text,
  'suspendReason?': text,
  'wakeAt?': { type: 'number' },
  createdAt: { type: 'number' },
  updatedAt: { type: 'number' },
  entries: count,
  waiting: count,
  'damage?': text,
})

/** The schema of the result of a run, or of its progress. */
export const runResult: JsonSchema = openObject({
  id: text,
  sessionId: text,
  status: oneOf('completed', 'await_user', 'failed', 'cancelled', 'max_turns', 'max_tokens'),
  phase: text,
  result: anything,
  text,
  lastText: text,
  messages: list(openObject({ role: text })),
  steps: count,
  actions: list(openObject({ id: text, toolId: text, ok: { type: 'boolean' } })),
  usage: openObject({
    inputTokens: { type: 'number' },
    outputTokens: { type: 'number' },
    totalTokens: { type: 'number' },
  }),
  'cost?': { type: 'number' },
  startedAt: text,
  finishedAt: text,
  'error?': openObject({ code: text, message: text }),
  'suspendReason?': text,
  pending: list(openObject({ run: text, text, reason: text })),
})

/** The schema of a run that continues after the response. */
export const runAccepted: JsonSchema = object({ id: text, sessionId: text, state: text })

export const limitsSchema: JsonSchema = openObject({
  'steps?': { type: 'number' },
  'modelCalls?': { type: 'number' },
  'toolCalls?': { type: 'number' },
  'tokens?': { type: 'number' },
  'money?': { type: 'number' },
  'timeMs?': { type: 'number' },
})

export function shownRun(summary: RunSummary): JsonObject {
  const { run, mind, name, sessionId, parent, state, suspendReason, wakeAt, createdAt, updatedAt, waiting } = summary
  return plain({
    id: run,
    kind: mind,
    name,
    sessionId,
    parent,
    state,
    suspendReason,
    wakeAt,
    createdAt,
    updatedAt,
    entries: summary.head.seq,
    waiting: waiting?.length ?? 0,
    damage: summary.damage,
  }) as JsonObject
}

export function shownResult(result: AgentResult<Json>): Json {
  return resultJson(result)
}

/** Converts a value to JSON; members that are undefined are omitted. */
export function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json
}
