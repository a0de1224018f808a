import { canonical } from '../core/index.ts'
import { hashEffect, matchStanding } from '../gate/index.ts'
import type { GateDecision } from '../gate/index.ts'
import type { ApprovalRecord } from '../journal/index.ts'
import { cancelledOutcome } from './run-outcome.ts'
import { answersTo, openRequests } from './answers.ts'
import { ask } from './ask.ts'
import { decide, decided } from './decide.ts'
import { checkDrift } from './drift-check.ts'
import { oversized } from './oversized.ts'
import { dueCheck } from './overseeing.ts'
import type { Ending, Permit, Request } from './perform.ts'
import { hashOf, isHeldBack, start } from './permit.ts'
import { refuse } from './refusals.ts'
import { expire, withdraw } from './respond.ts'
import type { FirstWord } from './permit.ts'
import { refuseRate, takeRates } from './rate-taking.ts'
import { SlotClaim } from './slots.ts'

/** Steps 2 to 6 for an effect on whose way somebody has to be waited for. */
export async function permitSlowly(request: Request, first?: FirstWord): Promise<Permit | Ending> {
  const slot = new SlotClaim(request.slots)
  try {
    return await wayThrough(request, slot, first)
  } finally {
    slot.give()
  }
}

async function wayThrough(request: Request, slot: SlotClaim, first: FirstWord | undefined): Promise<Permit | Ending> {
  const { run, effect, key } = request
  let said = first
  let drift = dueCheck(request)
  let isCounted = false
  const taken = first?.taken
  for (;;) {
    const seen = said === undefined ? run.oversight?.version : said.seen
    await interruption(request, slot)
    if (run.signal.aborted) return { outcome: cancelledOutcome(run) }
    // Looked at anew in every round: an answer may have come while something else was waited for.
    for (const open of overdue(request)) await expire(run, open)
    const asked = openRequests(run.fold.effects.get(key)).length
    const answered = answersTo(run.fold.effects.get(key), effect.input)
    if ('outcome' in answered) return answered
    const tooLarge = answered.isEdited ? oversized(request, canonical(answered.input)) : undefined
    if (tooLarge !== undefined) return tooLarge
    const decision = await decided(request, said?.decision ?? decide(request, answered.input))
    said = undefined
    if (decision.verdict === 'deny' || decision.verdict === 'kill') return refuse(decision)
    // The gate took its time, and the run was cut or killed meanwhile: nothing begins any more.
    if (run.signal.aborted) return { outcome: cancelledOutcome(run) }
    const hash = hashOf(request, decision.input)
    const needsHuman = decision.verdict === 'ask' && !isLifted(request, { decision, hash, answered })
    const isAsked = needsHuman || effect.kind === 'question'
    const open = openRequests(run.fold.effects.get(key))
    // Someone has answered while the gate was asked.
    if (open.length !== asked) continue
    const known = isAsked ? open.find(({ data }) => data.hash === hash) : undefined
    const unneeded = open.filter((other) => other !== known)
    // A person may take hours to answer; others go on meanwhile.
    if (isAsked) slot.give()
    if (unneeded.length > 0) {
      for (const other of unneeded) await withdraw(run, other)
      continue
    }
    if (isAsked) {
      if ((await ask(request, { decision, hash, known })) === 'cancelled') return { outcome: cancelledOutcome(run) }
      continue
    }
    if (drift !== undefined) {
      slot.give()
      await checkDrift(request, drift)
      drift = undefined
      continue
    }
    const hit = isCounted ? undefined : await (taken ?? takeRates(request))
    if (hit !== undefined) return refuseRate(request, decision, hit)
    isCounted = true
    await slot.take()
    if (run.ended) return new Promise<never>(() => {})
    // Other calls have begun or ended meanwhile, and the overseer counts them all.
    if (run.signal.aborted || isHeldBack(request) || run.oversight?.version !== seen) continue
    slot.pass()
    return start(request, decision, hash)
  }
}

/** The open requests about a call whose time is over. */
function overdue({ run, key }: Request): readonly ApprovalRecord[] {
  const now = run.host.clock.now()
  return openRequests(run.fold.effects.get(key)).filter(({ data }) => data.expiresAt <= now)
}

/** While the process wants to stop, nothing new begins: the run suspends with this effect still unasked. */
async function interruption(request: Request, slot: SlotClaim): Promise<void> {
  const { run, key } = request
  if (!isHeldBack(request)) return
  slot.give()
  await new Promise<void>((resolve) => {
    run.park({
      key,
      reason: 'interrupt',
      pending: [{ key, reason: 'interrupt' }],
      live: false,
      release: () => resolve(),
    })
  })
  run.unpark(key)
}

interface Lifting {
  readonly decision: GateDecision
  readonly hash: string
  readonly answered: { readonly isEdited: boolean }
}

/** An approval lifts `ask` for exactly the call it was given for; a standing one for the calls it describes, but not for one that a person has edited. */
function isLifted({ run, effect, key }: Request, { decision, hash, answered }: Lifting): boolean {
  const exact = (run.fold.effects.get(key)?.approvals ?? []).some(({ data, response }) => {
    if (data.reason !== 'approval' || response?.answer !== 'approve') return false
    return response.edit === undefined
      ? data.hash === hash
      : hashEffect(effect.kind, effect.name, response.edit) === hash
  })
  if (exact || decision.once === true || answered.isEdited) return exact
  const call = { ...effect, input: decision.input }
  return matchStanding(run.fold.standing, call, decision.risk, run.host.clock.now()) !== undefined
}
