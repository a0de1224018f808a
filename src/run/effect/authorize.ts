import { canonical, monotonicNow } from '../../core/index.ts'
import { hashEffect, matchStanding } from '../../gate/index.ts'
import type { GateDecision } from '../../gate/index.ts'
import type { ApprovalRecord, StandingNote } from '../../journal/index.ts'
import { answersTo, openRequests, settledAnswer } from '../approvals/recorded-answers.ts'
import { ask } from '../approvals/ask.ts'
import { cite, findRuleApproval } from '../approvals/rule-approvals.ts'
import { untilReleased } from './bounded-wait.ts'
import { decide } from './decide.ts'
import { checkDrift, dueCheck } from '../nested/drift-check.ts'
import { hashOf } from './effect-identity.ts'
import type { Ending, Permit, Request } from './perform.ts'
import { refuseRate, takeRates } from './rate-limits.ts'
import { refuse, refuseOversized } from './refusals.ts'
import { expire, withdraw } from '../approvals/respond.ts'
import { cancelledOutcome } from '../lifecycle/run-outcome.ts'
import { SlotClaim } from './slots.ts'
import { start } from './reserve-and-start.ts'

/**
 * Steps 2 to 6 for an effect that has not started: recorded answers, the gate, a question to a person, a slot, a reservation and the recorded start.
 * Returns a permit to perform the effect, or the ending of one that is not performed.
 */
export async function authorize(request: Request): Promise<Permit | Ending> {
  const slot = new SlotClaim(request.slots)
  try {
    return await untilDecided(request, slot)
  } finally {
    slot.release()
  }
}

/** After a gate that took longer than this, the lease is proven again before the effect is performed. */
const WAITED_MS = 50

/** Every wait may invalidate what was decided before it, so every wait is followed by another round. */
async function untilDecided(request: Request, slot: SlotClaim): Promise<Permit | Ending> {
  const { run, effect, key } = request
  const began = monotonicNow(run.host.clock)
  let drift = dueCheck(request)
  let isCounted = false
  for (let round = 1; ; round++) {
    const seen = run.oversight?.version
    await interruption(request, slot)
    if (run.signal.aborted) return { outcome: cancelledOutcome(run) }
    for (const open of overdue(request)) await expire(run, open)
    const asked = openRequests(run.fold.effects.get(key)).length
    const answered = answersTo(run.fold.effects.get(key), effect.input)
    if ('outcome' in answered) return settledAnswer(answered.outcome, effect.answered)
    const tooLarge = answered.isEdited ? refuseOversized(request, canonical(answered.input)) : undefined
    if (tooLarge !== undefined) return tooLarge
    const decision = await decide(request, answered.input)
    if (decision.verdict === 'deny' || decision.verdict === 'kill') return refuse(decision)
    // The run was aborted or killed while the gate decided.
    if (run.signal.aborted) return { outcome: cancelledOutcome(run) }
    const hash = hashOf(request, decision)
    const lifted = decision.verdict === 'ask' ? await liftingApproval(request, { decision, hash, answered }) : 'none'
    const isAsked = lifted === undefined || effect.kind === 'question'
    const open = openRequests(run.fold.effects.get(key))
    // An answer arrived while the gate decided.
    if (open.length !== asked) continue
    const known = isAsked ? open.find(({ data }) => data.hash === hash) : undefined
    const unneeded = open.filter((other) => other !== known)
    // A person may take hours to answer, so the slot is freed for other calls.
    if (isAsked) slot.release()
    if (unneeded.length > 0) {
      for (const other of unneeded) await withdraw(run, other)
      continue
    }
    if (isAsked) {
      if ((await ask(request, { decision, hash, known })) === 'cancelled') return { outcome: cancelledOutcome(run) }
      continue
    }
    if (drift !== undefined) {
      slot.release()
      await checkDrift(request, drift)
      drift = undefined
      continue
    }
    const hit = isCounted ? undefined : await takeRates(request)
    if (hit !== undefined) return refuseRate(request, decision, hit)
    isCounted = true
    await slot.acquire()
    // The approval may have been revoked, or have expired, while the call waited for its slot.
    const isLapsed = typeof lifted === 'object' && (await findRuleApproval(request, decision))?.id !== lifted.id
    if (run.ended) return new Promise<never>(() => {})
    // Other calls have started or ended in the meantime, and the overseer's rules count all of them.
    if (isLapsed || run.signal.aborted || isHeldBack(request) || run.oversight?.version !== seen) continue
    slot.pass()
    const hasWaited = round > 1 || slot.hasQueued || monotonicNow(run.host.clock) - began >= WAITED_MS
    if (typeof lifted !== 'object') return start(request, decision, hash, hasWaited)
    cite(run, lifted)
    return start(request, { ...decision, standing: lifted.id }, hash, hasWaited)
  }
}

/** While the run is interrupted, nothing new starts; an effect inside a call that is under way is not new. */
function isHeldBack({ run, isWithin }: Request): boolean {
  return run.interrupted && isWithin !== true
}

/** The expired requests about a call. */
function overdue({ run, key }: Request): readonly ApprovalRecord[] {
  const now = run.host.clock.now()
  return openRequests(run.fold.effects.get(key)).filter(({ data }) => data.expiresAt <= now)
}

/** While the run is interrupted, it suspends with this effect undecided. */
async function interruption(request: Request, slot: SlotClaim): Promise<void> {
  const { run, key } = request
  if (!isHeldBack(request)) return
  slot.release()
  await untilReleased(run, key)
}

interface Lifting {
  readonly decision: GateDecision
  readonly hash: string
  readonly answered: { readonly isEdited: boolean }
}

/**
 * The approval that lifts an `ask`: one of exactly this call, one given ahead of time in this run, or one with the scope `rule`, which is returned.
 * Approvals of other calls do not lift it for a call whose input a person has edited.
 */
async function liftingApproval(
  request: Request,
  { decision, hash, answered }: Lifting,
): Promise<'exact' | 'ahead' | StandingNote | undefined> {
  const { run, effect, key } = request
  const isExact = (run.fold.effects.get(key)?.approvals ?? []).some(({ data, response }) => {
    if (data.reason !== 'approval' || response?.answer !== 'approve') return false
    return response.edit === undefined
      ? data.hash === hash
      : hashEffect(effect.kind, effect.name, response.edit) === hash
  })
  const byRule = await findRuleApproval(request, decision)
  if (isExact) return 'exact'
  if (decision.once === true || answered.isEdited) return undefined
  const call = { ...effect, input: decision.input }
  const ahead = matchStanding(run.fold.standing, call, decision.risk, run.host.clock.now())
  return ahead === undefined ? byRule : 'ahead'
}
