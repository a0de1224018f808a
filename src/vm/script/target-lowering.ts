import type { Expr } from '../../expr/index.ts'
import type { Step } from '../program.ts'
import type { ArrayPattern, Expression, Identifier, ObjectPattern, Target } from './parser/ast.ts'
import { Lowering, type Node, UNDEFINED, read, write } from './lowering.ts'

/** How a name is set: by a declaration as a step, or an assignment as an expression. */
type Put = (target: Target, value: Expr) => void

/** Lowers destructuring to plain reads, one name after another. */
export abstract class TargetLowering extends Lowering {
  private readonly fresh: Set<string> = new Set()
  private readonly sites: WeakMap<ObjectPattern, string> = new WeakMap()

  /** Steps that declare the names of a target. */
  protected declaration(kind: 'let' | 'const' | 'var', target: Target, value: Expr): Step[] {
    if (target.type === 'identifier') return [this.declarationOf(kind, target, value)]
    const steps: Step[] = []
    const put: Put = (one, given) => {
      if (one.type === 'identifier') steps.push(this.declarationOf(kind, one, given))
      else this.takeApart(one, given, put, (done) => steps.push({ op: 'expr', value: done }))
    }
    this.begin(target, value)
    put(target, value)
    return steps
  }

  private declarationOf(kind: 'let' | 'const' | 'var', { name, start }: Identifier, value: Expr): Step {
    const at = this.at(start)
    if (kind === 'var') return { op: 'expr', value: write(name, value), at }
    return { op: 'let', kind, name, value, at }
  }

  /** Lowers an assignment to a pattern. Its value is the destructured value. */
  protected patternAssignment(target: Target, value: Expr): Expr {
    const name = this.temporary()
    if (isWhole(value)) this.fresh.add(name)
    const expressions: Expr[] = [write(name, value)]
    const put: Put = (one, given) => {
      if (one.type === 'identifier') expressions.push(write(one.name, given))
      else if (one.type === 'member') this.putMember(one, given, expressions)
      else this.takeApart(one, given, put, (done) => expressions.push(done))
    }
    this.begin(target, value)
    put(target, read(name))
    expressions.push(read(name))
    return { $expr: 'sequence', expressions }
  }

  /** Notes what a pattern takes apart. Patterns inside it have no text of their own. */
  private begin(target: Target, value: Expr): void {
    const pattern = target.type === 'default' ? target.target : target
    if (pattern.type === 'object-pattern') this.sites.set(pattern, siteOf(value))
  }

  /** What the first read of a pattern takes apart, as the error for `null` and `undefined` names it. */
  private siteFor(target: ObjectPattern): { readonly pattern?: string } {
    const site = this.sites.get(target)
    const [first] = target.properties
    if (site === undefined) return {}
    if (typeof first?.key !== 'string') return { pattern: `'${site}'` }
    const isPlain = first.target.type === 'identifier' || first.target.type === 'member'
    return isPlain ? { pattern: `property '${first.key}' of '${site}'` } : {}
  }

  private putMember(target: Target & { type: 'member' }, value: Expr, into: Expr[]): void {
    into.push({ $expr: 'assign', op: '=', target: this.expression(target), value, at: this.at(target.start) })
  }

  /** Lowers one level of a pattern: `put` receives each part in order, `run` the code in between. */
  private takeApart(target: Target, value: Expr, put: Put, run: (done: Expr) => void): void {
    this.deeper(target.start, () => {
      if (target.type === 'default') return this.withDefault(target, value, put)
      if (target.type === 'array-pattern') return this.takeArray(target, value, put, run)
      if (target.type === 'object-pattern') return this.takeObject(target, value, put, run)
      return put(target, value)
    })
  }

  private withDefault(target: Target & { type: 'default' }, value: Expr, put: Put): void {
    const name = this.temporary()
    put(target.target, this.orDefault(write(name, value), read(name), this.named(target.value, target.target)))
  }

  /** Returns `given`, or the default if it is undefined; `again` reads it a second time. */
  protected orDefault(given: Expr, again: Expr, otherwise: Expr): Expr {
    const test = { $expr: 'binary', op: '===', left: given, right: UNDEFINED }
    return { $expr: 'conditional', test, consequent: otherwise, alternate: again }
  }

  /** Lowers an expression; a function is named after the variable it is assigned to. */
  protected abstract named(node: Expression, target: Target | string): Expr

