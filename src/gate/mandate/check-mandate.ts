import { MandateError, budgetLimits, canonical, messageOf, nearest, sha256 } from '../../core/index.ts'
import type { BudgetLimits } from '../../core/index.ts'
import { RISKS } from '../../tool/index.ts'
import { GUARD_CHECKS } from './guard-fields.ts'
import { PERMISSIONS, PROFILES } from './mandate.ts'
import type { Mandate } from './mandate.ts'
import { shown } from '../rules/targets.ts'
import { checkRules } from '../rules/rule-set.ts'

type Check = (value: unknown, field: string) => void

const CHECKS: { readonly [F in keyof Mandate]-?: Check } = {
  allow: checkNames,
  deny: checkNames,
  grant: checkNames,
  profile: (value, field) => checkOneOf(value, PROFILES, field),
  callCap: (value, field) => {
    if (!Number.isInteger(value) || (value as number) < 0) refuse(field, 'must be a whole number from 0 up.')
  },
  risks: (value, field) => {
    for (const [name, risk] of entriesOf(value, field, '{ "tool": "write" }')) {
      checkName(name, `${field}[${JSON.stringify(name)}]`)
      checkOneOf(risk, RISKS, `${field}[${JSON.stringify(name)}]`)
    }
  },
  roles: (value, field) => {
    for (const [role, permissions] of entriesOf(value, field, '{ "reviewer": ["approve"] }')) {
      const place = `${field}[${JSON.stringify(role)}]`
      if (!Array.isArray(permissions)) refuse(place, `must be a list of permissions: ${PERMISSIONS.join(', ')}.`)
      for (const permission of permissions as unknown[]) checkOneOf(permission, PERMISSIONS, place)
    }
  },
  selfApproval: (value, field) => {
    if (typeof value !== 'boolean') refuse(field, 'must be true or false.')
  },
  budget: (value) => void budgetLimits(value as BudgetLimits),
  rules: (value) => checkRules(value),
  ...GUARD_CHECKS,
}

const FIELDS = Object.keys(CHECKS)

/** Mandates that were checked and are frozen. */
const checked = new WeakSet<object>()

/**
 * Validates a mandate and returns a frozen copy. Every mistake is reported here rather than at run time: CONFIG_INVALID names the field and the fix.
 *
 * @example
 * ```ts
 * import { checkMandate } from 'mandate/gate'
 * const mandate = checkMandate({ profile: 'strict', deny: ['shell*'], budget: { money: 0.5 } })
 * ```
 */
export function checkMandate(value: unknown): Mandate {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MandateError(
      'CONFIG_INVALID',
      'A mandate must be an object, such as { profile: "strict", deny: ["shell*"] }.',
    )
  }
  if (checked.has(value)) return value
  for (const [field, member] of Object.entries(value)) {
    if (!Object.hasOwn(CHECKS, field)) refuseField(field)
    if (member !== undefined) CHECKS[field as keyof Mandate](member, field)
  }
  const copy = freeze(copyOf(value))
  checked.add(copy)
  return copy
}

function copyOf(mandate: Mandate): Mandate {
  try {
    return JSON.parse(canonical(withoutInfinity(mandate))) as Mandate
  } catch (cause) {
    throw new MandateError('CONFIG_INVALID', `A mandate must be plain data: ${messageOf(cause)}`, { cause })
  }
}

/** The hash of a mandate's content, for the pins of a run: equal mandates have equal hashes, however they were written. */
export function mandateHash(mandate?: Mandate): string {
  const read = mandate === undefined ? (nothing ??= checkMandate({})) : checkMandate(mandate)
  let hash = hashes.get(read)
  if (hash === undefined) hashes.set(read, (hash = sha256(canonical(read))))
  return hash
}

/** The empty mandate, for agents without one. */
let nothing: Mandate | undefined

/** The hashes of frozen mandates, under each of which a service starts many runs. */
const hashes = new WeakMap<Mandate, string>()

/** JSON has no infinity; an infinite limit is no limit. */
function withoutInfinity(mandate: Mandate): Mandate {
  if (mandate.budget === undefined) return mandate
  const finite = Object.entries(mandate.budget).filter(([, limit]) => limit !== Number.POSITIVE_INFINITY)
  return { ...mandate, budget: Object.fromEntries(finite) }
}

function checkNames(value: unknown, field: string): void {
  if (!Array.isArray(value)) refuse(field, 'must be a list of names.')
  for (const [index, name] of (value as unknown[]).entries()) checkName(name, `${field}[${index}]`)
}

function checkName(name: unknown, field: string): void {
  if (typeof name !== 'string' || name.trim() !== name || name === '')
    refuse(field, 'must be the name of a tool, or `kind:name` for something else.')
  else if (name.slice(0, -1).includes('*')) refuse(field, `is ${shown(name)}: "*" may only stand at the end of a name.`)
}

function checkOneOf(value: unknown, known: readonly string[], field: string): void {
  if (known.includes(value as string)) return
  const meant = typeof value === 'string' ? nearest(value, known) : undefined
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`
  refuse(field, `is ${shown(value)}.${hint} Use one of: ${known.join(', ')}.`)
}

function entriesOf(value: unknown, field: string, example: string): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse(field, `must be an object, such as ${example}.`)
  return Object.entries(value)
}

function refuseField(field: string): never {
  const meant = nearest(field, FIELDS)
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`
  return refuse(field, `is not a field of a mandate.${hint} Use only: ${FIELDS.join(', ')}.`)
}

function refuse(field: string, problem: string): never {
  throw new MandateError('CONFIG_INVALID', `\`mandate.${field}\` ${problem}`, { info: { field } })
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze)
  return value
}
