import type { Json } from '../../core/index.ts'
import type { ModelRequest } from '../../model/index.ts'
import { filterContent, rulesAt } from '../content/content-filters.ts'
import type { ContentChange, Filtered } from '../content/content-filters.ts'
import type { GateView, Guard, GuardVerdict } from '../guard.ts'
import type { ContentPlace, ContentRule } from '../mandate/guard-fields.ts'
import { filterRequest } from '../content/prompt-content.ts'
import { isStoreWrite } from '../risk/risk.ts'

/** Applies the mandate's content filters to prompts, inputs of tools and stored data. The output of tools is filtered when it is returned. */
export const contentGuard: Guard = {
  name: 'content',
  appliesTo: ({ content }) => content !== undefined && content.length > 0,
  check: checkContent,
}

function checkContent(view: GateView): GuardVerdict | Promise<GuardVerdict> {
  const place = placeOf(view)
  const all = view.mandate.content ?? []
  const rules = place === undefined ? [] : rulesAt(all, place, view.effect.name)
  if (place === undefined || rules.length === 0) return undefined
  const { carry } = view.effect
  if (place === 'prompt' && isRequest(carry)) return checkPrompt(view, { all, rules, request: carry })
  if (place === 'prompt' && isRequest(view.input)) return checkPrompt(view, { all, rules, request: view.input })
  const filtered = filterContent(rules, view.filters, { place, name: view.effect.name, value: view.input })
  return filtered instanceof Promise ? filtered.then(verdictOf) : verdictOf(filtered)
}

function placeOf({ effect, input }: GateView): ContentPlace | undefined {
  if (effect.kind === 'tool') return 'tool-input'
  if (effect.kind === 'model' || effect.kind === 'embed') return 'prompt'
  return isStoreWrite(effect.kind, input) ? 'memory-write' : undefined
}

interface Prompt {
  readonly all: readonly ContentRule[]
  readonly rules: readonly ContentRule[]
  readonly request: ModelRequest
}

async function checkPrompt(view: GateView, { all, rules, request }: Prompt): Promise<GuardVerdict> {
  const filtered = await filterRequest(request, { all, rules, filters: view.filters, name: view.effect.name })
  if (filtered.blocked !== undefined) return block(filtered.blocked)
  const [first] = filtered.changes
  if (first === undefined) return undefined
  // Where the messages are in `carry`, the input is only their hash and stays as it is.
  if (view.effect.carry !== undefined)
    return { verdict: 'modify', input: view.input, carry: filtered.request, ...first }
  return { verdict: 'modify', input: filtered.request as unknown as Json, ...first }
}

function verdictOf(filtered: Filtered): GuardVerdict {
  if (filtered.blocked !== undefined) return block(filtered.blocked)
  const [first] = filtered.changes
  return first === undefined ? undefined : { verdict: 'modify', input: filtered.value, ...first }
}

function block({ rule, reason }: ContentChange): GuardVerdict {
  return { verdict: 'deny', rule, code: 'CONTENT_BLOCKED', reason }
}

function isRequest(value: unknown): value is ModelRequest {
  return typeof value === 'object' && value !== null && Array.isArray((value as { messages?: unknown }).messages)
}
