import { canonical } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import { hashEffect, isUnopposed } from '../gate/index.ts'
import type { GateDecision, RateHit, Reservation } from '../gate/index.ts'
import { unopposedDecision } from '../journal/index.ts'
import type { Decision, EffectRecord, EffectStartData, Spend } from '../journal/index.ts'
import { decide, decided } from './decide.ts'
import { runLater } from './later.ts'
import { dueCheck } from './overseeing.ts'
import { settling } from './reservation.ts'
import { labelsOf } from './effect-labels.ts'
import type { Ending, Permit, Request } from './perform.ts'

/** What is known at once, or later: most effects wait for nobody on their way, and a promise for each step would cost more than the steps. */
export type Soon<T> = T | Promise<T>

/** Steps 3 to 6 for an effect that has not started: decide, ask, reserve, start. */
export function permit(request: Request, record: EffectRecord | undefined): Soon<Permit | Ending> {
  const { run, effect } = request
  if (
    record !== undefined ||
    isHeldBack(request) ||
    run.signal.aborted ||
    effect.kind === 'question' ||
    dueCheck(request) !== undefined
  )
    return slowly(request)
  const seen = run.oversight?.version
  const decision = decide(request, effect.input)
  if (!(decision instanceof Promise)) return goOn(request, record, decision)
  // Rates are counted, and whatever the overseer has counted meanwhile is looked at, before anything begins.
  if (seen !== undefined || run.gate.countsCalls) return slowly(request, { decision, seen })
  return decided(request, decision).then((late) =>
    isHeldBack(request) || run.signal.aborted ? slowly(request, { decision: late, seen }) : goOn(request, record, late),
  )
}

/** While the process wants to stop, nothing new begins; what is part of a call under way is not new. */
export function isHeldBack({ run, isWithin }: Request): boolean {
  return run.interrupted && isWithin !== true
}

function goOn(request: Request, record: EffectRecord | undefined, decision: GateDecision): Soon<Permit | Ending> {
  if (decision.verdict === 'deny' || decision.verdict === 'kill') return runLater(({ refuse }) => refuse(decision))
  if (decision.verdict === 'ask') return slowly(request, { decision, seen: request.run.oversight?.version })
  const unread = unreadStart(request, decision)
  // Decided anew then: whatever has been counted meanwhile counts.
  if (unread !== undefined)
    return unread.then(() => (request.run.ended ? new Promise<never>(() => {}) : permit(request, record)))
  const taken = request.run.gate.countsCalls ? runLater(({ takeRates }) => takeRates(request)) : undefined
  if (taken instanceof Promise) return slowly(request, { decision, seen: request.run.oversight?.version, taken })
  if (taken !== undefined) return runLater(({ refuseRate }) => refuseRate(request, decision, taken))
  const { run, slots } = request
  if (slots.isFull)
    return slowly(request, { decision, seen: run.oversight?.version, taken: Promise.resolve(undefined) })
  void slots.take()
  return start(request, decision, hashOf(request, decision.input))
}

/** What has to be waited for before the start can be redacted, and so written. */
function unreadStart({ run, effect }: Request, { input, reason, rule }: GateDecision): Promise<void> | undefined {
  return (
    run.sayings.ready(input) ??
    run.sayings.ready(effect.name) ??
    run.sayings.ready(reason) ??
    run.sayings.ready(rule) ??
    run.sayings.ready(labelsOf(effect) as unknown as Json) ??
    run.sayings.ready((effect.intent ?? null) as Json)
  )
}

/** What the gate has said already, and how far the overseer had counted when it was asked. */
export interface FirstWord {
  readonly decision: Soon<GateDecision>
  readonly seen: number | undefined
  /** The call is being counted in what limits its rate. */
  readonly taken?: Promise<RateHit | undefined> | undefined
}

/** The same where somebody has to be waited for. */
function slowly(request: Request, first?: FirstWord): Soon<Permit | Ending> {
  return runLater(({ permitSlowly }) => permitSlowly(request, first))
}

/** The hash of what will be performed. */
export function hashOf({ effect, asked }: Request, input: Json): string {
  return input === effect.input ? asked : hashEffect(effect.kind, effect.name, input)
}

/**
 * Steps 5 and 6, for an effect that holds a slot: nothing is recorded as started that would still have to wait for one.
 * The slot stays with the permit, and is given back when there is none.
 */
export function start(request: Request, decision: GateDecision, hash: string): Soon<Permit | Ending> {
  const { slots } = request
  const kept = (way: Permit | Ending): Permit | Ending => {
    if ('outcome' in way) slots.give()
    return way
  }
  const lost = (error: unknown): never => {
    slots.give()
    throw error
  }
  let way: Soon<Permit | Ending>
  try {
    way = reserve(request, decision, hash)
  } catch (error) {
    return lost(error)
  }
  return way instanceof Promise ? way.then(kept, lost) : kept(way)
}

/** Reserving is synchronous with the check, so that parallel calls cannot both take the last of a budget. */
function reserve(request: Request, decision: GateDecision, hash: string): Soon<Permit | Ending> {
  const { run, effect, performer } = request
  // Of the input that will really run, which a guard or an approver may have changed.
  const final = decision.input === effect.input ? effect : { ...effect, input: decision.input }
  const worst = performer.facts(final, run).worst
  // The guard said it fits, but parallel calls may have taken the rest while it was asked.
  const hit = run.budget.check(worst)
  if (hit !== undefined) return runLater(({ refuseOverLimit }) => refuseOverLimit(decision, hit))
  const repeatable = performer.repeatable(final, run)
  if (!repeatable && run.start.durability === 'exit')
    return runLater(({ refuseByDurability }) => refuseByDurability(effect.name))
  const claim = run.budget.claim(worst)
  return writeStart(request, { decision, hash, worst, claim, repeatable })
}

interface Start {
  readonly decision: GateDecision
  readonly hash: string
  readonly worst: Spend
  readonly claim: Reservation
  readonly repeatable: boolean
}

function writeStart(request: Request, { decision, hash, worst, claim, repeatable }: Start): Soon<Permit> {
  const { run, key, effect, asked, performer } = request
  const { input, carry } = decision
  const { labels } = labelsOf(effect)
  const data: { -readonly [F in keyof EffectStartData]: EffectStartData[F] } = {
    decision: recordOf(decision),
    hash,
    input,
    kind: effect.kind,
    name: effect.name,
    repeatable,
    reserved: worst,
    ...run.stamp(),
  }
  if (hash !== asked) data.asked = asked
  if (labels !== undefined) data.labels = labels
  if (effect.intent !== undefined) data.intent = { ...effect.intent }
  if (effect.kind === 'tool') run.toolCalls += 1
  run.reservations.set(key, claim)
  // A child is never there without its parent's knowing: whoever takes the parent down must find it.
  const mustBeStored = !repeatable || (performer.isRun === true && run.start.durability !== 'exit')
  const text = input === effect.input ? request.inputText : canonical(input)
  const permitted: Permit = { input, carry, attempts: 0, isStored: mustBeStored, ...settling(run, key, claim) }
  const entry = run.writer.addStart(key, data, text, mustBeStored)
  return (mustBeStored ? run.writer.whenStored(entry.seq)?.then(() => permitted) : undefined) ?? permitted
}

/** The part of a decision that is kept: what the input became is in the entry already. */
export function recordOf(decision: GateDecision): Decision {
  const { reason, risk, rule, verdict, code } = decision
  if (isUnopposed(decision)) return unopposedDecision({ reason, risk, rule, verdict })
  return code === undefined ? { reason, risk, rule, verdict } : { code, reason, risk, rule, verdict }
}
