import type { Expr } from '../../../expr/index.ts'
import type { Call, Expression, Member, Spread, SuperCall, SuperMember } from '../parser/ast.ts'
import { ExpressionLowering } from '../expression-lowering.ts'
import { type Node, UNDEFINED, read, write } from '../lowering.ts'
import type { Home } from '../scope.ts'

/** A private name of a class: its key among the private properties, and its kind. */
export interface PrivateEntry {
  readonly key: string
  readonly kind: 'field' | 'method' | 'accessor'
}

/** Lowers what depends on the enclosing function or class: `this`, `super`, `new.target`, `arguments` and private names. */
export abstract class ReceiverLowering extends ExpressionLowering {
  /** The private names of the enclosing classes, innermost last. */
  protected readonly privateNames: Map<string, PrivateEntry>[] = []

  /** The function that `this` belongs to: arrow functions have none of their own. */
  private owner(): Home {
    let { home } = this.scope
    while (home.isArrow && home.outer !== undefined) home = home.outer
    return home
  }

  protected thisRead(start: number): Expr {
    const home = this.owner()
    if (home.thisName === undefined) this.refuse(start, 'this')
    home.usesThis = true
    const own = read(home.thisName)
    if (home.constructs !== 'derived' || home.callsSuperFirst) return own
    // Until `super(…)` has returned there is no `this`: the name is one that is never set.
    const test = { $expr: 'binary', op: '===', left: own, right: UNDEFINED }
    return { $expr: 'conditional', test, consequent: this.node(start, read('this')), alternate: own }
  }

  protected argumentsRead(start: number): Expr {
    const home = this.owner()
    if (home.thisName === undefined || home.constructs !== undefined || home.isInitializer)
      this.refuse(start, 'arguments')
    home.usesArguments = true
    return read('%arguments')
  }

  protected newTarget(start: number): Expr {
    const home = this.owner()
    if (home.constructs === undefined) this.refuse(start, 'new-target')
    return read('%new')
  }

  /** Returns the target of `super` here: the variable with the parent class. */
  private superOf(start: number): { readonly parent: string; readonly isStatic: boolean } {
    const { superOf } = this.owner()
    if (superOf === undefined) this.refuse(start, 'super')
    return superOf
  }

  protected superMember({ start, property }: SuperMember): Expr {
    const { parent, isStatic } = this.superOf(start)
    return this.node(start, {
      $expr: 'super',
      object: read(parent),
      property: typeof property === 'string' ? property : this.expression(property),
      self: this.thisRead(start),
      static: isStatic,
    })
  }

  /** Lowers `super(…)`, which creates the object; its fields are initialized after it. */
  protected superCall({ start, args }: SuperCall): Expr {
    const home = this.owner()
    if (home.constructs !== 'derived') this.refuse(start, 'super')
    const { parent } = this.superOf(start)
    const made = this.node(start, {
      $expr: 'new',
      callee: read(parent),
      arguments: this.args(args),
      target: read('%new'),
    })
    const fields = home.fill?.() ?? []
    return { $expr: 'sequence', expressions: [write('%this', made), ...fields, read('%this')] }
  }

  /** Lowers a call with a receiver: `found.call(receiver, …args)`. */
  protected callOn(start: number, found: Expr, receiver: Expr, args: readonly Expr[]): Expr {
    return this.node(start, { $expr: 'methodCall', object: found, method: 'call', arguments: [receiver, ...args] })
  }

  protected receiverCall(node: Call): Expr | undefined {
    const { callee, start } = node
    if (callee.type === 'super-member')
      return this.callOn(start, this.superMember(callee), this.thisRead(start), this.args(node.args))
    if (callee.type !== 'member' || node.isOptional) return undefined
    if (typeof callee.property !== 'string' && callee.property.type === 'private') {
      const { first, receiver } = this.heldObject(callee.object)
      const found = this.privateMember(first, callee)
      return this.callOn(start, found, receiver, this.args(node.args))
    }
    if (callee.property === 'bind' && !callee.isOptional) return this.bound(start, [callee.object, ...node.args])
    return givesReceiver(callee, node) ? this.callWithReceiver(node, callee) : undefined
  }

  /** `list.map(function (x) { … this … }, self)`: the callback is bound first. */
  private callWithReceiver({ args, start }: Call, { object, property }: Member): Expr {
    const list = this.expression(object)
    const held = this.temporary()
    const [fn, self] = args as [Expression, Expression]
    const callback = this.bound(start, [fn, self], held)
    return this.node(start, {
      $expr: 'methodCall',
      object: list,
      method: property,
      arguments: [callback, read(held)],
    })
  }

