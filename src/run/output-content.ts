import type { Json, JsonObject } from '../core/index.ts'
import { filterContent, rulesAt } from '../gate/index.ts'
import type { ContentChange, Filtered } from '../gate/index.ts'
import type { Ending, Request } from './perform.ts'

/**
 * Passes what a tool gave, or said when it failed, through the content rules of all mandates, before journal, listeners and mind get it.
 * It has happened by then: what is blocked is only withheld.
 */
export async function filterOutput({ run, effect }: Request, ending: Ending): Promise<Ending> {
  const { outcome } = ending
  if (effect.kind !== 'tool' || (outcome.status !== 'ok' && outcome.status !== 'failed')) return ending
  let value: Json = outcome.status === 'ok' ? outcome.value : outcome.error.message
  const changes: ContentChange[] = []
  for (const { content } of run.gate.mandates) {
    const rules = rulesAt(content ?? [], 'tool-output', effect.name)
    const { filters } = run.host.registry
    const filtered: Filtered = await filterContent(rules, filters, { place: 'tool-output', name: effect.name, value })
    if (filtered.blocked !== undefined) return withheld(ending, filtered.blocked)
    value = filtered.value
    changes.push(...filtered.changes)
  }
  return changes.length === 0 ? ending : changed(ending, value, changes)
}

function withheld(ending: Ending, { rule, reason }: ContentChange): Ending {
  const message = `What the tool gave was withheld by content/${rule}: ${reason}`
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
  // Whatever else an error carries may say the same as its message.
  const { code } = outcome.error
  const message = typeof value === 'string' ? value : JSON.stringify(value)
  return { ...ending, outcome: { ...outcome, error: { code, message } }, meta }
}

function withChanges(meta: Json | undefined, what: 'blocked' | 'changed', changes: readonly ContentChange[]): Json {
  const before = (typeof meta === 'object' && meta !== null ? meta : {}) as JsonObject
  const rules = changes.map(({ rule, reason }) => ({ rule: `content/${rule}`, reason }))
  return { ...before, content: { [what]: rules } }
}
