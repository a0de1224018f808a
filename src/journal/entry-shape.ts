import { isRecord } from '../core/index.ts'
import { isErased } from './entry.ts'
import type { Entry, EntryType, IntactEntry } from './entry.ts'
import { BUDGET_NOTE } from './entry-data.ts'
import { REVOKED_NOTE, STANDING_NOTE } from './approvals/standing-journal.ts'

/** Whether a value has the required shape. */
type Form = (value: unknown) => boolean
type Members = { readonly [name: string]: Form }

const isText: Form = (value) => typeof value === 'string'
const isNumber: Form = (value) => typeof value === 'number'
/** A spend or a duration. A negative one would give a run more than its budget. */
const isAmount: Form = (value) => typeof value === 'number' && value >= 0
const isBoolean: Form = (value) => typeof value === 'boolean'
const isAnything: Form = (value) => value !== undefined
const isSeq: Form = (value) => Number.isSafeInteger(value) && (value as number) >= 1
const oneOf =
  (...words: readonly string[]): Form =>
  (value) =>
    words.includes(value as string)
const listOf =
  (form: Form): Form =>
  (value) =>
    Array.isArray(value) && value.every(form)

/** The first member that is missing or has a wrong shape; unknown members may be anything. */
function wrongMember(value: unknown, needed: Members, optional: Members): string | undefined {
  if (!isRecord(value)) return 'data'
  for (const name of Object.keys(needed))
    if (!Object.hasOwn(value, name) || !needed[name]!(value[name])) return `\`${name}\``
  for (const name of Object.keys(optional))
    if (Object.hasOwn(value, name) && !optional[name]!(value[name])) return `\`${name}\``
  return undefined
}

const record =
  (needed: Members, optional: Members = {}): Form =>
  (value) =>
    wrongMember(value, needed, optional) === undefined

const isSpend: Form = (value) =>
  isRecord(value) &&
  Object.entries(value).every(([unit, amount]) => (unit === 'estimated' ? amount === true : isAmount(amount)))
const isIdentity = record({ id: isText, roles: listOf(isText) }, { agent: isBoolean })
const isDecision = record(
  { verdict: oneOf('allow', 'modify', 'ask', 'deny', 'kill'), rule: isText, reason: isText },
  { code: isText, risk: isText, standing: isText },
)
const isError = record({ code: isText, message: isText })
const isSuspendReason = oneOf('approval', 'question', 'in-doubt', 'timer', 'disk', 'interrupt')
const isSignature = record({ v: isNumber, keyId: isText, signature: isText })

const OUTCOMES: { readonly [status: string]: Form } = {
  ok: record({ value: isAnything }),
  denied: record({ code: isText, reason: isText, rule: isText }),
  failed: record({ error: isError }),
  cancelled: record({ reason: isText }),
  unknown: record({ reason: isText }),
}

const isOutcome: Form = (value) => {
  if (!isRecord(value) || typeof value['status'] !== 'string') return false
  return Object.hasOwn(OUTCOMES, value['status']) && OUTCOMES[value['status']]!(value)
}

const isPending = record(
  { key: isText, reason: isSuspendReason },
  { approvalId: isText, run: isText, wakeAt: isNumber },
)

const isBinding = record(
  { rules: listOf(isText), mandates: isText, definition: isText, mind: isText },
  { code: isText },
)
const isStanding = record(
  { tool: isText, riskMax: isText, expiresAt: isNumber },
  { input: isRecord, hash: isText, bound: isBinding },
)

const RESPONSE: { readonly needed: Members; readonly optional: Members } = {
  needed: {
    request: isSeq,
    answer: oneOf('approve', 'reject', 'answer', 'happened', 'not-happened', 'unknown', 'expire', 'withdraw'),
    by: isIdentity,
  },
  optional: { scope: oneOf('once', 'run', 'rule'), text: isText, standing: isStanding, signature: isSignature },
}

const REQUEST: Members = { kind: isText, name: isText, input: isAnything, hash: isText }
const MINDS = oneOf('agent', 'program', 'cell', 'graph')

interface Shape {
  /** Whether entries of this type have a key. */
  readonly isKeyed: boolean
  readonly needed: Members
  readonly optional?: Members
}

