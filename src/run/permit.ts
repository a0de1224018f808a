import type { ErrorCode, Json, Outcome } from '../core/index.ts'
import { describeLimit, describeRate, hashEffect, matchStanding } from '../gate/index.ts'
import type { GateDecision, LimitHit, RateHit, Reservation } from '../gate/index.ts'
import type { ApprovalRecord, Decision, EffectRecord, EffectStartData, Spend } from '../journal/index.ts'
import { cancelledOutcome } from './run-outcome.ts'
import { ask } from './ask.ts'
import { decide } from './decide.ts'
import { checkDrift, dueCheck } from './overseeing.ts'
import { takeRates } from './rating.ts'
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
    run.interrupted ||
    run.signal.aborted ||
    effect.kind === 'question' ||
    dueCheck(request) !== undefined
  )
    return permitSlowly(request, record)
  const decision = decide(request, effect.input)
  if (decision instanceof Promise) return permitSlowly(request, record, decision)
  if (decision.verdict === 'deny' || decision.verdict === 'kill') return refuse(decision)
  if (decision.verdict === 'ask') return permitSlowly(request, record, decision)
  return start(request, decision, hashOf(request, decision.input))
}

function hashOf({ effect, asked }: Request, input: Json): string {
  return input === effect.input ? asked : hashEffect(effect.kind, effect.name, input)
}

/** The same where somebody has to be waited for. `first` is what the gate has said already. */
async function permitSlowly(
  request: Request,
  record: EffectRecord | undefined,
  first?: Soon<GateDecision>,
): Promise<Permit | Ending> {
  const { run, effect } = request
  let said = first
  let input = effect.input
  let approvals = record?.approvals ?? []
  const used = new Set<number>()
  let drift = dueCheck(request)
  let isCounted = false
  for (;;) {
    const seen = run.oversight?.version
    await interruption(request)
    if (run.signal.aborted) return { outcome: cancelledOutcome(run) }
    const decision = await (said ?? decide(request, input))
    said = undefined
    if (decision.verdict === 'deny' || decision.verdict === 'kill') return refuse(decision)
    // The gate took its time, and the run was cut or killed meanwhile: nothing begins any more.
    if (run.signal.aborted) return { outcome: cancelledOutcome(run) }
    const hash = hashOf(request, decision.input)
    const needsHuman = decision.verdict === 'ask' && !isLifted(request, { decision, hash, approvals })
    if (!needsHuman && effect.kind !== 'question') {
      if (drift !== undefined) {
        await checkDrift(request, drift)
        drift = undefined
        continue
      }
      const hit = isCounted ? undefined : await takeRates(request)
      if (hit !== undefined) return refuse(overRate(decision, hit, run.host.clock.now()))
      isCounted = true
      // Other calls have begun or ended meanwhile, and the overseer counts them all.
      if (run.signal.aborted || run.oversight?.version !== seen) continue
      return start(request, decision, hash)
    }
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
async function interruption({ run, key }: Request): Promise<void> {
  if (!run.interrupted) return
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

function refuse(decision: GateDecision): Ending {
  const code: ErrorCode = decision.code ?? (decision.verdict === 'kill' ? 'KILLED' : 'DENIED')
  return {
    outcome: { status: 'denied', code, reason: decision.reason, rule: decision.rule },
    refused: recordOf(decision),
  }
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

/** Steps 5 and 6. Reserving is synchronous with the check, so that parallel calls cannot both take the last of a budget. */
function start(request: Request, decision: GateDecision, hash: string): Soon<Permit | Ending> {
  const { run, effect, performer } = request
  // Of the input that will really run, which a guard or an approver may have changed.
  const final = decision.input === effect.input ? effect : { ...effect, input: decision.input }
  const worst = performer.facts(final, run).worst
  // The guard said it fits, but parallel calls may have taken the rest while it was asked.
  const hit = run.budget.check(worst)
  if (hit !== undefined) return refuse(overLimit(decision, hit))
  const repeatable = performer.repeatable(final, run)
  if (!repeatable && run.start.durability === 'exit') return { outcome: refusedByDurability(effect.name) }
  const claim = run.budget.claim(worst)
  return writeStart(request, { decision, hash, worst, claim, repeatable })
}

function overRate(decision: GateDecision, hit: RateHit, now: number): GateDecision {
  const rule = `rate/${hit.limit.tool}`
  return { ...decision, verdict: 'deny', rule, code: 'RATE_LIMITED', reason: describeRate(hit, now) }
}

function overLimit(decision: GateDecision, hit: LimitHit): GateDecision {
  return {
    ...decision,
    verdict: 'deny',
    rule: `budget/${hit.unit}`,
    code: 'LIMIT_EXCEEDED',
    reason: describeLimit(hit),
  }
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
  const data: EffectStartData = {
    kind: effect.kind,
    name: effect.name,
    input: decision.input,
    hash,
    ...(hash === asked ? {} : { asked }),
    decision: recordOf(decision),
    reserved: worst,
    repeatable,
    ...labelsOf(effect),
    ...(effect.intent === undefined ? {} : { intent: { ...effect.intent } }),
  }
  if (effect.kind === 'tool') run.toolCalls += 1
  run.reservations.set(key, claim)
  const mustBeStored = !repeatable || (performer.isRun === true && run.start.durability !== 'exit')
  const entry = mustBeStored
    ? run.writer.add('effect-start', key, data)
    : run.writer.addLater('effect-start', key, data)
  // A child is never there without its parent's knowing: whoever takes the parent down must find it.
  const { input, carry } = decision
  const permitted: Permit = { input, carry, attempts: 0, settle: settling(run, key, claim) }
  return (mustBeStored ? run.writer.whenStored(entry.seq)?.then(() => permitted) : undefined) ?? permitted
}

/** The part of a decision that is kept: what the input became is in the entry already. */
function recordOf(decision: GateDecision): Decision {
  const { verdict, rule, reason, code, risk } = decision
  return { verdict, rule, reason, ...(code === undefined ? {} : { code }), ...(risk === undefined ? {} : { risk }) }
}

function refusedByDurability(name: string): Outcome<Json> {
  return {
    status: 'denied',
    code: 'DURABILITY_REFUSED',
    rule: 'durability',
    reason: `"${name}" is not idempotent, and durability "exit" could not tell after a crash whether it happened. Use "sync" or "batch", or declare the tool idempotent.`,
  }
}