  /** Returns the object of a private name, which is used twice: `first` evaluates it. */
  private heldObject(object: Expression): { readonly first: Expr; readonly receiver: Expr } {
    const made = this.expression(object)
    if (object.type === 'this' || object.type === 'identifier') return { first: made, receiver: made }
    const name = this.temporary()
    return { first: write(name, made), receiver: read(name) }
  }

  protected privateEntry(name: string, start: number): PrivateEntry {
    const names = this.privateNames.findLast((known) => known.has(name))
    return names?.get(name) ?? this.fail(start, `No class around this declares \`${name}\``)
  }

  private privates(object: Expr, name: string, start: number): Node {
    return this.node(start, { $expr: 'private', object, name, act: 'use' }) as Node
  }

  /** Lowers `object.#name`. The object is lowered already. */
  protected privateMember(object: Expr, { property, start }: Member): Expr {
    const { name } = property as { name: string }
    const { key, kind } = this.privateEntry(name, start)
    if (kind !== 'accessor') return this.memberOfPrivates(object, key, start)
    const held = this.temporary()
    const getter = this.memberOfPrivates(write(held, object), `get ${key}`, start)
    return this.callOn(start, getter, read(held), [])
  }

  private memberOfPrivates(object: Expr, key: string, start: number): Expr {
    return this.node(start, { $expr: 'member', object: this.privates(object, key, start), property: key })
  }

  /** Lowers an assignment to a private name other than a field. */
  protected privateAssign(target: Member, operator: string, value: () => Expr): Expr | undefined {
    const { property, start } = target
    if (typeof property === 'string' || property.type !== 'private') return undefined
    const { key, kind } = this.privateEntry(property.name, start)
    if (kind === 'field') return undefined
    if (kind === 'method') this.fail(start, `\`${property.name}\` is a method and cannot be set`)
    const [held, made] = [this.temporary(), this.temporary()]
    const first = write(held, this.expression(target.object))
    const before = (): Expr =>
      this.callOn(start, this.memberOfPrivates(read(held), `get ${key}`, start), read(held), [])
    if (operator.length === 3 && operator !== '**=' && operator !== '<<=' && operator !== '>>=')
      this.refuse(start, 'private')
    const given: Expr =
      operator === '=' ? value() : { $expr: 'binary', op: operator.slice(0, -1), left: before(), right: value() }
    const set = this.callOn(start, this.memberOfPrivates(read(held), `set ${key}`, start), read(held), [read(made)])
    return { $expr: 'sequence', expressions: [first, write(made, given), set, read(made)] }
  }

  protected hasPrivate(name: string, object: Expression, start: number): Expr {
    const { key, kind } = this.privateEntry(name, start)
    const own = kind === 'accessor' ? `get ${key}` : key
    return this.node(start, { $expr: 'private', object: this.expression(object), name: own, act: 'has' })
  }

  /** `fn.bind(self, …args)` as a function that calls `fn`; objects may have a method of that name. */
  private bound(start: number, given: readonly (Expression | Spread)[], keptIn?: string): Expr {
    const [fn, self, first, more] = [this.hiddenName(), this.hiddenName(), this.hiddenName(), this.hiddenName()]
    const spread = (name: string): Node => ({ $expr: 'spread', argument: read(name) })
    const called = this.node(start, {
      $expr: 'methodCall',
      object: read(fn),
      method: 'call',
      arguments: [read(self), spread(first), spread(more)],
    })
    const wrapper: Node = { $expr: 'function', params: [{ name: more, rest: true }], result: called }
    const isFunction: Expr = {
      $expr: 'binary',
      op: '===',
      left: { $expr: 'unary', op: 'typeof', argument: read(fn) },
      right: 'function',
    }
    const otherwise = this.node(start, {
      $expr: 'methodCall',
      object: read(fn),
      method: 'bind',
      arguments: [read(self), spread(first)],
    })
    const result: Expr = { $expr: 'conditional', test: isFunction, consequent: wrapper, alternate: otherwise }
    const params = [{ name: fn }, { name: self }, { name: first, rest: true }]
    const callee: Node = { $expr: 'function', params, result }
    const values = this.args(given)
    if (keptIn !== undefined) values[1] = write(keptIn, values[1]!)
    return this.node(start, { $expr: 'call', callee, arguments: values })
  }
}

/** Methods of lists that take `this` for their callback as a second argument. */
const WITH_RECEIVER: ReadonlySet<string> = new Set(
  'every filter find findIndex findLast findLastIndex flatMap forEach map some'.split(' '),
)

function givesReceiver({ property, isOptional }: Member, { args }: Call): boolean {
  const [fn, self] = args
  if (isOptional || typeof property !== 'string' || !WITH_RECEIVER.has(property) || args.length !== 2) return false
  if (fn?.type === 'spread' || self?.type === 'spread' || (fn?.type === 'function' && fn.isArrow)) return false
  return fn?.type === 'function' || self?.type === 'this'
}
