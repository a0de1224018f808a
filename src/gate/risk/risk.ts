import type { Json } from '../../core/index.ts'
import type { EffectKind } from '../../journal/index.ts'
import { RISKS } from '../../tool/index.ts'
import type { Risk } from '../../tool/index.ts'
import type { Effect, EffectFacts } from '../effect.ts'
import type { Mandate } from '../mandate/mandate.ts'
import { riskOfWords } from './risk-words.ts'
import { matchesTarget } from '../rules/targets.ts'
import { riskOfInput } from './risk-inputs.ts'

/** Operations on memory and databases that change nothing. Whatever is not listed counts as a write. */
const READ_OPERATIONS: ReadonlySet<unknown> = new Set([
  'read',
  'get',
  'has',
  'list',
  'keys',
  'count',
  'search',
  'query',
  'find',
])

/** These only think, wait or ask: what they lead to is judged when it comes. */
const HARMLESS: ReadonlySet<EffectKind> = new Set(['model', 'embed', 'prompt', 'question', 'sleep'])

/** Whether an effect stores something: an operation on memory or a database that is not known to be a read. */
export function isStoreWrite(kind: EffectKind, input: Json): boolean {
  if (kind !== 'memory' && kind !== 'database') return false
  const isObject = typeof input === 'object' && input !== null && Object.hasOwn(input, 'op')
  return !(isObject && READ_OPERATIONS.has((input as { readonly op: unknown }).op))
}

/** The position of a risk in rising order; whatever is not a risk counts as the highest. */
export function riskRank(risk: string): number {
  const rank = RISKS.indexOf(risk as Risk)
  return rank < 0 ? RISKS.length : rank
}

/** The higher of two risks; what is not a risk counts as the highest there is. */
export function maxRisk(a: Risk, b: Risk): Risk {
  return RISKS[Math.min(Math.max(riskRank(a), riskRank(b)), RISKS.length - 1)]!
}

/**
 * How much harm an effect can do: the host's word if there is one, else the highest of what its target says, what its name and input give away,
 * and what the model declared. A declaration can only raise it.
 */
export function resolveRisk(effect: Effect, facts: EffectFacts, mandate: Mandate): Risk {
  return overridden(effect, mandate) ?? assessRisk(effect, facts)
}

function assessRisk(effect: Effect, facts: EffectFacts): Risk {
  if (effect.kind === 'tool') return toolRisk(effect, facts)
  return HARMLESS.has(effect.kind) ? 'read' : declared(effect, facts.risk ?? naturalRisk(effect))
}

/** A tool of which nothing is known counts as one that runs something. */
function toolRisk(effect: Effect, { risk, description }: EffectFacts): Risk {
  const named = riskOfWords(effect.name, description)
  const known = risk === undefined ? (named ?? 'exec') : named === undefined ? risk : maxRisk(risk, named)
  const given = riskOfInput(effect.input)
  return declared(effect, given === undefined ? known : maxRisk(known, given))
}

/** What a model declares can only raise it. */
function declared({ intent }: Effect, own: Risk): Risk {
  return intent === undefined ? own : maxRisk(own, intent.riskLevel)
}

/** Of a child run nothing is assumed, since its own effects are judged one by one. */
function naturalRisk(effect: Effect): Risk {
  return isStoreWrite(effect.kind, effect.input) ? 'write' : 'read'
}

/** The host's word on a target, where it has one that counts. */
function overridden(effect: Effect, mandate: Mandate): Risk | undefined {
  if (mandate.risks === undefined || HARMLESS.has(effect.kind)) return undefined
  let best: Risk | undefined
  let bestLength = -1
  for (const [pattern, risk] of Object.entries(mandate.risks)) {
    const length = pattern.endsWith('*') ? pattern.length : Number.POSITIVE_INFINITY
    if (length > bestLength && matchesTarget(pattern, effect.kind, effect.name)) {
      best = risk
      bestLength = length
    }
  }
  return best
}