/** The required shape of every type of entry. Later builds may add members but never require more, so that old journals stay readable. */
const SHAPES: { readonly [T in EntryType]: Shape } = {
  'run-start': {
    isKeyed: false,
    needed: {
      protocol: isNumber,
      mind: MINDS,
      name: isText,
      sessionId: isText,
      input: isAnything,
      identity: isIdentity,
      seed: isText,
      depth: isAmount,
      durability: oneOf('sync', 'batch', 'exit'),
      budget: isRecord,
      pins: isAnything,
    },
    optional: {
      allotted: isBoolean,
      apart: isBoolean,
      priority: oneOf('high', 'normal', 'low'),
      parent: record({ run: isText, key: isText }),
      forkOf: record({ run: isText, seq: isNumber, hash: isText }, { activeMs: isAmount, at: isNumber }),
      source: isText,
      blobs: listOf(isText),
    },
  },
  'run-suspend': {
    isKeyed: false,
    needed: { reason: isSuspendReason, pending: listOf(isPending), activeMs: isAmount },
    optional: { wakeAt: isNumber, spent: isSpend },
  },
  'run-resume': { isKeyed: false, needed: { epoch: isNumber } },
  'run-end': {
    isKeyed: false,
    needed: { state: oneOf('completed', 'failed', 'cancelled'), activeMs: isAmount, spent: isSpend },
    optional: { error: isError },
  },
  'effect-decide': { isKeyed: true, needed: { ...REQUEST, decision: isDecision } },
  'effect-start': {
    isKeyed: true,
    needed: { ...REQUEST, decision: isDecision, reserved: isSpend, repeatable: isBoolean },
    optional: { asked: isText, activeMs: isAmount },
  },
  'effect-end': {
    isKeyed: true,
    needed: { outcome: isOutcome, spent: isSpend, durationMs: isNumber },
    optional: { asked: isText, activeMs: isAmount, blobs: listOf(isText) },
  },
  'effect-retry': {
    isKeyed: true,
    needed: { attempt: isNumber, reason: isText, waitMs: isNumber },
    optional: { spent: isSpend, activeMs: isAmount },
  },
  'approval-request': {
    isKeyed: true,
    needed: {
      ...REQUEST,
      reason: oneOf('approval', 'question', 'in-doubt'),
      asked: isText,
      rule: isText,
      text: isText,
      expiresAt: isNumber,
    },
    optional: { risk: isText, binding: isBinding },
  },
  'approval-response': { isKeyed: false, ...RESPONSE },
  'message-append': { isKeyed: true, needed: { message: isAnything } },
  note: { isKeyed: false, needed: { name: isText, value: isAnything } },
}

/** The notes without a key that the kernel reads when a run is resumed. */
const NOTES: { readonly [name: string]: Form } = {
  'cancel-request': record({ reason: isText }),
  'limit-reached': record({ reason: isText }),
  [BUDGET_NOTE]: record({ budget: isSpend, by: isRecord }),
  'step-refused': record({ key: isText, hit: isRecord }),
  [STANDING_NOTE]: record({
    id: isText,
    run: isText,
    hash: isText,
    response: record(RESPONSE.needed, RESPONSE.optional),
  }),
  [REVOKED_NOTE]: record({ id: isText, by: isIdentity }, { reason: isText }),
}

/**
 * What is wrong with the shape of an entry whose hashes are valid; `undefined` if nothing is. A hash shows that an entry was not changed, not that
 * this runtime wrote it.
 */
export function wrongShape(entry: Entry): string | undefined {
  if (isErased(entry)) return undefined
  const { isKeyed, needed, optional = {} } = SHAPES[entry.type]
  if (isKeyed && typeof entry.key !== 'string') return `a ${entry.type} needs a key`
  const wrong = wrongMember(entry.data, needed, optional) ?? wrongNote(entry)
  return wrong === undefined ? undefined : `${wrong} of its ${entry.type} is missing or has another form`
}

function wrongNote({ type, key, data }: IntactEntry): string | undefined {
  // A note with a key is the decision of a strategy, and strategies choose their own names.
  if (type !== 'note' || key !== undefined) return undefined
  const { name, value } = data
  return Object.hasOwn(NOTES, name) && !NOTES[name]!(value) ? '`value`' : undefined
}
