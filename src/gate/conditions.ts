import { MandateError, canonical, messageOf } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import { RISKS } from '../tool/index.ts'
import { isList, isSame } from './equality.ts'
import type { GateView } from './guard.ts'
import { nearest } from './nearest.ts'
import { riskRank } from './risk.ts'
import { EFFECT_KINDS, matchesName } from './targets.ts'

/** Throws what is wrong with a rule, and where. */
export type Refuse = (field: string, problem: string) => never

export type Test = (view: GateView) => boolean
type ValueTest = (value: Json | undefined) => boolean

/** What a path reads, and how its values are compared. */
interface Subject {
  readonly read: (view: GateView) => Json | undefined
  readonly same: (value: Json, operand: Json) => boolean
  /** The number a value stands for, where it can be compared. */
  readonly rank: (value: Json) => number | undefined
  /** The only values there are, where that is known: anything else in a rule is a mistake. */
  readonly values?: readonly string[] | undefined
}

const asNumber = (value: Json): number | undefined => (typeof value === 'number' ? value : undefined)
const asRisk = (value: Json): number | undefined =>
  RISKS.includes(value as never) ? riskRank(value as string) : undefined
const asPattern = (value: Json, operand: Json): boolean =>
  typeof value === 'string' && typeof operand === 'string' && matchesName(operand, value)

const SCALARS: { readonly [root: string]: Subject } = {
  tool: { read: ({ effect }) => (effect.kind === 'tool' ? effect.name : undefined), same: asPattern, rank: asNumber },
  name: { read: ({ effect }) => effect.name, same: asPattern, rank: asNumber },
  kind: { read: ({ effect }) => effect.kind, same: isSame, rank: asNumber, values: EFFECT_KINDS },
  risk: { read: ({ risk }) => risk, same: isSame, rank: asRisk, values: RISKS },
}

const ROOTS = [...Object.keys(SCALARS), 'input', 'identity.id', 'identity.roles', 'identity.agent']

/** Makes a test of one line of a rule's `when`, or refuses it: nothing is left to go wrong while a run goes on. */
export function compileCondition(path: string, condition: unknown, refuse: Refuse): Test {
  const field = `when[${JSON.stringify(path)}]`
  const subject = subjectOf(path, (problem) => refuse(field, problem))
  const tests = testsOf(condition, subject, (operator, problem) => refuse(`${field}${operator}`, problem))
  // A rule about tools is not a rule about whatever is no tool, also when it says "every tool but these".
  const isToolPath = path === 'tool'
  return (view) => {
    const value = subject.read(view)
    return !(isToolPath && value === undefined) && tests.every((test) => test(value))
  }
}

function subjectOf(path: string, refuse: (problem: string) => never): Subject {
  if (Object.hasOwn(SCALARS, path)) return SCALARS[path]!
  const [root, ...members] = path.split('.')
  const isRead = (root === 'input' || ROOTS.includes(path)) && members.every((member) => member !== '')
  if (!isRead) {
    const meant = nearest(path, ROOTS)
    return refuse(
      `is not a path that rules can read. ${meant === undefined ? '' : `Did you mean "${meant}"? `}Use one of: ${ROOTS.join(', ')}, or a path below input.`,
    )
  }
  const start = root === 'input' ? (view: GateView): unknown => view.input : (view: GateView): unknown => view.identity
  return { read: (view) => readPath(start(view), members), same: isSame, rank: asNumber }
}

/** Own members only: a path must not reach what objects inherit. */
function readPath(start: unknown, members: readonly string[]): Json | undefined {
  let value = start
  for (const member of members) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member)) return undefined
    value = (value as { readonly [name: string]: unknown })[member]
  }
  return value as Json | undefined
}

function testsOf(condition: unknown, subject: Subject, refuse: Refuse): ValueTest[] {
  if (typeof condition !== 'object' || condition === null || isList(condition)) {
    return [
      OPERATORS['eq']!(
        operand(condition, subject, (problem) => refuse('', problem)),
        subject,
      ),
    ]
  }
  const given = Object.entries(condition).filter(([, value]) => value !== undefined)
  if (given.length === 0) refuse('', `is empty. Use one of: ${Object.keys(OPERATORS).join(', ')}.`)
  return given.map(([name, value]) => {
    const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name]! : undefined
    if (operator === undefined) {
      return refuse(
        `.${name}`,
        `is not a test. Use one of: ${Object.keys(OPERATORS).join(', ')}. For equality with an object, write { eq: … }.`,
      )
    }
    const checked = checkOperand(name, value, subject, (problem) => refuse(`.${name}`, problem))
    return operator(checked, subject)
  })
}

type Operator = (operand: Json, subject: Subject) => ValueTest

const compare =
  (holds: (value: number, operand: number) => boolean): Operator =>
  (limit, { rank }) => {
    const bound = rank(limit)!
    return (value) => {
      const number = value === undefined ? undefined : rank(value)
      return number !== undefined && holds(number, bound)
    }
  }

const isIn =
  (wanted: boolean): Operator =>
  (list, { same }) =>
  (value) =>
    (value !== undefined && (list as readonly Json[]).some((item) => same(value, item))) === wanted

const OPERATORS: { readonly [name: string]: Operator } = {
  eq:
    (other, { same }) =>
    (value) =>
      value !== undefined && same(value, other),
  ne:
    (other, { same }) =>
    (value) =>
      value === undefined || !same(value, other),
  gt: compare((value, bound) => value > bound),
  gte: compare((value, bound) => value >= bound),
  lt: compare((value, bound) => value < bound),
  lte: compare((value, bound) => value <= bound),
  in: isIn(true),
  notIn: isIn(false),
  has: (item) => (value) => isList(value) && value.some((member) => isSame(member, item)),
  exists: (wanted) => (value) => (value !== undefined) === wanted,
}

function checkOperand(name: string, value: unknown, subject: Subject, refuse: (problem: string) => never): Json {
  switch (name) {
    case 'in':
    case 'notIn':
      if (!isList(value) || value.length === 0) return refuse('must be a list of at least one value.')
      return value.map((item) => operand(item, subject, refuse))
    case 'exists':
      return typeof value === 'boolean' ? value : refuse('must be true or false.')
    case 'eq':
    case 'ne':
      return operand(value, subject, refuse)
    case 'has':
      return plain(value, refuse)
    default: {
      const isComparable = subject.rank(value as Json) !== undefined && !Number.isNaN(value)
      return isComparable
        ? (value as Json)
        : refuse(subject.values === RISKS ? `must be one of: ${RISKS.join(', ')}.` : 'must be a number.')
    }
  }
}

/** A value to compare with. Where all values are known, another one would never match, which is never what was meant. */
function operand(value: unknown, subject: Subject, refuse: (problem: string) => never): Json {
  if (subject.values !== undefined && !subject.values.includes(value as string)) {
    return refuse(`is ${JSON.stringify(value)}. Use one of: ${subject.values.join(', ')}.`)
  }
  if (subject.same === asPattern && typeof value !== 'string') return refuse('must be a name.')
  return plain(value, refuse)
}

function plain(value: unknown, refuse: (problem: string) => never): Json {
  try {
    return JSON.parse(canonical(value)) as Json
  } catch (error) {
    return refuse(`must be plain data: ${MandateError.isInstance(error) ? error.message : messageOf(error)}`)
  }
}
