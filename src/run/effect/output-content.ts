import { messageOf } from '../../core/index.ts'
import type { Json, JsonObject, Ok } from '../../core/index.ts'
import { filterContent, rulesAt } from '../../gate/index.ts'
import type { ContentChange, Filtered } from '../../gate/index.ts'
import { bounded } from './bounded-wait.ts'
import type { BoundedWait } from './bounded-wait.ts'
import type { Ending, Request } from './perform.ts'

/**
 * Applies the content rules of all mandates to the result or the error text of a tool, before journal, listeners and mind get it. The call has
 * already happened: a blocked result is only withheld.
 */
export async function filterOutput(request: Request, given: Ending): Promise<Ending> {
  const { effect } = request
  const { outcome } = given
  if (effect.kind !== 'tool' || (outcome.status !== 'ok' && outcome.status !== 'failed')) return given
  const ending = await filterValue(
    request,
    given,
    outcome.status === 'ok' ? outcome.value : outcome.error.message,
    changed,
  )
  // The text that a model reads instead of the value is filtered too.
  if (ending.outcome.status !== 'ok' || ending.outcome.shown === undefined) return ending
  return filterValue(request, ending, ending.outcome.shown, changedShown)
}

type Change = (ending: Ending, value: Json, changes: readonly ContentChange[]) => Ending

async function filterValue(request: Request, ending: Ending, given: Json, change: Change): Promise<Ending> {
  const { run, key, effect } = request
  let value = given
  const changes: ContentChange[] = []
  for (const { content } of run.gate.mandates) {
    const rules = rulesAt(content ?? [], 'tool-output', effect.name)
    const { filters } = run.host.registry
    const asked = filterContent(rules, filters, { place: 'tool-output', name: effect.name, value })
    // The call has happened, so its result gets a grace period when the run is interrupted.
    const graceMs = run.limits.cancelGraceMs
    const filtered = await answered({ run, key, graceMs, tool: effect.name }, asked)
    if (filtered.blocked !== undefined) return withheld(ending, filtered.blocked)
    value = filtered.value
    changes.push(...filtered.changes)
  }
  return changes.length === 0 ? ending : change(ending, value, changes)
}

/** The verdict of the filters within the time limit. A value that was not filtered in time is withheld. */
async function answered(
  { tool, ...wait }: Pick<BoundedWait, 'run' | 'key' | 'graceMs'> & { readonly tool: string },
  asked: Filtered | Promise<Filtered>,
): Promise<Filtered> {
  if (!(asked instanceof Promise)) return asked
  const limits = { limitMs: wait.run.limits.checkTimeoutMs, limit: 'limits.checkTimeoutMs' }
  try {
    return await bounded({ ...wait, ...limits, what: `A content filter of what "${tool}" gives` }, asked)
  } catch (error) {
    return { blocked: { rule: 'unanswered', reason: messageOf(error) } }
  }
}

function withheld(ending: Ending, { rule, reason }: ContentChange): Ending {
  const message = `The result of the tool was withheld by content/${rule}: ${reason}`
  return {
    ...ending,
    outcome: { status: 'failed', error: { code: 'CONTENT_BLOCKED', message } },
    meta: withChanges(undefined, 'blocked', [{ rule, reason }]),
  }
}

function changed(ending: Ending, value: Json, changes: readonly ContentChange[]): Ending {
  const { outcome } = ending
  const meta = withChanges(ending.meta, 'changed', changes)
  if (outcome.status === 'ok') return { ...ending, outcome: { ...outcome, value }, meta }
  if (outcome.status !== 'failed') return ending
  // Other members of the error may repeat the text of its message.
  const { code } = outcome.error
  const message = typeof value === 'string' ? value : JSON.stringify(value)
  return { ...ending, outcome: { ...outcome, error: { code, message } }, meta }
}

function changedShown(ending: Ending, shown: Json, changes: readonly ContentChange[]): Ending {
  const outcome = { ...(ending.outcome as Ok<Json>), shown }
  return { ...ending, outcome, meta: withChanges(ending.meta, 'changed', changes) }
}

function withChanges(meta: Json | undefined, what: 'blocked' | 'changed', changes: readonly ContentChange[]): Json {
  const before = (typeof meta === 'object' && meta !== null ? meta : {}) as JsonObject
  const rules = changes.map(({ rule, reason }) => ({ rule: `content/${rule}`, reason }))
  return { ...before, content: { [what]: rules } }
}
