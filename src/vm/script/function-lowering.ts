import type { Parameter, Step } from '../program.ts'
import type { Expression, FunctionNode, Identifier, Statement, Target } from './parser/ast.ts'
import { UNDEFINED, read } from './lowering.ts'
import { Home, Scope, boundNames, mentions } from './scope.ts'
import { TargetLowering } from './target-lowering.ts'

/** Lowers functions: parameters, bodies, receivers. */
export abstract class FunctionLowering extends TargetLowering {
  /** Lowers parameters and body, for function nodes and function steps; `prepare` adds details of a method of a class. */
  protected functionParts(node: FunctionNode, prepare?: (home: Home) => void): Record<string, unknown> {
    const home = new Home(node.isAsync && node.isGenerator, false)
    home.outer = this.scope.home
    home.isArrow = node.isArrow
    if (!node.isArrow) home.thisName = '%this'
    prepare?.(home)
    const scope = new Scope(this.scope, home)
    return this.inScope(scope, () => {
      for (const parameter of node.parameters) this.claimTarget(parameter, 'parameter')
      if (node.rest !== undefined) this.claimTarget(node.rest, 'parameter')
      this.checkDirective(node)
      const { params, first } = this.parameters(node)
      const parts: Record<string, unknown> = { params }
      if (node.isAsync) parts['async'] = true
      if (node.isGenerator) parts['generator'] = true
      if (Array.isArray(node.body)) parts['body'] = this.functionBody(node.body, this.filling(node, params, first))
      else {
        const result = this.expression(node.body as Expression)
        if (first.length === 0 && home.temporaries.length === 0) parts['result'] = result
        else parts['body'] = [...this.hidden(home), ...first, { op: 'return', value: result }]
      }
      return this.withReceiver(node, home, parts)
    })
  }

  /** Adds the hidden parameter of functions that use `this` or construct, and the list of all arguments. */
  private withReceiver(node: FunctionNode, home: Home, parts: Record<string, unknown>): Record<string, unknown> {
    const { params } = parts as { params: Parameter[] }
    const isUsed = home.usesThis && !home.isArrow
    if (home.constructs !== undefined) params.unshift({ name: '%new' })
    else if (isUsed) params.unshift({ name: '%this' })
    if (home.constructs !== undefined || isUsed) parts['receives'] = home.constructs === undefined ? 'this' : 'new'
    if (home.usesArguments) {
      if (node.rest !== undefined) this.refuse(node.start, 'arguments')
      params.push({ name: '%arguments', rest: true })
      parts['all'] = true
    }
    const isPlain = !node.isArrow && !node.isAsync && !node.isGenerator && node.isMethod !== true
    // An anonymous function that does not use `this` is a callback. It has no prototype, so no reference leads from there to it.
    const isClass = isPlain && (isUsed || home.isNamed || node.name !== undefined)
    if (home.constructs !== undefined || isClass) parts['constructs'] = true
    return parts
  }

  /** Initializes the parameters of a generator at the call; the rest of its body runs at the first step. */
  private filling(node: FunctionNode, params: readonly Parameter[], first: readonly Step[]): readonly Step[] {
    const isPlain = first.length === 0 && params.every((param) => !Object.hasOwn(param, 'default'))
    if (!node.isGenerator || isPlain) return first
    return [...first, { op: 'expr', value: { $expr: 'yield', start: true } }]
  }

  /** Throws if a function with patterns or defaults declares `'use strict'` itself. */
  private checkDirective({ body, parameters, rest }: FunctionNode): void {
    if (!Array.isArray(body)) return
    const isPlain = rest === undefined && parameters.every(({ type }) => type === 'identifier')
    for (const one of body as Statement[]) {
      if (isPlain || one.type !== 'expression' || one.value.type !== 'literal' || typeof one.value.value !== 'string')
        return
      if (one.value.value === 'use strict')
        this.fail(one.start, "'use strict' needs plain parameters; scripts are strict anyway")
    }
  }

  /** Returns the declarations of temporaries and `var` names, which come first. */
  protected hidden(home: Home): Step[] {
    return home.temporaries.map((name) => ({ op: 'let', kind: 'let', name }))
  }

  protected abstract functionBody(body: FunctionNode['body'], first: readonly Step[]): Step[]

  /** Plain parameters stay parameters; from the first pattern on, names are filled at the start of the body. */
  private parameters(node: FunctionNode): { params: Parameter[]; first: Step[] } {
    const params: Parameter[] = []
    const first: Step[] = []
    let isPlain = true
    for (const target of node.parameters) {
      if (isPlain && isSimple(target) && !this.looksAhead(node, target)) params.push(this.plainParameter(target))
      else {
        isPlain = false
        const name = this.hiddenName()
        // A default of `undefined` keeps `length` as the source has it.
        params.push(target.type === 'default' ? { name, default: UNDEFINED } : { name })
        first.push(...this.declaration('let', target, read(name)))
      }
    }
    if (node.rest?.type === 'identifier') params.push({ name: node.rest.name, rest: true })
    else if (node.rest !== undefined) {
      const name = this.hiddenName()
      params.push({ name, rest: true })
      first.push(...this.declaration('let', node.rest, read(name)))
    }
    return { params, first }
  }

  /** Whether a default reads its own parameter or a later one, which has no value yet. */
  private looksAhead(node: FunctionNode, target: Target): boolean {
    if (target.type !== 'default') return false
    const later = node.parameters.slice(node.parameters.indexOf(target))
    const names = [...later, ...(node.rest === undefined ? [] : [node.rest])].flatMap((one) => boundNames(one))
    return mentions(
      target.value,
      names.map(([name]) => name),
    )
  }

  private plainParameter(target: Target): Parameter {
    if (target.type === 'default') {
      const [name] = boundNames(target)[0] as [string, number]
      return { name, default: this.named(target.value, target.target) }
    }
    return { name: (target as Identifier).name }
  }
}

/** Whether a target is a name, with at most a default that is a plain expression. */
function isSimple(target: Target): boolean {
  if (target.type === 'identifier') return true
  return target.type === 'default' && target.target.type === 'identifier' && !needsTemporary(target.value)
}

/** Whether an expression assigns to a pattern; such defaults are rare and are filled in the body. */
function needsTemporary(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false
  const { type, target } = node as { type?: string; target?: { type?: string } }
  if (type === 'function') return false
  if (type === 'assign' && target?.type?.endsWith('pattern') === true) return true
  return Object.values(node).some(needsTemporary)
}
