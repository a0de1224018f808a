import { isRecord } from '../../core/index.ts'
import type { Json, Outcome } from '../../core/index.ts'
import type { CellCallRecord } from '../../journal/index.ts'
import type { ActionRecord } from './result-types.ts'

/**
 * Returns the calls of tools, programs, graphs and agents that a cell made, from `calls` in the output of its run. Their results stay in the run of the cell:
 * its variables hold them, and they were not sent to the model.
 */
export function cellActions(
  outcome: Outcome,
  cell: Pick<ActionRecord, 'id' | 'startedAt' | 'finishedAt'>,
): readonly ActionRecord[] {
  return callsOf(outcome)
    .filter(({ kind }) => ACTIONS.has(kind))
    .map(({ id, name, status, detail, elapsedMs }) => ({
      ...cell,
      id: `${cell.id}/${id}`,
      toolId: name,
      input: memberOf(detail, 'arguments') ?? memberOf(detail, 'input') ?? null,
      output: null,
      ok: status === 'ok',
      status,
      performed: status === 'ok' || !REFUSED.has(memberOf(memberOf(detail, 'error'), 'code')),
      ...errorOf(detail),
      durationMs: elapsedMs,
    }))
}

const ACTIONS: ReadonlySet<CellCallRecord['kind']> = new Set(['tool', 'program', 'graph', 'agent'])

/** Codes of calls that the gate did not let start. */
const REFUSED: ReadonlySet<Json | undefined> = new Set([
  'DENIED',
  'SCHEMA_INVALID',
  'TOOL_UNKNOWN',
  'APPROVAL_REFUSED',
  'INTENT_MISSING',
  'RATE_LIMITED',
  'CONTENT_BLOCKED',
])

/** A failed cell reports the calls that it made before. */
function callsOf(outcome: Outcome): readonly CellCallRecord[] {
  const { output } = (outcome.status === 'failed' ? (outcome.error.info ?? {}) : {}) as { readonly output?: Json }
  const calls = memberOf(outcome.status === 'ok' ? (outcome.value as Json) : output, 'calls')
  return Array.isArray(calls) ? calls : []
}

function errorOf(detail: Json): Pick<ActionRecord, 'error'> {
  const error = memberOf(detail, 'error')
  return error === undefined ? {} : { error: error as unknown as NonNullable<ActionRecord['error']> }
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isRecord(value) ? value[name] : undefined
}
