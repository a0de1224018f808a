import type { Guest } from '../value/guest.ts'
import { children } from './children.ts'
import type { Block, Ex, Fn, ForOf, LetSt, Loop, Reference, St, Switch, Try, Var } from './ir.ts'
import { ExitTargets } from './exits.ts'
import { FunctionInfo, Scope } from './scope.ts'
import type { Variable } from './scope.ts'

export interface Globals {
  /** The value of a global name, if there is one. */
  find(name: string): Guest
  has(name: string): boolean
  readonly isScript: boolean
  readonly usesVar: boolean
}

/** Gives every name its place: a slot, a box that a function carries along, or a global. */
export class Resolver {
  readonly #globals: Globals
  readonly #exits = new ExitTargets()
  /** Every function met, in the order of the source. */
  readonly fns: Fn[] = []

  constructor(globals: Globals) {
    this.#globals = globals
  }

  fn(fn: Fn, outer: Scope | undefined): FunctionInfo {
    const info = new FunctionInfo(fn.isIsolated ? undefined : outer?.fn)
    fn.info = info
    info.id = this.fns.length
    this.fns.push(fn)
    const scope = new Scope(fn.isIsolated ? undefined : outer, info)
    for (const param of fn.params) {
      param.variable = scope.declare(param.name, 'param')
      param.variable.isDeclared = true
    }
    for (const param of fn.params) if (param.initial !== undefined) this.#visit(param.initial, scope, 1)
    if (this.#globals.usesVar)
      for (const name of varNames(fn.body)) if (!scope.names.has(name)) scope.declare(name, 'var').isDeclared = true
    this.#block(fn.body, scope, 1)
    if (info.hasLoop || info.hasCall) info.nest += 1
    return info
  }

  #block(block: Block, scope: Scope, depth: number): void {
    const entry: Variable[] = []
    for (const name of block.names ?? []) entry.push(scope.declare(name, 'var'))
    for (const name of block.once ?? []) entry.push(scope.declare(name, 'once'))
    for (const variable of entry) variable.isDeclared = true
    block.entry = [...entry, ...this.#declare(block.body, scope)]
    this.#statements(block.body, scope, depth)
    for (const variable of block.entry) if (variable.kind === 'once') variable.isChecked = true
  }

  /** Declares what the statements of one block declare, functions first to be visible everywhere in it. */
  #declare(body: readonly St[], scope: Scope): Variable[] {
    const made: Variable[] = []
    for (const st of body) {
      if (st.k === 'let' && st.kind !== 'var') made.push((st.variable = scope.declare(st.name, st.kind)))
      else if (st.k === 'function') {
        st.variable = scope.names.get(st.fn.name) ?? scope.declare(st.fn.name, 'function')
        st.variable.isDeclared = true
        made.push(st.variable)
      }
    }
    return made
  }

