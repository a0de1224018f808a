import { children } from '../children.ts'
import { ExitTargets } from '../exits.ts'
import type { Ex, Fn } from '../ir.ts'
import type { LetSt, St, Switch } from '../ir-statements.ts'
import type { Declarations, Resolver } from '../lower/resolver.ts'
import { Scope } from '../lower/scope.ts'
import type { Variable } from '../lower/scope.ts'

/** Resolves the declarations of a script. */
export class ScriptDeclarations implements Declarations {
  readonly exits: ExitTargets = new ExitTargets()
  readonly #resolver: Resolver
  readonly #usesVar: boolean

  constructor(resolver: Resolver, usesVar: boolean) {
    this.#resolver = resolver
    this.#usesVar = usesVar
  }

  /** Declares the names of a block; functions first, so that they are visible in the whole block. */
  declare(body: readonly St[], scope: Scope): Variable[] {
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

  functions(body: readonly St[], scope: Scope): void {
    for (const st of body) if (st.k === 'function') this.#resolver.fn(st.fn, scope)
  }

  vars(fn: Fn, scope: Scope): void {
    if (!this.#usesVar) return
    for (const name of varNames(fn.body)) if (!scope.names.has(name)) scope.declare(name, 'var').isDeclared = true
  }

  visit(node: Ex | St, scope: Scope, depth: number): boolean {
    if (node.k === 'fn') this.#function(node, scope)
    else if (node.k === 'let') this.#let(node, scope, depth)
    else if (node.k === 'switch') this.#switch(node, scope, depth)
    else if (node.k === 'labeled')
      this.exits.labelled(scope.fn, node.label, () => this.#resolver.visit(node.body, scope, depth + 1))
    else if (node.k === 'exit') this.exits.check(scope.fn, node)
    else return false
    return true
  }

  /** A function whose body uses its own name captures itself in a box. */
  #function(node: Fn, scope: Scope): void {
    if (node.seesItself !== true) return void this.#resolver.fn(node, scope)
    const around = new Scope(scope, scope.fn)
    const self = around.declare(node.name, 'const')
    self.isDeclared = true
    this.#resolver.fn(node, around)
    if (self.isCaptured) node.self = self
  }

  #let(node: LetSt, scope: Scope, depth: number): void {
    if (node.value !== undefined) this.#resolver.visit(node.value, scope, depth + 1)
    if (node.kind === 'var') node.variable = scope.find(node.name)
    else node.variable!.isDeclared = true
  }

  #switch(node: Switch, scope: Scope, depth: number): void {
    this.#resolver.visit(node.value, scope, depth + 1)
    this.#resolver.inner(scope, (inner) => {
      node.valueSlot = inner.fn.takeSlot()
      const entry = node.cases.flatMap((one) => this.declare(one.body, inner))
      // A case may be entered without running the declarations above it.
      for (const variable of entry) if (variable.kind !== 'function') variable.isChecked = true
      node.entry = entry
      for (const one of node.cases) {
        if (one.test !== undefined) this.#resolver.visit(one.test, inner, depth + 1)
        this.exits.within(inner.fn, 'switch', () => this.#resolver.statements(one.body, inner, depth + 1))
      }
    })
  }
}

/** Names of `var` declarations, which belong to the whole function. */
function varNames(node: Ex | St, found: Set<string> = new Set()): Set<string> {
  if ((node.k === 'let' || node.k === 'forof') && node.kind === 'var') found.add(node.name)
  if (node.k !== 'fn' && node.k !== 'function') for (const child of children(node)) varNames(child, found)
  return found
}
