import { MandateError, nearest } from '../core/index.ts'
import { compileCondition } from './conditions.ts'
import type { Refuse, Test } from './conditions.ts'
import { compileExpression, isExpression } from './expressions.ts'
import type { GateView } from './guard.ts'
import type { Rule } from './mandate.ts'

const FIELDS = ['id', 'when', 'then', 'reason']
const ACTIONS = ['allow', 'ask', 'deny', 'kill']

interface CompiledRule {
  readonly rule: Rule
  readonly tests: readonly Test[]
  /** Why it matched, where the rule can say so. */
  readonly explain?: ((view: GateView) => string) | undefined
}

/** Rules made ready, once per list. */
const compiled = new WeakMap<readonly Rule[], readonly CompiledRule[]>()

/** A rule that applies, and why. */
export interface Match {
  readonly rule: Rule
  readonly reason: string
}

/** The first rule whose conditions all hold. */
export function firstMatch(rules: readonly Rule[], view: GateView): Match | undefined {
  let list = compiled.get(rules)
  if (list === undefined) compiled.set(rules, (list = compileRules(rules)))
  for (const { rule, tests, explain } of list) {
    if (tests.every((test) => test(view))) return { rule, reason: rule.reason ?? reasonOf(rule, explain?.(view)) }
  }
  return undefined
}

function reasonOf({ id, then }: Rule, why: string | undefined): string {
  return why === undefined ? `The rule "${id}" says ${then}.` : `The rule "${id}" says ${then}, ${why}`
}

/** Throws CONFIG_INVALID with the rule and the field unless every rule can be applied. */
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
