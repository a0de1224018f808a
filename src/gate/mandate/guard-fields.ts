import { RISKS } from '../../tool/index.ts'
import type { Risk } from '../../tool/index.ts'
import {
  checkPattern,
  fieldsOf,
  isText,
  itemsOf,
  listOf,
  oneOf,
  onlyFields,
  refuse,
  wholeNumber,
} from './field-checks.ts'
import type { Fields } from './field-checks.ts'
import { checkFlow } from './flow-check.ts'
import type { FlowRule } from '../content/flow-rules.ts'
import { checkReveal } from './reveal-check.ts'
import type { RevealRule } from '../content/reveal-rules.ts'

/** Limits the calls of these tools to `max` in any window of `perMs`. */
export interface RateLimit {
  /** A name as in the lists of a mandate; all tools that a pattern with `*` matches share the limit. */
  readonly tool: string
  readonly max: number
  readonly perMs: number
  /** Whose calls are counted together: those of one identity (the default), of one run, or all. */
  readonly per?: 'identity' | 'run' | 'all' | undefined
}

/** Where content passes a filter. */
const CONTENT_PLACES = ['prompt', 'tool-input', 'tool-output', 'memory-write'] as const
export type ContentPlace = (typeof CONTENT_PLACES)[number]

/**
 * Checks what goes to models, into tools, out of tools or into memory. Either `words` with `then`, or the name of a `filter` that the host has
 * registered.
 */
export interface ContentRule {
  readonly id: string
  readonly on: readonly ContentPlace[]
  /** Only for these tools; a name may end in `*`. */
  readonly tools?: readonly string[] | undefined
  /** Texts to look for, case-insensitive. */
  readonly words?: readonly string[] | undefined
  /** What to do with a text that contains one of the words. */
  readonly then?: 'block' | 'redact' | 'rewrite' | undefined
  /** The replacement of the word for `rewrite`. */
  readonly with?: string | undefined
  /** The name of a filter, whose answer is applied. A filter that fails or is not registered blocks. */
  readonly filter?: string | undefined
  readonly reason?: string | undefined
}

/** Asks a model every `every` tool calls whether the declared intents still serve the task. */
export interface DriftCheck {
  /** The model that judges, by its registered name. */
  readonly model: string
  /** 5 by default. */
  readonly every?: number | undefined
  /** The number of consecutive "no" answers that ends the run; 3 by default. */
  readonly max?: number | undefined
  /** What to do with a call whose check gave no answer: `ask` for approval, or `allow` it with a warning. `ask` by default. */
  readonly onFailure?: 'ask' | 'allow' | undefined
}

/** Supervises a run as a whole. `{}` turns it on with the defaults. */
export interface OverseerPolicy {
  /** Ends the run when it has used more tokens; 100,000 by default. */
  readonly maxTokens?: number | undefined
  /** Tool calls per minute above which calls need approval; 30 by default. */
  readonly maxCallsPerMinute?: number | undefined
  /** The number of identical consecutive calls that ends the run; 3 by default. */
  readonly maxRepeats?: number | undefined
  /** Detects a run that leaves its task. */
  readonly drift?: DriftCheck | undefined
}

/** The fields of a mandate that turn on a guard. If absent, that guard is not evaluated. */
export interface GuardFields {
  /** Every tool call and every call of another agent must have a declared intent. */
  readonly intentRequired?: boolean | undefined
  /** Denies everything above this risk, approved or not. */
  readonly riskMax?: Risk | undefined
  /** Limits on the number of calls per time. */
  readonly rates?: readonly RateLimit[] | undefined
  /** Filters the inputs and outputs of models and tools. */
  readonly content?: readonly ContentRule[] | undefined
  /** Restricts where labelled values may go. */
  readonly flow?: readonly FlowRule[] | undefined
  /** Decides where vault tokens are replaced by their values. */
  readonly reveal?: readonly RevealRule[] | undefined
  /** A model or a function that watches a run and can stop it. */
  readonly overseer?: OverseerPolicy | undefined
}

type Check = (value: unknown, field: string) => void

const RATE_FIELDS = ['tool', 'max', 'perMs', 'per']
const CONTENT_FIELDS = ['id', 'on', 'tools', 'words', 'then', 'with', 'filter', 'reason']
const OVERSEER_FIELDS = ['maxTokens', 'maxCallsPerMinute', 'maxRepeats', 'drift']

