import { messageOf, toPlain } from '../../core/index.ts'
import type { Json, Outcome } from '../../core/index.ts'
import type { Risk } from '../../gate/index.ts'
import type { ApprovalRecord, EffectRecord, EffectStartData, Spend } from '../../journal/index.ts'
import { cancelledOutcome } from '../lifecycle/run-outcome.ts'
import { ask } from '../approvals/ask.ts'
import { hashOf, idempotencyKeyOf } from './effect-identity.ts'
import { attemptSpend } from './attempt.ts'
import { bounded } from './bounded-wait.ts'
import { decide } from './decide.ts'
import { declaredLabels, okOutcome } from './effect-labels.ts'
import { proveLease } from '../lifecycle/lease.ts'
import type { Ending, Permit, Request } from './perform.ts'
import type { KernelCall, Reconciliation } from '../performers/performer.ts'
import { isWithin } from '../history/provenance.ts'
import { countAttempt } from './rate-limits.ts'
import { refuse } from './refusals.ts'
import { heldReservation } from './held-reservation.ts'
import { noAttemptLeft, tooManyAttempts } from './retry-wait.ts'

/**
 * Step 2 after a crash: the journal has a start without an end, so it is unknown whether the effect happened. A repeatable effect is repeated with
 * the same idempotency key; one that can be reconciled is looked up; for all others a human is asked. Nothing else is ever performed twice.
 */
export async function recover(request: Request, record: EffectRecord): Promise<Permit | Ending> {
  const { run, key } = request
  const isForeign = isWithin(run.prior.foreign, record.start!.seq)
  const start = isForeign ? ownStart(request, record.start!.data) : record.start!.data
  const claim = run.reservations.get(key) ?? run.budget.claim(start.reserved)
  const held = heldReservation(run, key, claim)
  const again = async (reason: string, spent?: Spend): Promise<Permit> => {
    const full = request.slots.acquire()
    if (full !== undefined) await full
    if (run.ended) return new Promise<never>(() => {})
    const retry = { attempt: record.attempts + 2, reason, waitMs: 0, ...(spent && { spent }), ...run.stamp() }
    try {
      // The retry is counted when it is written: the following attempt has the number in the entry.
      if (reason !== '') run.writer.add('effect-retry', key, retry)
      // Another process may have streamed the text of the lost attempt to listeners here.
      if (start.kind === 'model') run.emit('stream-reset', { attempt: retry.attempt, reason }, key)
      // Made durable, so that a second crash does not act on the same answer again.
      if (!start.repeatable) await run.writer.durable()
    } catch (error) {
      request.slots.release()
      throw error
    }
    return { input: inputOf(request, start), attempts: record.attempts, isProven: !start.repeatable, ...held }
  }
  const ended = (ending: Ending): Ending => ({ ...ending, spent: held.settle(ending.spent ?? {}) })
  const refused = isForeign ? await decideAnew(request) : undefined
  if (refused !== undefined) return ended(refused)
  // A child run or a sleep continues from its own record: that is not a retry.
  if (!ATTEMPTED.has(start.kind) && start.repeatable) return again('')
  if (start.repeatable) {
    const carry = await carryAgain(request)
    // It is unknown how far the lost attempt got, so it counts with its worst case, and the next one needs its own reservation.
    const lost = { ...attemptSpend(request), ...start.reserved }
    if ('outcome' in carry) return ended({ ...carry, spent: lost })
    const limited = await countAttempt(request)
    if (limited !== undefined) return ended(tooManyAttempts(limited, `"${start.name}" ${IN_FLIGHT}.`, lost))
    const { counted, hit } = held.renew(lost)
    if (hit !== undefined) return ended(noAttemptLeft(hit, `"${start.name}" ${IN_FLIGHT}.`, counted))
    return { ...(await again(IN_FLIGHT, counted)), ...carry }
  }
  const answer = (await lookUp(request, start)) ?? (await askHuman(request, record, start))
  if (answer === 'cancelled') return ended({ outcome: cancelledOutcome(run), spent: start.reserved })
  switch (answer.status) {
    case 'done':
      return ended({
        outcome: okOutcome(toPlain(answer.value).value, declaredLabels(request)),
        spent: { toolCalls: 1 },
        meta: { recovered: true },
      })
    case 'not-done':
      return again('it had not happened')
    case 'unknown':
      return ended({
        outcome: {
          status: 'unknown',
          reason: 'the process ended while it was in flight, and nobody could say whether it happened',
        },
        spent: start.reserved,
      })
  }
}

/** The kinds that are performed in attempts, each of which has a cost. */
const ATTEMPTED: ReadonlySet<string> = new Set(['model', 'embed', 'tool'])
const IN_FLIGHT = 'in flight when the process ended'

/**
 * The start of a call that was recorded by another host. It is only evidence that the call may have been made: whether it may be repeated, and with
 * which input, is decided by this host for the call that the mind requests now.
 */