  private takeArray(target: ArrayPattern, value: Expr, put: Put, run: (done: Expr) => void): void {
    const name = this.heldList(target, value, run)
    for (const [index, item] of target.items.entries()) {
      if (item !== null) this.takeApart(item, memberAt(name, index), put, run)
    }
    if (target.rest === undefined) return
    const { length } = target.items
    const rest = { $expr: 'methodCall', object: read(name), method: 'slice', arguments: [length] }
    this.takeApart(target.rest, rest, put, run)
  }

  /** Returns a private copy of a list. A fresh array is private already. */
  private heldList(target: ArrayPattern, value: Expr, run: (done: Expr) => void): string {
    const { $expr, name: known } = (value ?? {}) as Node
    if ($expr === 'ident' && this.fresh.has(known as string)) return known as string
    const name = this.temporary()
    const limit = target.rest === undefined ? { limit: target.items.length } : {}
    run(write(name, isWhole(value) ? value : { $expr: 'list', argument: value, ...limit, at: this.at(target.start) }))
    return name
  }

  private takeObject(target: ObjectPattern, value: Expr, put: Put, run: (done: Expr) => void): void {
    const at = this.at(target.start)
    const name = this.held(value, run)
    // An empty pattern still requires an object.
    if (target.properties.length === 0)
      run({ $expr: 'member', object: read(name), property: 'length', at, ...this.siteFor(target) })
    const keys: Expr[] = []
    for (const [index, property] of target.properties.entries()) {
      const key = this.patternKey(property.key, target.rest !== undefined, run)
      keys.push(key)
      // Lists have numbers for keys, so a number that is written as a name is read as one.
      const isName = typeof key === 'string' && !/^\d/.test(key)
      const part = {
        $expr: 'member',
        object: read(name),
        property: key,
        ...(isName ? {} : { computed: true }),
        at,
        ...(index === 0 ? this.siteFor(target) : {}),
      }
      this.takeApart(property.target, part, put, run)
    }
    if (target.rest === undefined) return
    this.takeApart(target.rest, { $expr: 'omit', argument: read(name), keys, at }, put, run)
  }

  /** Returns a name for a value that is read more than once. A hidden name is reused. */
  private held(value: Expr, run: (done: Expr) => void): string {
    const { $expr, name: known } = (value ?? {}) as Node
    if ($expr === 'ident' && (known as string).startsWith('%')) return known as string
    const name = this.temporary()
    run(write(name, value))
    return name
  }

  private patternKey(key: string | Expression, isUsedTwice: boolean, run: (done: Expr) => void): Expr {
    if (typeof key === 'string') return key
    if (!isUsedTwice) return this.expression(key)
    const name = this.temporary()
    run(write(name, this.expression(key)))
    return read(name)
  }
}

/** The source text of a destructured value, as V8 writes it in errors; empty for one without a name, as that of a parameter. */
function siteOf(value: Expr): string {
  if (typeof value !== 'object' || value === null) return String(value)
  const { $expr, name, object, property, computed, optional, callee, method, op, argument } = value as Node
  if ($expr === 'ident') return (name as string).startsWith('%') ? '' : (name as string)
  if ($expr === 'unary' && op === 'void' && argument === 0) return 'undefined'
  const inner = $expr === 'call' ? siteOf(callee as Expr) : siteOf(object ?? null)
  if (optional === true || inner === '' || inner === INTERMEDIATE) return INTERMEDIATE
  if ($expr === 'call') return `${inner}(...)`
  if ($expr === 'methodCall' && typeof method === 'string') return `${inner}.${method}(...)`
  if ($expr !== 'member') return INTERMEDIATE
  if (computed !== true) return `${inner}.${property as string}`
  const key = siteOf(property as Expr)
  return `${inner}[${typeof property === 'string' ? `"${property}"` : key}]`
}

const INTERMEDIATE = '(intermediate value)'

/** Whether it is a fresh array without holes, so that the rest is complete. */
function isWhole(value: Expr): boolean {
  const { $expr, elements } = (value ?? {}) as Node
  return $expr === 'array' && !(elements as readonly Node[]).some((item) => item?.['$expr'] === 'hole')
}

function memberAt(name: string, index: number): Expr {
  return { $expr: 'member', object: read(name), property: index, computed: true }
}