  #statements(body: readonly St[], scope: Scope, depth: number): void {
    for (const st of body) if (st.k === 'function') this.fn(st.fn, scope)
    for (const st of body) if (st.k !== 'function') this.#visit(st, scope, depth + 1)
  }

  #inner(scope: Scope, work: (inner: Scope) => void): void {
    const inner = new Scope(scope, scope.fn)
    work(inner)
    inner.close()
  }

  #visit(node: Ex | St, scope: Scope, depth: number): void {
    if (depth > scope.fn.nest) scope.fn.nest = depth
    switch (node.k) {
      case 'var':
        node.ref = this.#reference(node, scope)
        return
      case 'fn':
        return this.#function(node, scope)
      case 'block':
        return this.#inner(scope, (inner) => this.#block(node, inner, depth))
      case 'let':
        return this.#let(node, scope, depth)
      case 'loop':
        return this.#loop(node, scope, depth)
      case 'forof':
        return this.#forOf(node, scope, depth)
      case 'switch':
        return this.#switch(node, scope, depth)
      case 'try':
        return this.#try(node, scope, depth)
      case 'labeled':
        return this.#exits.labelled(scope.fn, node.label, () => this.#visit(node.body, scope, depth + 1))
      case 'exit':
        return this.#exits.check(scope.fn, node)
      case 'request':
        scope.fn.waits = true
        break
      case 'call':
      case 'method':
      case 'await':
        scope.fn.hasCall = true
        break
      default:
    }
    for (const child of children(node)) this.#visit(child, scope, depth + 1)
  }

  /** A function whose body uses its own name carries itself in a box. */
  #function(node: Fn, scope: Scope): void {
    if (node.seesItself !== true) return void this.fn(node, scope)
    const around = new Scope(scope, scope.fn)
    const self = around.declare(node.name, 'const')
    self.isDeclared = true
    this.fn(node, around)
    if (self.isCaptured) node.self = self
  }

  #let(node: LetSt, scope: Scope, depth: number): void {
    if (node.value !== undefined) this.#visit(node.value, scope, depth + 1)
    if (node.kind === 'var') node.variable = scope.find(node.name)
    else node.variable!.isDeclared = true
  }

  #loop(node: Loop, scope: Scope, depth: number): void {
    scope.fn.hasLoop = true
    this.#inner(scope, (inner) => {
      node.entry = this.#declare(node.init, inner)
      this.#statements(node.init, inner, depth)
      for (const part of [node.test, node.update]) if (part !== undefined) this.#visit(part, inner, depth + 1)
      this.#exits.within(inner.fn, 'loop', () => this.#visit(node.body, inner, depth + 1))
      node.fresh = node.entry.filter((variable) => variable.isCaptured)
    })
  }

  #forOf(node: ForOf, scope: Scope, depth: number): void {
    scope.fn.hasLoop = true
    this.#visit(node.items, scope, depth + 1)
    this.#inner(scope, (inner) => {
      node.variable = node.kind === 'var' ? scope.find(node.name)! : inner.declare(node.name, node.kind)
      node.variable.isDeclared = true
      node.listSlot = inner.fn.takeSlot()
      node.indexSlot = inner.fn.takeSlot()
      this.#exits.within(inner.fn, 'loop', () => this.#visit(node.body, inner, depth + 1))
    })
  }

  #switch(node: Switch, scope: Scope, depth: number): void {
    this.#visit(node.value, scope, depth + 1)
    this.#inner(scope, (inner) => {
      node.valueSlot = inner.fn.takeSlot()
      const entry = node.cases.flatMap((one) => this.#declare(one.body, inner))
      // A case may be entered without the declarations above it.
      for (const variable of entry) if (variable.kind !== 'function') variable.isChecked = true
      node.entry = entry
      for (const one of node.cases) {
        if (one.test !== undefined) this.#visit(one.test, inner, depth + 1)
        this.#exits.within(inner.fn, 'switch', () => this.#statements(one.body, inner, depth + 1))
      }
    })
  }

  #try(node: Try, scope: Scope, depth: number): void {
    this.#visit(node.block, scope, depth + 1)
    if (node.handler !== undefined) {
      const { handler } = node
      this.#inner(scope, (inner) => {
        // In a script the parameter is a variable of the handler; in a JSON program one of the scope around it.
        if (node.param !== undefined && this.#globals.isScript) inner.declare(node.param.name, 'let').isDeclared = true
        for (const part of [node.param, node.opParam]) if (part !== undefined) this.#visit(part, inner, depth + 1)
        this.#visit(handler, inner, depth + 1)
      })
    }
    if (node.finalizer !== undefined) this.#visit(node.finalizer, scope, depth + 1)
  }

  #reference(node: Var, scope: Scope): Reference {
    const variable = scope.find(node.name)
    if (variable === undefined) return this.#global(node.name)
    if (!variable.isDeclared && (variable.kind === 'let' || variable.kind === 'const')) variable.isChecked = true
    if (variable.fn === scope.fn) return { to: 'local', variable }
    variable.isCaptured = true
    return { to: 'box', variable, up: scope.fn.capture(variable) }
  }

  #global(name: string): Reference {
    if (name === 'args') return { to: 'args' }
    if (this.#globals.isScript || name.startsWith('%'))
      return this.#globals.has(name) ? { to: 'global', value: this.#globals.find(name) } : { to: 'nothing' }
    return { to: 'argument' }
  }
}

/** Names of `var` declarations, which belong to the whole function. */
function varNames(node: Ex | St, found: Set<string> = new Set()): Set<string> {
  if ((node.k === 'let' || node.k === 'forof') && node.kind === 'var') found.add(node.name)
  if (node.k !== 'fn' && node.k !== 'function') for (const child of children(node)) varNames(child, found)
  return found
}
