import { utf8Bytes } from '../../core/index.ts'
import type { ErrorCode } from '../../core/index.ts'
import { describeLimit } from '../../gate/index.ts'
import type { GateDecision, LimitHit } from '../../gate/index.ts'
import type { Decision } from '../../journal/index.ts'
import type { Ending, Request } from './perform.ts'

/** The ending of an effect that the gate refuses. */
export function refuse(decision: GateDecision): Ending {
  const code: ErrorCode = decision.code ?? (decision.verdict === 'kill' ? 'KILLED' : 'DENIED')
  return {
    outcome: { status: 'denied', code, reason: decision.reason, rule: decision.rule },
    refused: recordOf(decision),
  }
}

/** The same for an effect whose budget parallel calls have used up after the gate allowed it. */
export function refuseOverLimit(decision: GateDecision, hit: LimitHit): Ending {
  return refuse({
    ...decision,
    verdict: 'deny',
    rule: `budget/${hit.unit}`,
    code: 'LIMIT_EXCEEDED',
    reason: describeLimit(hit),
  })
}

/** Refuses an effect that could neither be repeated nor reconciled after a crash. */
export function refuseByDurability(name: string): Ending {
  const outcome: Ending['outcome'] = {
    status: 'denied',
    code: 'DURABILITY_REFUSED',
    rule: 'durability',
    reason: `"${name}" is not idempotent, and durability "exit" could not tell after a crash whether it happened. Use "sync" or "batch", or declare the tool idempotent.`,
  }
  return { outcome }
}

/** Refuses an input that is too large for the journal, before any other check reads it. */
export function refuseOversized({ run, effect }: Request, inputText: string): Ending | undefined {
  const max = run.limits.inputBytes
  // A UTF-16 code unit takes at most three bytes, so most inputs need not be counted.
  if (inputText.length * 3 <= max) return undefined
  const inputSize = utf8Bytes(inputText)
  if (inputSize <= max) return undefined
  const reason = `The input of ${effect.kind} "${effect.name}" has ${inputSize} bytes; \`limits.inputBytes\` is ${max}. Send less, or raise it.`
  return { outcome: { status: 'denied', code: 'LIMIT_EXCEEDED', rule: 'limits/inputBytes', reason } }
}

/** The part of a decision that is recorded. The modified input is in the entry already. */
export function recordOf({ reason, risk, rule, verdict, code, standing }: GateDecision): Decision {
  return {
    ...{ reason, risk, rule, verdict },
    ...(code === undefined ? {} : { code }),
    ...(standing === undefined ? {} : { standing }),
  }
}