function ownStart({ run, effect, asked, performer }: Request, start: EffectStartData): EffectStartData {
  return {
    ...start,
    kind: effect.kind,
    name: effect.name,
    input: effect.input,
    hash: asked,
    repeatable: performer.repeatable(effect, run),
  }
}

/** Evaluates this host's gate for a call that another host's gate had allowed, and asks a person if the verdict is `ask`. */
async function decideAnew(request: Request): Promise<Ending | undefined> {
  const { run, effect, asked } = request
  const decision = await decide(request, effect.input)
  if (decision.verdict === 'deny' || decision.verdict === 'kill') return refuse(decision)
  const hash = hashOf(request, decision)
  if (hash !== asked) return { outcome: inDoubtChanged(decision) }
  if (decision.verdict !== 'ask') return undefined
  const answer = await ask(request, { decision, hash, known: answeredBefore(request, hash) })
  if (answer === 'cancelled') return { outcome: cancelledOutcome(run) }
  const { response } = answer
  if (response?.answer === 'approve' && response.edit === undefined) return undefined
  return {
    outcome: {
      status: 'denied',
      code: response?.answer === 'expire' ? 'APPROVAL_STALE' : 'DENIED',
      rule: 'approval',
      reason: response?.text ?? 'it was begun elsewhere, and was not approved here',
    },
  }
}

function answeredBefore({ run, key }: Request, hash: string): ApprovalRecord | undefined {
  const { approvals } = run.fold.effects.get(key)!
  return approvals.findLast(({ data }) => data.reason === 'approval' && data.hash === hash)
}

function inDoubtChanged({ rule, reason }: { readonly rule: string; readonly reason: string }): Outcome<Json> {
  return {
    status: 'denied',
    code: 'DENIED',
    rule,
    reason: `it was begun elsewhere with an input that the gate changes here: ${reason}`,
  }
}

/** Recomputes what a guard adds to a model call beside its input, which is not in the journal. */
async function carryAgain(request: Request): Promise<Ending | { readonly carry: unknown }> {
  const { effect, run } = request
  if (effect.kind !== 'model' || run.gate.mandates.every(({ content }) => content === undefined))
    return { carry: undefined }
  const { code, reason, rule, carry } = await decide(request, effect.input)
  return code === 'CONTENT_BLOCKED' || code === 'TIMEOUT'
    ? { outcome: { status: 'denied', code, reason, rule } }
    : { carry }
}

/** The input that was really sent. The journal has it redacted; if it was not modified, the mind has the original. */
function inputOf({ effect, asked }: Request, start: EffectStartData): Json {
  return start.hash === asked ? effect.input : start.input
}

/** The result of `reconcile`; `undefined` without such a function or without a definite answer. */
async function lookUp(request: Request, start: EffectStartData): Promise<Reconciliation | undefined> {
  const { run, key, performer, effect } = request
  if (performer.reconcile === undefined) return undefined
  await proveLease(run, true)
  if (run.ended) return new Promise<never>(() => {})
  const cut = new AbortController()
  const limitMs = performer.timeoutMs(effect, run) ?? run.limits.toolTimeoutMs
  try {
    const looking = Promise.resolve(performer.reconcile(callOf(request, start, { signal: cut.signal, limitMs })))
    const found = await bounded({ run, key, what: `\`reconcile\` of "${effect.name}"`, limitMs }, looking)
    return found?.status === 'unknown' ? undefined : found
  } catch (error) {
    cut.abort(error)
    run.emit('reconcile-error', { message: messageOf(error) }, key)
    return undefined
  }
}

interface Lookup {
  readonly signal: AbortSignal
  readonly limitMs: number
}

function callOf(request: Request, start: EffectStartData, { signal, limitMs }: Lookup): KernelCall {
  const { run, key, effect } = request
  return {
    run,
    key,
    effect,
    input: inputOf(request, start),
    signal,
    idempotencyKey: idempotencyKeyOf(request),
    attempt: 1,
    deadline: run.host.clock.now() + limitMs,
    emit: (type, data) => run.emit(type, data, key),
  }
}

async function askHuman(
  request: Request,
  record: EffectRecord,
  start: EffectStartData,
): Promise<Reconciliation | 'cancelled'> {
  const known = record.approvals.find(({ data, seq }) => data.reason === 'in-doubt' && seq > record.retriedAt)
  const answered = await ask(request, {
    decision: {
      verdict: 'ask',
      rule: 'in-doubt',
      reason: `"${start.name}" was in flight when the process ended. Did it happen?`,
      risk: (start.decision.risk ?? 'exec') as Risk,
      input: start.input,
      modified: [],
    },
    hash: start.hash,
    known,
    reason: 'in-doubt',
  })
  if (answered === 'cancelled') return answered
  switch (answered.response?.answer) {
    case 'happened':
      return { status: 'done', value: answered.response.value ?? null }
    case 'not-happened':
      return { status: 'not-done' }
    default:
      return { status: 'unknown' }
  }
}
