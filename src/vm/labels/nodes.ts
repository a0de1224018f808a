import { children } from '../compile/children.ts'
import type { Assign, Ex, Index, St, Update } from '../compile/ir.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import { METHOD_NAMES, PICKING_NAMES } from './builtin-flows.ts'
import { operatorThrows } from './operator-rules.ts'

/** The built-in that a name stands for. */
export function globalOf(node: Ex): BuiltinFunction | undefined {
  const value = node.k === 'var' && node.ref?.to === 'global' ? node.ref.value : undefined
  return value instanceof BuiltinFunction ? value : undefined
}

/** `a.b.c` as what it begins with and the names that follow. */
export function pathOf(node: Ex): readonly [Ex, readonly string[]] {
  const path: string[] = []
  let base = node
  while (base.k === 'member' && !base.optional) {
    path.unshift(base.name)
    base = base.object
  }
  return [base, path]
}

/** What a function gives, wherever it says so. */
export function returned(node: Ex | St): readonly Ex[] {
  if (node.k === 'fn' || node.k === 'function') return []
  if (node.k === 'return') return node.value === undefined ? [] : [node.value]
  return children(node).flatMap(returned)
}

/** Whether it calls anything that is no built-in. */
export function calls(node: Ex | St): boolean {
  if (node.k === 'call' && globalOf(node.callee) === undefined) return true
  if (node.k === 'method' && globalOf(node.object) === undefined)
    if (typeof node.name !== 'string' || !METHOD_NAMES.has(node.name)) return true
  return node.k !== 'fn' && node.k !== 'function' && children(node).some(calls)
}

/** Whether what this gives can be an object, a list or a function. */
export function mayBeReference({ k }: Ex): boolean {
  return !['lit', 'binary', 'unary', 'template', 'update'].includes(k)
}

/** Whether computing it can throw because of what was read: to read a variable and to put things together cannot. */
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

/** Whether this makes something new that holds nothing but what is new as well: nothing else refers to any of it. */
export function isClosed(node: Ex): boolean {
  if (!mayBeReference(node)) return true
  if (node.k === 'list') return node.items.every(isClosed)
  if (node.k === 'new') return node.args.length === 0 && ['Map', 'Set'].includes(globalOf(node.callee)?.path ?? '')
  return node.k === 'object' && node.properties.every((one) => !('k' in one) && isClosed(one.value))
}

/** `a[k]`, and `a[k] ??= []`, which gives what is in `a` then: where in a program one of the things in a variable is meant. */
export function keyedBy(node: Ex): Index | undefined {
  if (node.k === 'assign') return fills(node) && node.target.k === 'index' ? node.target : undefined
  return node.k === 'index' && !node.optional ? node : undefined
}

/** Whether an assignment puts something new where no reference was, and changes nothing else. */
export function fills(node: Assign | Update): boolean {
  return node.k === 'assign' && (node.op === '??' || node.op === '||') && isClosed(node.value)
}

/** Whether what this gives can be a function. */
export function mayBeFunction({ k }: Ex): boolean {
  return !['lit', 'binary', 'unary', 'template', 'list', 'object', 'update', 'data'].includes(k)
}

/** The same, where it is known that most built-ins give data. */
export function mayHoldFunction(source: Ex): boolean {
  const isData = source.k === 'method' && typeof source.name === 'string' && METHOD_NAMES.has(source.name)
  return isData ? PICKING_NAMES.has(source.name) : mayBeFunction(source)
}

/** Whether there may be functions in a list. */
export function mayHoldFunctions(source: Ex | 'item'): boolean {
  return source === 'item' || source.k !== 'list' || source.items.some(mayHoldFunction)
}

/** Kinds that do nothing but what their parts do: of every other, what looks for effects has to know what it does. */
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
      | 'await'
      | 'decide'
      | 'part'
      | 'through'
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
  await: true,
  decide: true,
  part: true,
  through: true,
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
