import { hashEffect } from '../effect.ts'
import type { GateView, Guard, GuardVerdict } from '../guard.ts'
import type { OverseerPolicy } from '../mandate/guard-fields.ts'
import { shown } from '../rules/targets.ts'

const MAX_TOKENS = 100_000
const MAX_CALLS_PER_MINUTE = 30
const MAX_REPEATS = 3
const DRIFT_MAX = 3

/** Supervises the run as a whole: its token use, its rate of calls, repeated calls, and drift from its task. */
export const overseerGuard: Guard = {
  name: 'overseer',
  appliesTo: ({ overseer }) => overseer !== undefined,
  check: checkOverseer,
}

/** Evaluates every check, and the strictest verdict counts: a run that is too fast may be in a loop as well. */
function checkOverseer(view: GateView): GuardVerdict {
  const policy = view.mandate.overseer
  const { oversight, effect } = view
  // The overseer's own question is exempt, otherwise it could never be asked.
  if (policy === undefined || oversight === undefined || view.isOverseer === true) return undefined
  const max = policy.maxTokens ?? MAX_TOKENS
  if (oversight.tokens > max)
    return kill('tokens', `This run has used ${oversight.tokens} tokens; the overseer allows ${max}.`)
  if (effect.kind !== 'tool') return undefined
  const killed = checkRepeats(view, policy) ?? checkDrift(view, policy)
  return killed ?? checkAnswered(view, policy) ?? checkPace(view, policy) ?? warn(view, policy)
}

function checkRepeats(view: GateView, { maxRepeats = MAX_REPEATS }: OverseerPolicy): GuardVerdict {
  const { oversight, effect, input } = view
  const known = input === effect.input ? view.hash : undefined
  const repeats = oversight!.repeatsOf(known ?? hashEffect(effect.kind, effect.name, input)) + 1
  if (repeats < maxRepeats) return undefined
  return kill('loop', `The tool ${shown(effect.name)} was called ${repeats} times in a row with the same input.`)
}

function checkDrift({ oversight }: GateView, { drift }: OverseerPolicy): GuardVerdict {
  const max = drift?.max ?? DRIFT_MAX
  if (drift === undefined || oversight!.drift < max) return undefined
  return kill('drift', `${oversight!.drift} checks in a row found that the run no longer serves its task.`)
}

/** A drift check without an answer is treated as failed, so a person is asked instead. */
function checkAnswered({ oversight }: GateView, { drift }: OverseerPolicy): GuardVerdict {
  if (drift === undefined || drift.onFailure === 'allow' || !oversight!.isUnchecked) return undefined
  return {
    verdict: 'ask',
    ofRun: true,
    rule: 'drift-unchecked',
    reason: `The drift check by ${shown(drift.model)} gave no answer, so it is unknown whether this call still serves the task.`,
  }
}

function checkPace(view: GateView, { maxCallsPerMinute: max = MAX_CALLS_PER_MINUTE }: OverseerPolicy): GuardVerdict {
  const calls = view.oversight!.callsInMinute(view.now) + 1
  if (calls <= max) return undefined
  return {
    verdict: 'ask',
    ofRun: true,
    rule: 'pace',
    reason: `This would be call ${calls} within a minute; the overseer lets ${max} pass unasked.`,
  }
}

/** An `allow` that records the warning. */
function warn({ oversight }: GateView, { drift }: OverseerPolicy): GuardVerdict {
  if (drift === undefined) return undefined
  if (oversight!.isUnchecked)
    return {
      verdict: 'allow',
      rule: 'drift-unchecked',
      reason: `The drift check by ${shown(drift.model)} gave no answer; the mandate lets the call pass.`,
    }
  if (oversight!.drift === 0) return undefined
  return {
    verdict: 'allow',
    rule: 'drift-warning',
    reason: `The last ${oversight!.drift} checks doubt that the run still serves its task.`,
  }
}

function kill(rule: string, reason: string): GuardVerdict {
  return { verdict: 'kill', rule, code: 'KILLED', reason }
}