/** The validators of these fields, for `checkMandate`. */
export const GUARD_CHECKS: { readonly [F in keyof Required<GuardFields>]: Check } = {
  intentRequired(value, field) {
    if (typeof value !== 'boolean') refuse(field, 'must be true or false.')
  },
  riskMax: (value, field) => oneOf(value, RISKS, field),
  rates(value, field) {
    for (const [rate, place] of itemsOf(value, field)) checkRate(rate, place)
  },
  content(value, field) {
    const ids = new Set<unknown>()
    for (const [rule, place] of itemsOf(value, field)) {
      checkContent(rule, place)
      if (ids.has(rule['id'])) refuse(`${place}.id`, 'is used by an earlier filter too. Give each its own.')
      ids.add(rule['id'])
    }
  },
  flow: checkFlow,
  reveal: checkReveal,
  overseer: checkOverseer,
}

function checkRate(rate: Fields, place: string): void {
  onlyFields(rate, RATE_FIELDS, place)
  checkPattern(rate['tool'], `${place}.tool`)
  wholeNumber(rate['max'], `${place}.max`, 0)
  wholeNumber(rate['perMs'], `${place}.perMs`, 1)
  if (rate['per'] !== undefined) oneOf(rate['per'], ['identity', 'run', 'all'], `${place}.per`)
}

function checkContent(rule: Fields, place: string): void {
  onlyFields(rule, CONTENT_FIELDS, place)
  const { id, on, tools, words, then, filter, reason } = rule
  if (!isText(id)) refuse(`${place}.id`, 'must be a text that names the filter in the record.')
  if (!Array.isArray(on) || on.length === 0)
    refuse(`${place}.on`, `must list where it looks: ${CONTENT_PLACES.join(', ')}.`)
  for (const where of on as unknown[]) oneOf(where, CONTENT_PLACES, `${place}.on`)
  if (tools !== undefined) for (const [name, at] of listOf(tools, `${place}.tools`)) checkPattern(name, at)
  if (reason !== undefined && typeof reason !== 'string') refuse(`${place}.reason`, 'must be a text.')
  if ((words === undefined) === (filter === undefined))
    refuse(place, 'needs either `words` to look for or the name of a `filter`.')
  if (filter === undefined) return checkWords(rule, place)
  if (!isText(filter)) refuse(`${place}.filter`, 'must be the name of a registered filter.')
  if (then !== undefined || rule['with'] !== undefined)
    refuse(`${place}.then`, 'goes with `words`; a filter says itself what to do.')
}

function checkWords({ words, then, with: other }: Fields, place: string): void {
  for (const [word, at] of listOf(words, `${place}.words`)) if (!isText(word)) refuse(at, 'must be a text to look for.')
  oneOf(then, ['block', 'redact', 'rewrite'], `${place}.then`)
  if ((then === 'rewrite') !== (typeof other === 'string'))
    refuse(`${place}.with`, 'is the text that "rewrite" puts in, and goes with nothing else.')
}

function checkOverseer(value: unknown, field: string): void {
  const policy = fieldsOf(value, field)
  onlyFields(policy, OVERSEER_FIELDS, field)
  if (policy['maxTokens'] !== undefined) wholeNumber(policy['maxTokens'], `${field}.maxTokens`, 0)
  if (policy['maxCallsPerMinute'] !== undefined)
    wholeNumber(policy['maxCallsPerMinute'], `${field}.maxCallsPerMinute`, 0)
  // A single call is never a repetition.
  if (policy['maxRepeats'] !== undefined) wholeNumber(policy['maxRepeats'], `${field}.maxRepeats`, 2)
  if (policy['drift'] === undefined) return
  const drift = fieldsOf(policy['drift'], `${field}.drift`)
  onlyFields(drift, ['model', 'every', 'max', 'onFailure'], `${field}.drift`)
  if (!isText(drift['model'])) refuse(`${field}.drift.model`, 'must be the name of the model that judges.')
  if (drift['every'] !== undefined) wholeNumber(drift['every'], `${field}.drift.every`, 1)
  if (drift['max'] !== undefined) wholeNumber(drift['max'], `${field}.drift.max`, 1)
  if (drift['onFailure'] !== undefined) oneOf(drift['onFailure'], ['ask', 'allow'], `${field}.drift.onFailure`)
}
