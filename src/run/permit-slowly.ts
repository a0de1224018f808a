import type { Json, Outcome } from '../core/index.ts'
import { hashEffect, matchStanding } from '../gate/index.ts'
import type { GateDecision } from '../gate/index.ts'
import type { ApprovalRecord, EffectRecord } from '../journal/index.ts'
import { cancelledOutcome } from './run-outcome.ts'
import { ask } from './ask.ts'
import { decide } from './decide.ts'
import { checkDrift } from './drift-check.ts'
import { dueCheck } from './overseeing.ts'
import type { Ending, Permit, Request } from './perform.ts'
import { hashOf, start } from './permit.ts'
import { refuse } from './refusals.ts'
import type { FirstWord } from './permit.ts'
import { refuseRate, takeRates } from './rate-taking.ts'
import { SlotClaim } from './slots.ts'

/** Steps 3 to 6 for an effect on whose way somebody has to be waited for. */
export async function permitSlowly(
  request: Request,
  record: EffectRecord | undefined,
  first?: FirstWord,
): Promise<Permit | Ending> {
  const slot = new SlotClaim(request.run.slots)
  try {
    return await wayThrough(request, slot, record, first)
  } finally {
    slot.give()
  }
}

async function wayThrough(
  request: Request,
  slot: SlotClaim,
  record: EffectRecord | undefined,
  first: FirstWord | undefined,
): Promise<Permit | Ending> {
  const { run, effect } = request
  let said = first
  let input = effect.input
  let approvals = record?.approvals ?? []
  const used = new Set<number>()
  let drift = dueCheck(request)
  let isCounted = false
  const taken = first?.taken
  for (;;) {
    const seen = said === undefined ? run.oversight?.version : said.seen
    await interruption(request, slot)
    if (run.signal.aborted) return { outcome: cancelledOutcome(run) }
    const decision = await (said?.decision ?? decide(request, input))
    said = undefined
    if (decision.verdict === 'deny' || decision.verdict === 'kill') return refuse(decision)
    // The gate took its time, and the run was cut or killed meanwhile: nothing begins any more.
    if (run.signal.aborted) return { outcome: cancelledOutcome(run) }
    const hash = hashOf(request, decision.input)
    const needsHuman = decision.verdict === 'ask' && !isLifted(request, { decision, hash, approvals })
    if (!needsHuman && effect.kind !== 'question') {
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
      if (run.signal.aborted || run.interrupted || run.oversight?.version !== seen) continue
      slot.pass()
      return start(request, decision, hash)
    }
    // A person may take hours to answer; others go on meanwhile.
    slot.give()
    // An answer counts once: an edit that the gate turns back into the call it replaced is asked about anew.
    const open = approvals.filter(({ seq }) => !used.has(seq))
    const answer = await ask(request, { decision, hash, known: knownRequest(open, hash) })
    if (answer === 'cancelled') return { outcome: cancelledOutcome(run) }
    const refused = refusal(answer)
    if (refused !== undefined) return { outcome: refused }
    const { response } = answer
    if (response?.answer === 'answer')
      return { outcome: { status: 'ok', value: response.value ?? response.text ?? null } }
    if (response?.edit !== undefined) input = response.edit
    used.add(answer.seq)
    approvals = [...approvals.filter((other) => other.seq !== answer.seq), answer]
  }
}

/** While the process wants to stop, nothing new begins: the run suspends with this effect still unasked. */
async function interruption({ run, key }: Request, slot: SlotClaim): Promise<void> {
  if (!run.interrupted) return
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

/** An approval lifts `ask` for exactly the call it was given for; a standing one for the calls it describes. */
function isLifted(
  request: Request,
  { decision, hash, approvals }: { decision: GateDecision; hash: string; approvals: readonly ApprovalRecord[] },
): boolean {
  const { run, effect } = request
  const exact = approvals.some(({ data, response }) => {
    if (data.reason !== 'approval' || response?.answer !== 'approve') return false
    return response.edit === undefined
      ? data.hash === hash
      : hashEffect(effect.kind, effect.name, response.edit) === hash
  })
  return (
    exact ||
    (decision.once !== true &&
      matchStanding(run.fold.standing, { ...effect, input: decision.input }, decision.risk, run.host.clock.now()) !==
        undefined)
  )
}

/** The same question is not asked twice: one that is open for this very call is waited for, one that was answered stays answered. */
function knownRequest(approvals: readonly ApprovalRecord[], hash: string): ApprovalRecord | undefined {
  return approvals.findLast(({ data }) => data.reason !== 'in-doubt' && data.hash === hash)
}

function refusal(record: ApprovalRecord): Outcome<Json> | undefined {
  const response = record.response
  if (response?.answer === 'reject') {
    return {
      status: 'denied',
      code: 'DENIED',
      rule: 'approval',
      reason: response.text ?? `${response.by.id} rejected it`,
    }
  }
  if (response?.answer === 'expire') {
    return {
      status: 'denied',
      code: 'APPROVAL_STALE',
      rule: 'approval',
      reason: 'nobody answered before the approval expired',
    }
  }
  return undefined
}
