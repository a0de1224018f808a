import { canonical, isList, isSame, messageOf } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { GateView } from '../guard.ts'
import { subjectOf } from './subjects.ts'
import type { Subject } from './subjects.ts'
import { shown } from './targets.ts'

/** Throws an error with the field and the problem. */
export type Refuse = (field: string, problem: string) => never
type RefuseValue = (problem: string) => never

/** Whether one condition of a rule holds for an effect. */
export type Test = (view: GateView) => boolean
type ValueTest = (value: Json | undefined) => boolean
type Operator = (operand: Json, subject: Subject) => ValueTest

const compare =
  (holds: (value: number, bound: number) => boolean): Operator =>
  (operand, { rank }) => {
    const bound = rank!(operand)!
    return (value) => {
      const size = value === undefined ? undefined : rank!(value)
      return size !== undefined && holds(size, bound)
    }
  }

const isIn =
  (wanted: boolean): Operator =>
  (list, { same }) =>
  (value) =>
    (value !== undefined && (list as readonly Json[]).some((item) => same(value, item))) === wanted

/** A missing value is equal to nothing, larger than nothing and in no list; `ne` and `notIn` are the negations and hold for it. */
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

const NAMES = Object.keys(OPERATORS).join(', ')

/** Compiles one condition of a rule's `when`, or refuses it, so that nothing can fail at run time. */
export function compileCondition(path: string, condition: unknown, refuse: Refuse): Test {
  const field = `when[${JSON.stringify(path)}]`
  const subject = subjectOf(path, (problem) => refuse(field, problem))
  const tests = testsOf(condition, subject, (operator, problem) => refuse(`${field}${operator}`, problem))
  // A rule about tools does not apply to other effects, even with negated conditions.
  const isAboutTools = path === 'tool'
  return (view) => {
    const value = subject.read(view)
    return !(isAboutTools && value === undefined) && tests.every((test) => test(value))
  }
}

function testsOf(condition: unknown, subject: Subject, refuse: Refuse): ValueTest[] {
  if (typeof condition !== 'object' || condition === null || isList(condition)) {
    return [
      OPERATORS['eq']!(
        checkOther(condition, subject, (problem) => refuse('', problem)),
        subject,
      ),
    ]
  }
  const given = Object.entries(condition).filter(([, value]) => value !== undefined)
  if (given.length === 0) refuse('', `is empty. Use one of: ${NAMES}.`)
  return given.map(([name, value]) => {
    if (!Object.hasOwn(OPERATORS, name)) {
      refuse(`.${name}`, `is not a test. Use one of: ${NAMES}. For equality with an object, write { eq: … }.`)
    }
    return OPERATORS[name]!(
      checkOperand(name, value, subject, (problem) => refuse(`.${name}`, problem)),
      subject,
    )
  })
}

function checkOperand(name: string, value: unknown, subject: Subject, refuse: RefuseValue): Json {
  switch (name) {
    case 'eq':
    case 'ne':
      return checkOther(value, subject, refuse)
    case 'in':
    case 'notIn':
      if (!isList(value) || value.length === 0) return refuse('must be a list of at least one value.')
      return value.map((item) => checkOther(item, subject, refuse))
    case 'exists':
      return typeof value === 'boolean' ? value : refuse('must be true or false.')
    case 'has':
      return subject.isText ? refuse('is for lists, and this is never one. Use `in`.') : plain(value, refuse)
    default:
      if (subject.rank === undefined) return refuse('compares sizes, and this has none. Use `eq` or `in`.')
      if (subject.rank(value as Json) !== undefined) return value as Json
      return refuse(
        subject.values === undefined ? 'must be a number.' : `must be one of: ${subject.values.join(', ')}.`,
      )
  }
}

/** Validates a comparison value. A value that the subject can never have would never match, so it is refused. */
function checkOther(value: unknown, { values, isText }: Subject, refuse: RefuseValue): Json {
  if (values !== undefined && !values.includes(value as string)) {
    return refuse(`is ${shown(value)}. Use one of: ${values.join(', ')}.`)
  }
  if (isText && typeof value !== 'string') return refuse('must be a name.')
  return plain(value, refuse)
}

function plain(value: unknown, refuse: RefuseValue): Json {
  try {
    return JSON.parse(canonical(value)) as Json
  } catch (error) {
    return refuse(`must be plain data: ${messageOf(error)}`)
  }
}
