import { canonical, redactJson } from '../core/index.ts'
import type { Json, JsonObject, Redactor } from '../core/index.ts'
import type { EntryType } from './entry.ts'
import type { Decision, EffectEndData, EffectStartData } from './entry-data.ts'

/** Decisions about effects to which nobody objects, by their risk: nearly all are one of these, and none needs to be written out or looked at again. */
const unopposed = new Map<string, Decision>()
const unopposedTexts = new Map<Decision, string>()
const RISKS_MAX = 16

/** The decision as every entry that says the same has it. */
export function unopposedDecision(decision: Decision & { readonly risk: string }): Decision {
  let known = unopposed.get(decision.risk)
  if (known !== undefined) return known
  known = Object.freeze({ ...decision })
  if (unopposed.size >= RISKS_MAX) return known
  unopposed.set(decision.risk, known)
  unopposedTexts.set(known, canonical(known))
  return known
}

/**
 * The canonical text of a start whose input was written out before, for its hash. It runs for every effect, so the rest is put around it by hand;
 * a test holds it equal to `canonical`.
 */
export function startText(data: EffectStartData, input: string): string {
  const { activeMs, decision, hash, asked, intent, kind, labels, name, repeatable, reserved } = data
  const before = `${stampText(activeMs)}${asked === undefined ? '' : `"asked":"${asked}",`}`
  const declared = intent === undefined ? '' : `"intent":${canonical(intent)},`
  const made = labels === undefined ? '' : `"labels":${canonical(labels)},`
  return `{${before}"decision":${unopposedTexts.get(decision) ?? canonical(decision)},"hash":"${hash}","input":${input},${declared}"kind":"${kind}",${made}"name":${canonical(name)},"repeatable":${repeatable},"reserved":${canonical(reserved)}}`
}

/** The same for an end. */
export function endText({ activeMs, asked, durationMs, meta, outcome, spent }: EffectEndData): string {
  const before = `${stampText(activeMs)}${asked === undefined ? '' : `"asked":"${asked}",`}`
  const facts = meta === undefined ? '' : `"meta":${canonical(meta)},`
  return `{${before}"durationMs":${canonical(durationMs)},${facts}"outcome":${canonical(outcome)},"spent":${canonical(spent)}}`
}

function stampText(activeMs: number | undefined): string {
  return activeMs === undefined ? '' : `"activeMs":${canonical(activeMs)},`
}

/** The members that can hold anybody's words. `Own` are the kernel's: numbers, hashes and names of its choice. One that is neither does not compile. */
type Foreign<D, Own extends keyof D> = { readonly [F in Exclude<keyof D, Own>]-?: true }

const START: Foreign<
  EffectStartData,
  'activeMs' | 'asked' | 'hash' | 'idempotencyKey' | 'kind' | 'repeatable' | 'reserved'
> = {
  decision: true,
  input: true,
  intent: true,
  labels: true,
  name: true,
}
const END: Foreign<EffectEndData, 'activeMs' | 'asked' | 'durationMs' | 'spent' | 'start'> = {
  meta: true,
  outcome: true,
}

/** What has to be looked at in the entries that are written for every effect; in others it is everything. */
const FOREIGN: { readonly [T in EntryType]?: readonly string[] } = {
  'effect-start': Object.keys(START),
  'effect-end': Object.keys(END),
}

/** What an entry may hold for ever. The same object when nothing in it had to be replaced. */
export function redactData(type: EntryType, data: JsonObject, redactor: Redactor): JsonObject {
  const foreign = FOREIGN[type]
  if (foreign === undefined) return redactBesidePins(data, redactor)
  let copy: Record<string, Json> | undefined
  for (const name of foreign) {
    const member = data[name]
    if (member === undefined || unopposedTexts.has(member as never)) continue
    const safe =
      typeof member === 'string'
        ? (redactor.member?.(name, member) ?? redactor.text(member))
        : redactJson(member, redactor)
    if (safe !== member) (copy ??= { ...data })[name] = safe
  }
  return copy ?? data
}

/** Pins that cannot change are the same in many runs, and are looked at once. */
function redactBesidePins(data: JsonObject, redactor: Redactor): JsonObject {
  const { pins } = data as { readonly pins?: object }
  if (pins === undefined || !Object.isFrozen(pins)) return redactJson(data, redactor) as JsonObject
  const others = { ...data, pins: null }
  if (redactor.clean?.has(pins) === true && redactJson(others, redactor) === others) return data
  const safe = redactJson(data, redactor) as JsonObject
  if (safe === data) redactor.clean?.add(pins)
  return safe
}
