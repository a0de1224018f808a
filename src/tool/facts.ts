import { canonical, sha256, toPlain } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import { shown } from './shown.ts'
import { badField } from './shape.ts'
import { RISKS, type Risk, type Tool, type ToolRetry } from './tool.ts'

/** The declared properties of a tool; a host may set them for a tool that does not declare them. */
export type ToolFacts = Partial<
  Pick<
    Tool,
    | 'outputSchema'
    | 'risk'
    | 'isForeign'
    | 'safeByDefault'
    | 'idempotent'
    | 'timeoutMs'
    | 'retry'
    | 'maxResultBytes'
    | 'labels'
    | 'reveals'
    | 'takesTokens'
    | 'reconcile'
    | 'needsApproval'
    | 'fatal'
    | 'standsFor'
  >
>

/** The names of all facts. */
export const FACT_NAMES: FieldNames<ToolFacts> = {
  outputSchema: true,
  risk: true,
  isForeign: true,
  safeByDefault: true,
  idempotent: true,
  timeoutMs: true,
  retry: true,
  maxResultBytes: true,
  labels: true,
  reveals: true,
  takesTokens: true,
  reconcile: true,
  needsApproval: true,
  fatal: true,
  standsFor: true,
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Reads the facts and throws on invalid ones: a misspelt risk must not be ignored. */
export function readFacts(fact: (field: string) => unknown, tool: string): ToolFacts {
  const facts: Mutable<ToolFacts> = {}
  const take = <T>(field: string, fits: (value: unknown) => value is T, what: string): T | undefined => {
    const value = fact(field)
    if (value === undefined || fits(value)) return value
    throw badField(tool, field, `is ${shown(toPlain(value).value)}. Give ${what}`)
  }
  facts.risk = take('risk', isRisk, `one of: ${RISKS.join(', ')}`)
  facts.isForeign = take('isForeign', isBoolean, 'true or false')
  facts.safeByDefault = take('safeByDefault', isBoolean, 'true or false')
  facts.idempotent = take('idempotent', isBoolean, 'true or false')
  facts.timeoutMs = take('timeoutMs', isPositive, 'milliseconds above 0')
  facts.maxResultBytes = take('maxResultBytes', isSize, 'a whole number of bytes above 0')
  facts.labels = take('labels', isTexts, 'a list of texts')
  facts.reveals = take('reveals', isPersonal, 'a list of kinds of personal data, such as "pii:email" or "pii:*"')
  facts.takesTokens = take('takesTokens', isBoolean, 'true or false')
  const reconcile = take('reconcile', isFunction, 'a function')
  if (reconcile !== undefined) facts.reconcile = reconcile as NonNullable<Tool['reconcile']>
  const standsFor = take('standsFor', isFunction, 'a function of the input')
  if (standsFor !== undefined) facts.standsFor = standsFor as NonNullable<Tool['standsFor']>
  const fatal = take('fatal', isAnswer, 'true, false or a function of the error')
  if (fatal !== undefined) facts.fatal = typeof fatal === 'boolean' ? () => fatal : (error) => fatal(error) === true
  facts.needsApproval = readApproval(take('needsApproval', isAnswer, 'true, false or a function of the input'))
  const retry = take(
    'retry',
    isRetry,
    '{ attempts: 1 or more, backoffMs: 0 or more, retriable?: a function of the error }',
  )
  if (retry !== undefined) facts.retry = Object.freeze({ ...retry })
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
}

/** A guard needs a synchronous answer: a function that returns a promise, or throws, counts as requiring approval. */
function readApproval(given: boolean | AnyFunction | undefined): Tool['needsApproval'] {
  if (typeof given !== 'function') return given
  return (input) => {
    try {
      const answer = given(input)
      return answer === true || (typeof answer === 'object' && answer !== null)
    } catch {
      return true
    }
  }
}

type AnyFunction = (argument: unknown, more?: unknown) => unknown

function isRisk(value: unknown): value is Risk {
  return RISKS.includes(value as Risk)
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

function isFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function'
}

function isAnswer(value: unknown): value is boolean | AnyFunction {
  return isBoolean(value) || isFunction(value)
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}

function isPositive(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isPersonal(value: unknown): value is readonly string[] {
  return isTexts(value) && value.every((label) => label === 'pii' || label.startsWith('pii:'))
}

function isRetry(value: unknown): value is ToolRetry {
  if (typeof value !== 'object' || value === null) return false
  const { attempts, backoffMs, retriable } = value as Partial<Record<keyof ToolRetry, unknown>>
  const countFits = Number.isInteger(attempts) && (attempts as number) >= 1
  const waitFits = typeof backoffMs === 'number' && backoffMs >= 0
  return countFits && waitFits && (retriable === undefined || isFunction(retriable))
}

/** Facts that older builds did not have: without one, the hash of a tool stays that of those builds, to which approvals are bound. */
const LATER_FACTS: readonly string[] = ['takesTokens']

/** The hash of a tool's definition: its name, description, schemas and facts. Code has no hash; of facts that are functions only the presence counts. */
export function definitionHash(tool: Tool): string {
  const facts = tool as unknown as { readonly [name: string]: unknown }
  const names = Object.keys(FACT_NAMES).filter((name) => facts[name] !== undefined || !LATER_FACTS.includes(name))
  const fields = ['name', 'description', 'inputSchema', 'unvalidated', 'opaqueSchema', ...names]
  const said = fields.map((field) => {
    const value = facts[field]
    return [field, typeof value === 'function' ? 'function' : value === undefined ? null : toPlain(value).value]
  })
  return sha256(canonical(said))
}
