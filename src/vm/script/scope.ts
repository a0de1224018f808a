import type { Expr } from '../../expr/index.ts'
import type { Statement, Target } from './parser/ast.ts'

/** The names of one function or block, used to report errors before anything runs. */
export class Scope {
  readonly parent: Scope | undefined
  /** The function to which `var` names and temporaries belong. */
  readonly home: Home
  readonly lexical: Map<string, 'let' | 'const' | 'function' | 'parameter'> = new Map()
  /** `var` names that are hoisted through this block to the function. */
  readonly passing: Set<string> = new Set()

  constructor(parent: Scope | undefined, home: Home) {
    this.parent = parent
    this.home = home
  }

  /** Whether the script declares a name here. */
  declares(name: string): boolean {
    if (this.lexical.has(name) || this.home.vars.has(name)) return true
    return this.parent?.declares(name) ?? false
  }
}

/** The state of a whole function: its `var` names, its temporaries and the labels around the current statement. */
export class Home {
  readonly vars: Set<string> = new Set()
  readonly temporaries: string[] = []
  labels: readonly { readonly name: string; readonly isLoop: boolean }[] = []
  loops = 0
  switches = 0
  /** Whether it is an asynchronous generator, which awaits the values that it returns and yields. */
  readonly isAsyncGenerator: boolean
  readonly isTop: boolean
  /** The enclosing function. */
  outer: Home | undefined
  /** Whether it is an arrow function, which uses `this`, `super` and `arguments` of the enclosing function. */
  isArrow = false
  /** The variable that holds `this`; undefined at the top level. */
  thisName: string | undefined
  usesThis = false
  usesArguments = false
  /** Whether a variable or a property refers to the function, or `new` is used on it. */
  isNamed = false
  /** Whether it initializes fields or is a static block, so that no other code calls it. */
  isInitializer = false
  /** The constructor of a class, and whether the class extends another. */
  constructs: 'base' | 'derived' | undefined
  /** Creates the expressions that initialize the fields of an object of the class. */
  fill: (() => readonly Expr[]) | undefined
  /** Whether `super(…)` is its first statement. */
  callsSuperFirst = false
  /** The target of `super` in a method. */
  superOf: { readonly parent: string; readonly isStatic: boolean } | undefined

  constructor(isAsyncGenerator: boolean, isTop: boolean) {
    this.isAsyncGenerator = isAsyncGenerator
    this.isTop = isTop
  }
}

/** The names a pattern binds, with the offset of each. */
export function boundNames(target: Target, found: [string, number][] = []): [string, number][] {
  switch (target.type) {
    case 'identifier':
      found.push([target.name, target.start])
      break
    case 'default':
      boundNames(target.target, found)
      break
    case 'array-pattern':
      for (const item of target.items) if (item !== null) boundNames(item, found)
      if (target.rest !== undefined) boundNames(target.rest, found)
      break
    case 'object-pattern':
      for (const property of target.properties) boundNames(property.target, found)
      if (target.rest !== undefined) boundNames(target.rest, found)
      break
    case 'member':
      break
  }
  return found
}

/** Collects the `var` names of statements, without those of inner functions. */
export function varNames(statements: readonly Statement[], found: [string, number][] = []): [string, number][] {
  for (const statement of statements) varsOf(statement, found)
  return found
}

function varsOf(statement: Statement | undefined, found: [string, number][]): void {
  if (statement === undefined) return
  switch (statement.type) {
    case 'declare':
      if (statement.kind === 'var') for (const item of statement.items) boundNames(item.target, found)
      break
    case 'block':
      varNames(statement.body, found)
      break
    case 'if':
      varsOf(statement.then, found)
      varsOf(statement.otherwise, found)
      break
    case 'for':
      if (statement.init?.type === 'declare') varsOf(statement.init, found)
      varsOf(statement.body, found)
      break
    case 'for-of':
    case 'for-in':
      if (statement.kind === 'var') boundNames(statement.target, found)
      varsOf(statement.body, found)
      break
    case 'while':
    case 'do-while':
    case 'label':
      varsOf(statement.body, found)
      break
    case 'try':
      varNames(statement.block.body, found)
      varNames(statement.handler?.body ?? [], found)
      varNames(statement.finalizer?.body ?? [], found)
      break
    case 'switch':
      for (const one of statement.cases) varNames(one.body, found)
      break
    default:
      break
  }
}

/** Whether a tree uses one of some names, including in inner functions. */
export function mentions(node: unknown, names: readonly string[]): boolean {
  if (typeof node !== 'object' || node === null) return false
  const { type, name } = node as { type?: string; name?: string }
  if (type === 'identifier' && name !== undefined && names.includes(name)) return true
  return Object.values(node).some((part) => mentions(part, names))
}

/** Whether an expression waits or yields, not counting inner functions. */
export function awaits(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false
  const { type } = node as { type?: string }
  if (type === 'await' || type === 'yield') return true
  return type !== 'function' && Object.values(node).some(awaits)
}
