import type { GateDecision, Reservation } from '../../gate/index.ts'
import type { EffectStartData, Spend } from '../../journal/index.ts'
import { labelsOf } from './effect-labels.ts'
import type { Ending, Permit, Request } from './perform.ts'
import { recordOf, refuseByDurability, refuseOverLimit } from './refusals.ts'
import { heldReservation } from './held-reservation.ts'

/**
 * Steps 5 and 6 for an effect that holds a slot: reserves its worst case and records its start. The slot stays with the permit, and is released if
 * there is no permit.
 */
export async function start(
  request: Request,
  decision: GateDecision,
  hash: string,
  hasWaited: boolean,
): Promise<Permit | Ending> {
  try {
    const started = reserve(request, decision, hash)
    if ('outcome' in started) {
      request.slots.release()
      return started
    }
    const { permit, seq, mustBeStored } = started
    if (mustBeStored) await request.run.writer.durable(seq)
    return { ...permit, isProven: mustBeStored || !hasWaited }
  } catch (error) {
    request.slots.release()
    throw error
  }
}

/** Check and claim are one synchronous step, so that parallel calls cannot both take the remainder of a budget. */
function reserve(request: Request, decision: GateDecision, hash: string): Started | Ending {
  const { run, effect, performer } = request
  // The facts are those of the final input, which a guard or an approver may have changed.
  const final = decision.input === effect.input ? effect : { ...effect, input: decision.input }
  const worst = performer.facts(final, run).worst
  // The budget guard allowed it, but parallel calls may have reserved the remainder since.
  const hit = run.budget.check(worst)
  if (hit !== undefined) return refuseOverLimit(decision, hit)
  const repeatable = performer.repeatable(final, run)
  if (!repeatable && run.start.durability === 'exit') return refuseByDurability(effect.name)
  return writeStart(request, { decision, hash, worst, reservation: run.budget.claim(worst), repeatable })
}

/** A recorded start. */
interface Started {
  readonly permit: Omit<Permit, 'isProven'>
  readonly seq: number
  /** Whether it must be durable before the effect is performed. */
  readonly mustBeStored: boolean
}

interface Start {
  readonly decision: GateDecision
  readonly hash: string
  readonly worst: Spend
  readonly reservation: Reservation
  readonly repeatable: boolean
}

function writeStart(request: Request, { decision, hash, worst, reservation, repeatable }: Start): Started {
  const { run, key, effect, asked, performer } = request
  const { input, carry } = decision
  const data: EffectStartData = {
    decision: recordOf(decision),
    hash,
    input,
    kind: effect.kind,
    name: effect.name,
    repeatable,
    reserved: worst,
    ...run.stamp(),
    ...(hash === asked ? {} : { asked }),
    ...labelsOf(effect),
    ...(effect.intent === undefined ? {} : { intent: { ...effect.intent } }),
  }
  if (effect.kind === 'tool') run.toolCalls += 1
  run.reservations.set(key, reservation)
  // The parent's start entry is durable before the child exists: cancelling the parent must find the child.
  const mustBeStored = !repeatable || (performer.isRun === true && run.start.durability !== 'exit')
  const { seq } = run.writer.addEffect('effect-start', key, data, mustBeStored)
  return { permit: { input, carry, attempts: 0, ...heldReservation(run, key, reservation) }, seq, mustBeStored }
}
