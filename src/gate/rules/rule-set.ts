import { MandateError, nearest } from '../../core/index.ts'
import { compileCondition } from './conditions.ts'
import type { Refuse, Test } from './conditions.ts'
import { compileExpression, isExpression } from './expressions.ts'
import type { Effect } from '../effect.ts'
import type { GateView } from '../guard.ts'
import type { Rule } from '../mandate/mandate.ts'

const FIELDS = ['id', 'when', 'then', 'reason']
const ACTIONS = ['allow', 'ask', 'deny', 'kill']

interface CompiledRule {
  readonly rule: Rule
  readonly tests: readonly Test[]
  /** The reason for the match, if the rule can give one. */
  readonly explain?: ((view: GateView) => string) | undefined
}

/** Compiled rules, by their list. */
const compiled = new WeakMap<readonly Rule[], RuleIndex>()

/** The bound of the cache of targets: models invent names, so it must not grow without limit. */
const TARGETS_MAX = 500

/** Indexes the rules of a list by the targets they may apply to: of fifty rules for fifty tools, a call evaluates one. */
class RuleIndex {
  readonly #all: readonly CompiledRule[]
  readonly #byTarget = new Map<string, readonly CompiledRule[]>()

  constructor(all: readonly CompiledRule[]) {
    this.#all = all
  }

  of({ kind, name }: Effect): readonly CompiledRule[] {
    const target = `${kind}\n${name}`
    let found = this.#byTarget.get(target)
    if (found === undefined) {
      found = this.#all.filter(({ rule }) => mayConcern(rule, kind, name))
      if (this.#byTarget.size < TARGETS_MAX) this.#byTarget.set(target, found)
    }
    return found
  }
}

/** Whether a rule names this target, or a pattern that its conditions must judge, or no target. */
function mayConcern({ when }: Rule, kind: string, name: string): boolean {
  const tool =
    typeof when === 'object' && !isExpression(when) ? (when as { readonly tool?: unknown })['tool'] : undefined
  if (tool === undefined) return true
  return kind === 'tool' && (typeof tool !== 'string' || tool.includes('*') || tool === name)
}

/** A rule that applies, with its reason. */
interface Match {
  readonly rule: Rule
  readonly reason: string
}

/** The first rule whose conditions all hold. */
export function firstMatch(rules: readonly Rule[], view: GateView): Match | undefined {
  let index = compiled.get(rules)
  if (index === undefined) compiled.set(rules, (index = new RuleIndex(compileRules(rules))))
  for (const { rule, tests, explain } of index.of(view.effect)) {
    if (tests.every((test) => test(view))) return { rule, reason: rule.reason ?? reasonOf(rule, explain?.(view)) }
  }
  return undefined
}

function reasonOf({ id, then }: Rule, why: string | undefined): string {
  return why === undefined ? `The rule "${id}" says ${then}.` : `The rule "${id}" says ${then}, ${why}`
}

/** Throws CONFIG_INVALID with the rule and the field unless every rule is valid. */
export function checkRules(rules: unknown): readonly Rule[] {
  if (!Array.isArray(rules)) throw new MandateError('CONFIG_INVALID', '`rules` must be a list of rules.')
  return compileRules(rules).map(({ rule }) => rule)
}

function compileRules(rules: readonly unknown[]): readonly CompiledRule[] {
  const ids = new Set<unknown>()
  return rules.map((rule, index) => {
    const made = compileRule(rule, index)
    if (ids.has(made.rule.id))
      refuseRule(rule, index)('id', 'is used by an earlier rule too. Give every rule its own id.')
    ids.add(made.rule.id)
    return made
  })
}

function compileRule(given: unknown, index: number): CompiledRule {
  const refuse = refuseRule(given, index)
  if (typeof given !== 'object' || given === null) return refuse('', 'must be an object with `id`, `when` and `then`.')
  const unknown = Object.keys(given).find((field) => !FIELDS.includes(field))
  if (unknown !== undefined) {
    const meant = nearest(unknown, FIELDS)
    refuse(
      unknown,
      `is not known. ${meant === undefined ? `Use only: ${FIELDS.join(', ')}.` : `Did you mean "${meant}"?`}`,
    )
  }
  const { id, when, then, reason } = given as { readonly [K in keyof Rule]: unknown }
  if (typeof id !== 'string' || id === '') return refuse('id', 'must be a text that names the rule in the record.')
  if (!ACTIONS.includes(then as string)) return refuse('then', `must be one of: ${ACTIONS.join(', ')}.`)
  if (reason !== undefined && typeof reason !== 'string') return refuse('reason', 'must be a text.')
  if (isExpression(when)) {
    const { test, explain } = compileExpression(when, id, refuse)
    return { rule: given as Rule, tests: [test], explain }
  }
  if (typeof when !== 'object' || when === null || Array.isArray(when)) {
    return refuse('when', 'must be an object of paths and conditions ({} matches every effect), or an expression.')
  }
  const tests = Object.entries(when).map(([path, condition]) => compileCondition(path, condition, refuse))
  return { rule: given as Rule, tests }
}

function refuseRule(given: unknown, index: number): Refuse {
  const id = typeof given === 'object' && given !== null ? (given as { id?: unknown }).id : undefined
  const name = typeof id === 'string' ? `rules[${index}] (${JSON.stringify(id)})` : `rules[${index}]`
  return (field, problem) => {
    const separator = field === '' || field.startsWith('[') ? '' : '.'
    throw new MandateError('CONFIG_INVALID', `\`${name}${separator}${field}\` ${problem}`, {
      info: { rule: id ?? index, field },
    })
  }
}
