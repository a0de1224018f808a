import { children } from '../../compile/children.ts'
import type { Assign, Ex, Index, Property, Spread, Update, Var } from '../../compile/ir.ts'
import type { If, St } from '../../compile/ir-statements.ts'
import { BuiltinFunction } from '../../value/builtin-function.ts'
import { METHOD_NAMES, MUTATORS, PICKING_NAMES } from './builtin-flows.ts'
import { operatorThrows } from './operator-rules.ts'

/** The built-in that a global name refers to. */
export function globalOf(node: Ex): BuiltinFunction | undefined {
  const value = node.k === 'var' && node.ref?.to === 'global' ? node.ref.value : undefined
  return value instanceof BuiltinFunction ? value : undefined
}

/** Splits `a.b.c` into its base expression and property names. */
export function pathOf(node: Ex): readonly [Ex, readonly string[]] {
  const path: string[] = []
  let base = node
  while (base.k === 'member' && !base.optional) {
    path.unshift(base.name)
    base = base.object
  }
  return [base, path]
}

/** The expressions of all `return` statements of a function. */
export function returned(node: Ex | St): readonly Ex[] {
  if (node.k === 'fn' || node.k === 'function') return []
  if (node.k === 'return') return node.value === undefined ? [] : [node.value]
  return children(node).flatMap(returned)
}

/** Whether a node calls anything but built-ins. */
export function calls(node: Ex | St): boolean {
  if (node.k === 'call' && globalOf(node.callee) === undefined) return true
  if (node.k === 'method' && globalOf(node.object) === undefined)
    if (typeof node.name !== 'string' || !METHOD_NAMES.has(node.name)) return true
  return node.k !== 'fn' && node.k !== 'function' && children(node).some(calls)
}

/** Whether an expression may be an object, a list or a function. */
export function mayBeReference({ k }: Ex): boolean {
  return !['lit', 'binary', 'unary', 'template', 'update'].includes(k)
}

/** Whether evaluating an expression can throw depending on the values it reads. */
export function mayThrow(node: Ex): boolean {
  switch (node.k) {
    case 'lit':
    case 'data':
    case 'var':
    case 'temp':
    case 'fn':
    case 'regex':
      return false
    case 'unary':
    case 'binary':
      return operatorThrows(node.op, node.k) || children(node).some((part) => mayThrow(part as Ex))
    case 'object':
      return node.properties.some((property) =>
        'k' in property ? mayThrow(property.argument) : typeof property.key !== 'string' || mayThrow(property.value),
      )
    case 'list':
    case 'logical':
    case 'conditional':
    case 'sequence':
      return children(node).some((part) => mayThrow(part as Ex))
    default:
      return true
  }
}

/** Whether an expression is a fresh value that holds only fresh values: nothing else refers to any of it. */
export function isFreshLiteral(node: Ex): boolean {
  if (!mayBeReference(node)) return true
  if (node.k === 'list') return node.items.every(isFreshLiteral)
  if (node.k === 'new') return node.args.length === 0 && ['Map', 'Set'].includes(globalOf(node.callee)?.path ?? '')
  return node.k === 'object' && node.properties.every((one) => !('k' in one) && isFreshLiteral(one.value))
}

/** The keyed access of `a[k]` and `a[k] ??= []`, whose value is a part of `a`. */
export function keyedBy(node: Ex): Index | undefined {
  if (node.k === 'assign') return fillsAbsent(node) && node.target.k === 'index' ? node.target : undefined
  return node.k === 'index' && !node.optional ? node : undefined
}

/** Whether an assignment only stores a fresh value where no reference was. */
export function fillsAbsent(node: Assign | Update): boolean {
  if (node.k !== 'assign') return false
  if (node.op === '??' || node.op === '||') return isFreshLiteral(node.value)
  if (node.op !== '') return false
  if (filling.has(node)) return true
  // `a[k] = a[k] ?? []`
  const { value } = node
  return (
    value.k === 'logical' && value.op !== '&&' && isFreshLiteral(value.right) && isSameRead(value.left, node.target)
  )
}

