import { children } from '../compile/children.ts'
import type { Emitter } from '../compile/emit/emitter.ts'
import type { Ex, Fn } from '../compile/ir.ts'
import type { St } from '../compile/ir-statements.ts'
import type { AssignmentOperator } from '../compile/operators.ts'
import type { FunctionInfo, Variable } from '../compile/lower/scope.ts'
import { ASSIGNMENT_RULES } from './rules/operator-rules.ts'

/**
 * Variables that never carry a label nor hold a reference: they are computed from constants and each other only, and no branch on a labelled
 * value writes them. Closures access their slots as if labels were off.
 */
class UnlabelledVariables {
  readonly #not = new Set<Variable>()
  readonly #info: FunctionInfo
  #hasChanged = true
  #treated: readonly Variable[] = []

  constructor(fn: Fn) {
    this.#info = fn.info!
    for (const { variable } of fn.params) this.#not.add(variable!)
    while (this.#hasChanged) {
      this.#hasChanged = false
      this.#visit(fn.body, [])
    }
  }

  isUnlabelled(node: Ex): boolean {
    switch (node.k) {
      case 'lit':
        return true
      case 'var':
        return node.ref?.to === 'local' && this.has(node.ref.variable)
      case 'unary':
        return node.op !== 'delete' && this.isUnlabelled(node.argument)
      case 'binary':
        return (
          node.op !== 'in' && node.op !== 'instanceof' && this.isUnlabelled(node.left) && this.isUnlabelled(node.right)
        )
      case 'template':
      case 'logical':
      case 'conditional':
      case 'sequence':
        return children(node).every((part) => this.isUnlabelled(part as Ex))
      case 'assign':
        return this.isUnlabelled(node.target) && this.isUnlabelled(node.value)
      case 'update':
        return this.isUnlabelled(node.target)
      default:
        return false
    }
  }

  has(variable: Variable): boolean {
    const { isCaptured, isChecked, fn } = variable
    if (this.#treated.includes(variable)) return true
    return fn === this.#info && !isCaptured && !isChecked && !this.#not.has(variable)
  }

  /** Compiles something as if some variables were unlabelled; the caller tracks their labels. */
  assuming<T>(variables: readonly Variable[], compile: () => T): T {
    const before = this.#treated
    this.#treated = [...before, ...variables]
    const made = compile()
    this.#treated = before
    return made
  }

  #drop(variable: Variable | undefined): void {
    if (variable === undefined || this.#not.has(variable)) return
    this.#not.add(variable)
    this.#hasChanged = true
  }

  #visit(node: Ex | St, around: readonly (Ex | St)[]): void {
    if (node.k === 'fn' || node.k === 'function') {
      if (node.k === 'function') this.#drop(node.variable)
      return
    }
    this.#assigned(node)
    if (branchesOnLabel(node, this)) {
      this.#dropAssigned(node)
      // A `break` or `continue` under such a test decides how often the enclosing statements run.
      if (hasExit(node)) for (const outer of around) this.#dropAssigned(outer)
    }
    const isRegion = node.k === 'loop' || node.k === 'forof' || node.k === 'switch' || node.k === 'labeled'
    const inner = isRegion ? [...around, node] : around
    for (const part of children(node)) this.#visit(part, inner)
  }

  #assigned(node: Ex | St): void {
    if (node.k === 'let' && node.value !== undefined && !this.isUnlabelled(node.value)) this.#drop(node.variable)
    if (node.k === 'forof') this.#drop(node.variable)
    if (node.k === 'try') for (const param of [node.param, node.opParam]) this.#drop(variableOf(param))
    if (node.k === 'request' || node.k === 'constset') this.#drop(variableOf(node.target))
    if (node.k === 'assign' && !this.isUnlabelled(node.value)) this.#drop(variableOf(node.target))
  }

  #dropAssigned(node: Ex | St): void {
    for (const variable of assignedIn(node)) this.#drop(variable)
  }
}

/** The local variable that an assignment target names. */
export function variableOf(target: Ex | undefined): Variable | undefined {
  return target?.k === 'var' && target.ref?.to === 'local' ? target.ref.variable : undefined
}

