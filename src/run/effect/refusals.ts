import type { ErrorCode } from '../../core/index.ts'
import { describeLimit } from '../../gate/index.ts'
import type { GateDecision, LimitHit } from '../../gate/index.ts'
import type { Decision } from '../../journal/index.ts'
import type { Ending } from './perform.ts'

/** What an effect ends with that the gate does not let pass. */
export function refuse(decision: GateDecision): Ending {
  const code: ErrorCode = decision.code ?? (decision.verdict === 'kill' ? 'KILLED' : 'DENIED')
  return {
    outcome: { status: 'denied', code, reason: decision.reason, rule: decision.rule },
    refused: recordOf(decision),
  }
}

/** The same where parallel calls have taken the rest of a budget meanwhile. */
export function refuseOverLimit(decision: GateDecision, hit: LimitHit): Ending {
  return refuse({
    ...decision,
    verdict: 'deny',
    rule: `budget/${hit.unit}`,
    code: 'LIMIT_EXCEEDED',
    reason: describeLimit(hit),
  })
}

/** Refuses what could not be told apart after a crash. */
export function refuseByDurability(name: string): Ending {
  const outcome: Ending['outcome'] = {
    status: 'denied',
    code: 'DURABILITY_REFUSED',
    rule: 'durability',
    reason: `"${name}" is not idempotent, and durability "exit" could not tell after a crash whether it happened. Use "sync" or "batch", or declare the tool idempotent.`,
  }
  return { outcome }
}

/** The part of a decision that is kept: what the input became is in the entry already. */
export function recordOf({ reason, risk, rule, verdict, code, standing }: GateDecision): Decision {
  return {
    ...{ reason, risk, rule, verdict },
    ...(code === undefined ? {} : { code }),
    ...(standing === undefined ? {} : { standing }),
  }
}