/** Assignments guarded by a test that no reference was there. */
const filling = new WeakSet<Assign>()

/** Recognises `if (!a[k]) a[k] = []`, which is equivalent to `a[k] ||= []`; the rest of the block is arbitrary. */
export function noteFillIfAbsent({ test, then }: If): void {
  const [first] = then.body
  if (first?.k !== 'expr' || first.value.k !== 'assign') return
  const { op, target, value } = first.value
  if (op === '' && target.k === 'index' && isFreshLiteral(value) && isAbsence(test, target)) filling.add(first.value)
}

/** Whether a test is true only if the target holds no reference. */
function isAbsence(test: Ex, target: Index): boolean {
  if (test.k === 'unary' && test.op === '!') {
    const { argument } = test
    if (argument.k !== 'binary' || argument.op !== 'in') return isSameRead(argument, target)
    return isSameRead(argument.left, target.key) && isSameRead(argument.right, target.object)
  }
  if (test.k !== 'binary' || (test.op !== '===' && test.op !== '==')) return false
  const { left, right } = test
  // The script front end writes `undefined` as `void 0`.
  const nothing = right.k === 'unary' && right.op === 'void' ? right.argument.k === 'lit' : isNothing(right)
  return nothing && isSameRead(left, target)
}

function isNothing(node: Ex): boolean {
  return node.k === 'lit' && (node.value === null || node.value === undefined)
}

/** Whether two expressions read the same location, by names and keys that cannot change in between. */
function isSameRead(one: Ex, other: Ex): boolean {
  if (one.k === 'lit') return other.k === 'lit' && one.value === other.value
  if (one.k === 'var') return other.k === 'var' && one.name === other.name && isSameReference(one, other)
  if (one.k === 'member') return other.k === 'member' && one.name === other.name && isSameRead(one.object, other.object)
  return (
    one.k === 'index' && other.k === 'index' && isSameRead(one.object, other.object) && isSameRead(one.key, other.key)
  )
}

function isSameReference({ ref: one }: Var, { ref: other }: Var): boolean {
  if (one?.to === 'local') return other?.to === 'local' && one.variable === other.variable
  if (one?.to === 'box') return other?.to === 'box' && one.up === other.up
  return one !== undefined && one.to === other?.to
}

/** Whether the value of an expression may be an iterator that is also referenced elsewhere, or an iterable object of the program. */
export function mayBeIterator(node: Ex): boolean {
  switch (node.k) {
    case 'lit':
    case 'data':
    case 'list':
    case 'template':
    case 'binary':
    case 'unary':
    case 'update':
    case 'tolist':
    case 'fn':
    case 'regex':
      return false
    case 'iterated':
      return mayBeIterator(node.items)
    case 'part':
      return mayBeIterator(node.value)
    case 'method':
      // Most built-ins return lists and texts.
      return (
        !(typeof node.name === 'string' && METHOD_NAMES.has(node.name)) ||
        ITERATING.has(node.name) ||
        PICKING_NAMES.has(node.name)
      )
    default:
      return true
  }
}

/** Built-ins that return iterators, or the result of a callback. */
const ITERATING: ReadonlySet<string> = new Set(
  'next return throw map filter take drop flatMap keys values entries matchAll then catch finally'.split(' '),
)

/** Whether a node writes to objects, or contains calls that may. */
export function writes(node: Ex | St): boolean {
  if (node.k === 'fn' || node.k === 'function') return false
  if ((node.k === 'assign' || node.k === 'update') && node.target.k !== 'var' && node.target.k !== 'temp') return true
  if (node.k === 'unary' && node.op === 'delete') return true
  if (node.k === 'method' && typeof node.name === 'string' && MUTATORS.has(node.name)) return true
  return calls(node) || children(node).some(writes)
}

/** Whether an expression may be a function. */
function mayBeFunction({ k }: Ex): boolean {
  return !['lit', 'binary', 'unary', 'template', 'list', 'object', 'update', 'data'].includes(k)
}