/** The variables of an expression made of locals and constants only; `undefined` for any other. */
export function operandsOf(node: Ex): readonly Variable[] | undefined {
  switch (node.k) {
    case 'lit':
      return []
    case 'var': {
      const variable = variableOf(node)
      return variable === undefined || variable.isCaptured || variable.isChecked ? undefined : [variable]
    }
    case 'unary':
      return node.op === 'delete' ? undefined : operandsOf(node.argument)
    case 'binary': {
      if (node.op === 'in' || node.op === 'instanceof') return undefined
      const [left, right] = [operandsOf(node.left), operandsOf(node.right)]
      return left && right && [...new Set([...left, ...right])]
    }
    default:
      return undefined
  }
}

type Branching =
  | 'if'
  | 'conditional'
  | 'logical'
  | 'assign'
  | 'loop'
  | 'switch'
  | 'forof'
  | 'try'
  | 'chain'
  | 'call'
  | 'method'
  | 'member'
  | 'index'

/** Whether a node branches on a value that may carry a label. */
function branchesOnLabel(node: Ex | St, plain: UnlabelledVariables): boolean {
  switch (node.k) {
    case 'if':
    case 'conditional':
      return !plain.isUnlabelled(node.test)
    case 'logical':
      return !plain.isUnlabelled(node.left)
    case 'assign':
      return ASSIGNMENT_RULES[node.op as AssignmentOperator] === 'chooses' && !plain.isUnlabelled(node.target)
    case 'loop':
      return node.test !== undefined && !plain.isUnlabelled(node.test)
    case 'switch':
      return (
        !plain.isUnlabelled(node.value) ||
        node.cases.some(({ test }) => test !== undefined && !plain.isUnlabelled(test))
      )
    case 'forof':
    case 'try':
    case 'chain':
      return true
    case 'call':
    case 'method':
    case 'member':
    case 'index':
      return node.optional
    default:
      return !STRAIGHT[node.k]
  }
}

/** Kinds that do not branch. A new kind belongs here or above. */
const STRAIGHT: Readonly<Record<Exclude<(Ex | St)['k'], Branching>, true>> = {
  lit: true,
  data: true,
  var: true,
  temp: true,
  arg: true,
  fn: true,
  regex: true,
  found: true,
  binary: true,
  unary: true,
  list: true,
  object: true,
  template: true,
  sequence: true,
  spread: true,
  tolist: true,
  omit: true,
  class: true,
  create: true,
  super: true,
  private: true,
  strings: true,
  await: true,
  yield: true,
  yieldto: true,
  new: true,
  input: true,
  update: true,
  decide: true,
  part: true,
  iterated: true,
  expr: true,
  let: true,
  function: true,
  block: true,
  exit: true,
  labeled: true,
  throw: true,
  return: true,
  settemp: true,
  awaitto: true,
  callto: true,
  request: true,
  append: true,
  constset: true,
  mark: true,
}

export function hasExit(node: Ex | St): boolean {
  if (node.k === 'fn' || node.k === 'function') return false
  return node.k === 'exit' || children(node).some(hasExit)
}

/** Variables of this function that a node assigns, without those declared inside it. */
function assignedIn(node: Ex | St): Set<Variable> {
  const assigned = new Set<Variable>()
  const own = new Set<Variable>()
  const visit = (part: Ex | St): void => {
    if (part.k === 'fn' || part.k === 'function') return
    const variable = variableSetBy(part)
    if (variable !== undefined) assigned.add(variable)
    if ((part.k === 'let' || part.k === 'forof') && part.kind !== 'var' && part.variable !== undefined)
      own.add(part.variable)
    for (const inner of children(part)) visit(inner)
  }
  visit(node)
  for (const variable of own) assigned.delete(variable)
  return assigned
}

function variableSetBy(part: Ex | St): Variable | undefined {
  if (part.k === 'let' || part.k === 'forof') return part.variable
  if (part.k === 'assign' || part.k === 'update' || part.k === 'constset' || part.k === 'request')
    return variableOf(part.target)
  return undefined
}

const known = new WeakMap<FunctionInfo, UnlabelledVariables>()

/** The unlabelled variables of the function being compiled. */
export function unlabelledIn({ fn }: Emitter): UnlabelledVariables {
  let found = known.get(fn)
  if (found === undefined) known.set(fn, (found = new UnlabelledVariables(fnOf.get(fn)!)))
  return found
}

/** The function node of each `FunctionInfo`; filled before compilation. */
export const fnOf: WeakMap<FunctionInfo, Fn> = new WeakMap()
