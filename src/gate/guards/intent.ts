import type { EffectKind } from '../../journal/index.ts'
import type { GateView, Guard, GuardVerdict } from '../guard.ts'
import { readIntent } from '../content/intents.ts'
import { shown } from '../rules/targets.ts'

/** The kinds that a model calls like a tool. Effects inside them are judged separately. */
const DECLARED: ReadonlySet<EffectKind> = new Set(['tool', 'agent', 'program', 'cell', 'graph'])

/** Where the mandate requires it, every call needs its own declared intent, in every kind of mind. */
export const intentGuard: Guard = {
  name: 'intent',
  appliesTo: ({ intentRequired }) => intentRequired === true,
  check: checkIntent,
}

function checkIntent({ effect }: GateView): GuardVerdict {
  if (!DECLARED.has(effect.kind)) return undefined
  const { name, intent, intentProblem } = effect
  if (intent === undefined) return missing(name, intentProblem)
  const read = readIntent(intent)
  if ('problem' in read) return missing(name, read.problem)
  if (read.toolName === name) return undefined
  return {
    verdict: 'deny',
    rule: 'mismatch',
    code: 'INTENT_MISSING',
    reason: `The declared intent is about ${shown(read.toolName)}, the call about ${shown(name)}. Declare an intent for each call.`,
  }
}

function missing(name: string, problem: string | undefined): GuardVerdict {
  const form = `<intent>{"toolName": ${JSON.stringify(name.slice(0, 80))}, "purpose": "…", "expectedOutcome": "…", "riskLevel": "read"}</intent>`
  const why =
    problem === undefined
      ? 'No intent was declared for this call.'
      : `The intent for this call could not be read: ${problem}`
  return {
    verdict: 'deny',
    rule: problem === undefined ? 'missing' : 'malformed',
    code: 'INTENT_MISSING',
    reason: `${why} Call ${shown(name)} again with ${form} in the same reply.`,
  }
}