/** The same, but most built-ins are known to return data. */
export function mayHoldFunction(source: Ex): boolean {
  const isData = source.k === 'method' && typeof source.name === 'string' && METHOD_NAMES.has(source.name)
  return isData ? PICKING_NAMES.has(source.name) : mayBeFunction(source)
}

/** Whether a list may hold functions. */
export function mayHoldFunctions(source: Ex | 'item'): boolean {
  return source === 'item' || source.k !== 'list' || source.items.some(mayHoldFunction)
}

/** Kinds of nodes without effects besides those of their children. The effect analysis must handle every other kind. */
type Inert = Extract<
  Ex | St,
  {
    k:
      | 'lit'
      | 'data'
      | 'var'
      | 'temp'
      | 'arg'
      | 'regex'
      | 'found'
      | 'member'
      | 'index'
      | 'binary'
      | 'logical'
      | 'conditional'
      | 'list'
      | 'object'
      | 'template'
      | 'sequence'
      | 'chain'
      | 'spread'
      | 'tolist'
      | 'omit'
      | 'class'
      | 'create'
      | 'super'
      | 'private'
      | 'strings'
      | 'await'
      | 'decide'
      | 'part'
      | 'iterated'
      | 'expr'
      | 'block'
      | 'if'
      | 'loop'
      | 'switch'
      | 'labeled'
      | 'throw'
      | 'mark'
  }
>

const INERT: Readonly<Record<Inert['k'], true>> = {
  lit: true,
  data: true,
  var: true,
  temp: true,
  arg: true,
  regex: true,
  found: true,
  member: true,
  index: true,
  binary: true,
  logical: true,
  conditional: true,
  list: true,
  object: true,
  template: true,
  sequence: true,
  chain: true,
  spread: true,
  tolist: true,
  omit: true,
  class: true,
  create: true,
  super: true,
  private: true,
  strings: true,
  await: true,
  decide: true,
  part: true,
  iterated: true,
  expr: true,
  block: true,
  if: true,
  loop: true,
  switch: true,
  labeled: true,
  throw: true,
  mark: true,
}

export function isInert(node: Ex | St): node is Inert {
  return Object.hasOwn(INERT, node.k)
}

function isPureProperty(property: Property | Spread): boolean {
  if ('k' in property) return isPure(property.argument)
  return isPure(property.value) && (typeof property.key === 'string' || isPure(property.key))
}

/** Whether a node has no side effects and makes no request. Iterating over an iterator is a side effect. */
export function isPure(node: Ex | St): boolean {
  if (node.k === 'yield' || node.k === 'yieldto') return false
  if (node.k === 'object') return node.properties.every(isPureProperty)
  switch (node.k) {
    case 'call':
    case 'method':
    case 'new':
    case 'assign':
    case 'update':
    case 'input':
    case 'temp':
      return false
    case 'unary':
      return node.op !== 'delete' && isPure(node.argument)
    case 'fn':
      return true
    case 'spread':
    case 'tolist':
      return !mayBeIterator(node.argument) && isPure(node.argument)
    case 'request':
    case 'append':
    case 'constset':
    case 'settemp':
    case 'awaitto':
    case 'callto':
    case 'mark':
    case 'await':
      return false
    case 'lit':
    case 'data':
    case 'var':
    case 'arg':
    case 'regex':
    case 'found':
    case 'member':
    case 'index':
    case 'binary':
    case 'logical':
    case 'conditional':
    case 'list':
    case 'template':
    case 'sequence':
    case 'chain':
    case 'omit':
    case 'class':
    case 'create':
    case 'super':
    case 'private':
    case 'strings':
    case 'decide':
    case 'part':
    case 'iterated':
    case 'expr':
    case 'let':
    case 'function':
    case 'block':
    case 'if':
    case 'loop':
    case 'forof':
    case 'switch':
    case 'exit':
    case 'labeled':
    case 'throw':
    case 'try':
    case 'return':
      return children(node).every(isPure)
    default:
      return node satisfies never
  }
}
