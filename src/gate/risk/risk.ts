import type { Json } from '../../core/index.ts'
import type { EffectKind } from '../../journal/index.ts'
import { RISKS } from '../../tool/index.ts'
import type { Risk } from '../../tool/index.ts'
import type { Effect, EffectFacts } from '../effect.ts'
import type { Mandate } from '../mandate/mandate.ts'
import { riskOfWords } from './risk-words.ts'
import { matchesTarget } from '../rules/targets.ts'
import { riskOfInput } from './risk-inputs.ts'

/** Operations on memory and databases that change nothing. An operation that is not listed counts as a write. */
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

/** Kinds that only call a model, wait or ask a person; the effects that follow from them are judged separately. */
const HARMLESS: ReadonlySet<EffectKind> = new Set(['model', 'embed', 'prompt', 'question', 'sleep'])

/** Whether an effect stores something: an operation on memory or a database that is not known to be a read. */
export function isStoreWrite(kind: EffectKind, input: Json): boolean {
  if (kind !== 'memory' && kind !== 'database') return false
  const isObject = typeof input === 'object' && input !== null && Object.hasOwn(input, 'op')
  return !(isObject && READ_OPERATIONS.has((input as { readonly op: unknown }).op))
}

/** The rank of a risk in rising order; an unknown risk ranks highest. */
export function riskRank(risk: string): number {
  const rank = RISKS.indexOf(risk as Risk)
  return rank < 0 ? RISKS.length : rank
}

/** The higher of two risks; an unknown risk counts as the highest. */
export function maxRisk(a: Risk, b: Risk): Risk {
  return RISKS[Math.min(Math.max(riskRank(a), riskRank(b)), RISKS.length - 1)]!
}

/** A risk with its reason. */
export interface RiskFinding {
  readonly risk: Risk
  /** The reason, as the rest of a sentence that begins with "because". */
  readonly why: string
  /** Set if the name suggests a higher risk than the author of the tool declared; the declaration counts. */
  readonly review?: string | undefined
}

/** The risk of an effect; `explainRisk` returns the reason too. */
export function resolveRisk(effect: Effect, facts: EffectFacts, mandate: Mandate): Risk {
  return explainRisk(effect, facts, mandate).risk
}

/**
 * The risk of an effect, and its reason: the host's setting (`risks` of a mandate) if there is one; otherwise what the author of the tool declared;
 * otherwise what its name and description suggest. What an input shows (a destructive command, an external path) and what the model declares as its
 * intent can raise each of these; a name alone never raises what was declared. A tool of a foreign source (MCP) cannot declare less than its name
 * suggests.
 */
export function explainRisk(effect: Effect, facts: EffectFacts, mandate: Mandate): RiskFinding {
  const host = overridden(effect, mandate)
  if (host !== undefined) return { risk: host, why: 'the mandate says so (`risks`)' }
  const own = effect.kind === 'tool' ? toolRisk(effect, facts) : otherRisk(effect, facts)
  const intended = HARMLESS.has(effect.kind) ? undefined : effect.intent?.riskLevel
  if (intended === undefined || maxRisk(own.risk, intended) === own.risk) return own
  return { ...own, risk: maxRisk(own.risk, intended), why: 'the model declared it in its intent' }
}

function otherRisk(effect: Effect, facts: EffectFacts): RiskFinding {
  if (HARMLESS.has(effect.kind)) return { risk: 'read', why: `a ${effect.kind} changes nothing` }
  if (facts.risk !== undefined) return { risk: facts.risk, why: 'its target declares it' }
  return { risk: naturalRisk(effect), why: `that is what a ${effect.kind} operation like this does` }
}

/** The risk of a tool; without any information about it, `exec`. */
function toolRisk(effect: Effect, facts: EffectFacts): RiskFinding {
  const { risk: declared, description, isForeign } = facts
  const named = riskOfWords(effect.name, description)
  const given = riskOfInput(effect.input, declared === 'read' && isForeign !== true)
  if (declared === undefined) {
    return raised({ risk: named ?? 'exec', why: named === undefined ? UNKNOWN : NAMED }, given, GIVEN)
  }
  const own: RiskFinding = { risk: declared, why: 'its definition declares it' }
  if (isForeign === true) return raised(raised(own, named, NAMED), given, GIVEN)
  const counted = raised(own, given, GIVEN)
  if (named === undefined || riskRank(named) <= riskRank(counted.risk)) return counted
  const review = `It is declared "${declared}", and its name or description suggests "${named}": look whether the declaration is right.`
  return { ...counted, review }
}

const UNKNOWN = 'nothing is declared of it and its name says nothing: give the tool a `risk`'
const NAMED = 'its name or description says so: give the tool a `risk` if it is another'
const GIVEN = 'its input says so'

function raised(own: RiskFinding, by: Risk | undefined, why: string): RiskFinding {
  return by === undefined || riskRank(by) <= riskRank(own.risk) ? own : { risk: by, why }
}

/** The risk of other kinds. A child run has none by itself, because its effects are judged one by one. */
function naturalRisk(effect: Effect): Risk {
  return isStoreWrite(effect.kind, effect.input) ? 'write' : 'read'
}

/** The host's setting for a target, if it has a valid one. */
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
