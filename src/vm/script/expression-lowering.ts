import type { Expr } from '../../expr/index.ts'
import { PatternParser, PatternProblem } from '../../regexp/index.ts'
import type {
  Assign,
  Call,
  ClassNode,
  Expression,
  FunctionNode,
  Identifier,
  Member,
  New,
  ObjectLiteral,
  Property,
  RegexLiteral,
  Spread,
  SuperCall,
  SuperMember,
  Target,
} from './parser/ast.ts'
import { WELL_KNOWN, wellKnownName } from '../value/symbols.ts'
import { type Node, UNDEFINED, read } from './lowering.ts'
import { awaits } from './scope.ts'
import { BUILTIN_PROTOTYPES, takesList } from './classes/known-uses.ts'
import { FunctionLowering } from './function-lowering.ts'

/** Lowers expressions, one syntax node to one program node. */
export abstract class ExpressionLowering extends FunctionLowering {
  protected abstract thisRead(start: number): Expr
  protected abstract argumentsRead(start: number): Expr
  protected abstract newTarget(start: number): Expr
  protected abstract superMember(node: SuperMember): Expr
  protected abstract superCall(node: SuperCall): Expr
  protected abstract hasPrivate(name: string, object: Expression, start: number): Expr
  protected abstract privateMember(object: Expr, node: Member): Expr
  protected abstract privateAssign(target: Member, operator: string, value: () => Expr): Expr | undefined
  protected abstract classExpression(node: ClassNode, name?: string): Expr
  /** Lowers a call whose receiver is not that of a plain method. */
  protected abstract receiverCall(node: Call): Expr | undefined

  protected expression(node: Expression): Expr {
    this.descend(node.start)
    const made = this.expressionNode(node)
    this.ascend()
    return made
  }

  private expressionNode(node: Expression): Expr {
    switch (node.type) {
      case 'literal':
        return this.literal(node.value)
      case 'identifier':
        return this.identifier(node)
      case 'template':
        return this.node(node.start, {
          $expr: 'template',
          parts: node.texts,
          values: node.parts.map((part) => this.expression(part)),
        })
      case 'regex':
        this.checkRegex(node)
        return this.node(node.start, { $expr: 'regex', pattern: node.pattern, flags: node.flags })
      case 'array':
        return { $expr: 'array', elements: node.items.map((item) => this.element(item)) }
      case 'object':
        return this.object(node)
      case 'function':
        return this.func(node, node.isArrow ? undefined : node.name, node.name !== undefined && !node.isArrow)
      case 'call':
        return this.call(node)
      case 'new':
        return this.construct(node)
      case 'member':
        return this.member(node)
      case 'chain':
        return awaits(node.value)
          ? this.waitingChain(node.value, (value) => value)
          : { $expr: 'chain', expression: this.expression(node.value) }
      case 'assign':
        return this.assign(node)
      default:
        return this.operation(node)
    }
  }

  private operation(
    node: Exclude<
      Expression,
      {
        type:
          | 'literal'
          | 'identifier'
          | 'template'
          | 'regex'
          | 'array'
          | 'object'
          | 'function'
          | 'call'
          | 'new'
          | 'member'
          | 'chain'
          | 'assign'
      }
    >,
  ): Expr {
    switch (node.type) {
      case 'unary':
        return { $expr: 'unary', op: node.operator, argument: this.expression(node.value) }
      case 'update': {
        const argument = this.expression(node.target)
        return this.node(node.start, { $expr: 'update', op: node.operator, prefix: node.isPrefix, argument })
      }
      case 'binary':
      case 'logical': {
        if (node.left.type === 'private') return this.hasPrivate(node.left.name, node.right, node.start)
        const [left, right] = [this.expression(node.left), this.expression(node.right)]
        return { $expr: node.type, op: node.operator, left, right }
      }
      case 'conditional':
        return {
          $expr: 'conditional',
          test: this.expression(node.test),
          consequent: this.expression(node.then),
          alternate: this.expression(node.otherwise),
        }
      case 'sequence':
        return { $expr: 'sequence', expressions: node.items.map((item) => this.expression(item)) }
      case 'await':
        return this.node(node.start, { $expr: 'await', argument: this.expression(node.value) })
      case 'yield':
        return this.yielded(node)
      default:
        return this.ofFunction(node)
    }
  }

  /** Lowers what depends on the enclosing function or class. */
  private ofFunction(
    node: Extract<
      Expression,
      { type: 'class' | 'this' | 'super-call' | 'super-member' | 'new-target' | 'private' | 'strings' }
    >,
  ): Expr {
    switch (node.type) {
      case 'this':
        return this.thisRead(node.start)
      case 'class':
        return this.classExpression(node)
      case 'super-call':
        return this.superCall(node)
      case 'super-member':
        return this.superMember(node)
      case 'new-target':
        return this.newTarget(node.start)
      case 'strings':
        // A tag may cache its result by the list of texts, so the same template always passes the same list.
        return this.onceInScript(this.node(node.start, { $expr: 'strings', cooked: node.cooked, raw: node.raw }))
      case 'private':
        return this.fail(node.start, 'A private name stands after a dot or before `in`')
    }
  }

  private yielded(node: Expression & { type: 'yield' }): Expr {
    const value = node.value === undefined ? UNDEFINED : this.expression(node.value)
    if (node.isAll) return this.node(node.start, { $expr: 'yield', argument: value, all: true })
    const { isAsyncGenerator } = this.scope.home
    const argument = isAsyncGenerator ? this.node(node.start, { $expr: 'await', argument: value }) : value
    return this.node(node.start, { $expr: 'yield', argument })
  }

  /** Throws for an invalid regular expression before anything runs. */
  private checkRegex({ pattern, flags, start }: RegexLiteral): void {
    if (!/^(?!.*u.*v|.*v.*u)[dgimsuvy]*$/.test(flags) || new Set(flags).size < flags.length)
      this.fail(start, 'The flags of a regular expression are d, g, i, m, s, u or v, and y, each once')
    try {
      new PatternParser(pattern, flags).parse()
    } catch (error) {
      if (!(error instanceof PatternProblem)) throw error
      if (error.isRefused) this.refuse(start, error.isBackReference ? 'back-reference' : 'regex')
      this.fail(start, error.message)
    }
  }

  protected node(start: number, node: Node): Expr {
    node.at = this.at(start)
    return node
  }

  private literal(value: string | number | boolean | null): Expr {
    // JSON has no infinity.
    if (value === Infinity) return { $expr: 'binary', op: '/', left: 1, right: 0 }
    return value
  }

  private identifier(node: Identifier): Expr {
    const { name, start } = node
    if (name === 'eval' || name === 'arguments') this.refuse(start, name)
    if (this.scope.declares(name)) return read(name)
    // A name that the script does not declare may be undefined: its position is for the error message.
    return name === 'undefined' ? UNDEFINED : this.node(start, read(name))
  }

  private element(item: Expression | Spread | null): Expr {
    if (item === null) return { $expr: 'hole' }
    return item.type === 'spread' ? this.spread(item) : this.expression(item)
  }

  private spread(node: Spread): Expr {
    return this.node(node.start, { $expr: 'spread', argument: this.listed(node.value) })
  }

  private object(node: ObjectLiteral): Expr {
    const properties = node.properties.map((item) => (item.type === 'spread' ? this.spread(item) : this.property(item)))
    return { $expr: 'object', properties }
  }

  private property(item: Property): Expr {
    if (item.coverDefault !== undefined) this.fail(item.start, 'A default belongs in a pattern, not in an object')
    const kind = item.kind === undefined ? {} : { kind: item.kind }
    const key = this.staticKey(item.key)
    if (typeof key === 'string') return { key, value: this.named(item.value, keyName(key)), ...kind }
    return { key: this.expression(key), value: this.expression(item.value), computed: true, ...kind }
  }

  /** Returns a key that is known before the script runs: a name, or a well-known symbol. */
  protected staticKey(key: string | Expression): string | Expression {
    if (typeof key === 'string' || key.type !== 'member' || typeof key.property !== 'string') return key
    const { object, property } = key
    if (object.type !== 'identifier' || object.name !== 'Symbol' || this.scope.declares('Symbol')) return key
    return WELL_KNOWN.get(property)?.key ?? key
  }

  /** Lowers `arguments` in a place that reads a list; elsewhere it would have to be distinguished from a list. */
  protected listed(node: Expression): Expr {
    const isArguments = node.type === 'identifier' && node.name === 'arguments'
    return isArguments ? this.argumentsRead(node.start) : this.expression(node)
  }

  protected args(items: readonly (Expression | Spread)[]): Expr[] {
    return items.map((item) => (item.type === 'spread' ? this.spread(item) : this.expression(item)))
  }

  private member(node: Member): Expr {
    const isHidden = node.property === 'prototype' || node.property === '__proto__'
    if (typeof node.property !== 'string' && node.property.type === 'private') {
      if (node.isOptional) this.refuse(node.start, 'private')
      return this.privateMember(this.expression(node.object), node)
    }
    const isBuiltinPrototype =
      node.property === 'prototype' && node.object.type === 'identifier' && BUILTIN_PROTOTYPES.has(node.object.name)
    if (
      isHidden &&
      !isBuiltinPrototype &&
      node.object.type === 'identifier' &&
      !this.scope.declares(node.object.name)
    ) {
      this.refuse(node.start, 'prototype')
    }
    const isCount = node.property === 'length' || typeof node.property !== 'string'
    const object = isCount ? this.listed(node.object) : this.expression(node.object)
    const made: Node = { $expr: 'member', object, property: '' }
    const property = this.staticKey(node.property)
    if (typeof property === 'string') made['property'] = property
    else {
      made['property'] = this.expression(property)
      made['computed'] = true
    }
    if (node.isOptional) made['optional'] = true
    return this.node(node.start, made)
  }

  private call(node: Call): Expr {
    const { callee } = node
    const forReceiver = this.receiverCall(node)
    if (forReceiver !== undefined) return forReceiver
    const method = callee.type === 'member' ? this.staticKey(callee.property) : undefined
    if (callee.type === 'member' && typeof method === 'string' && !node.isOptional) {
      const object = this.expression(callee.object)
      const takes = takesList(callee)
      const args = node.args.map((item, at) =>
        at === takes && item.type !== 'spread'
          ? this.listed(item)
          : item.type === 'spread'
            ? this.spread(item)
            : this.expression(item),
      )
      const made: Node = { $expr: 'methodCall', object, method, arguments: args }
      if (callee.isOptional) made['optional'] = true
      return this.node(node.start, made)
    }
    const target = this.expression(callee)
    // A bare text in this place would be a name.
    const tagged = typeof target === 'string' ? { $expr: 'literal', value: target } : target
    const made: Node = { $expr: 'call', callee: tagged, arguments: this.args(node.args) }
    if (node.isOptional) made['optional'] = true
    return this.node(node.start, made)
  }

  /** Lowers an optional chain that contains a wait: each `?.` becomes a condition around the rest. */
  private waitingChain(node: Expression, then: (value: Expr) => Expr): Expr {
    return this.deeper(node.start, () => {
      if (node.type === 'member') {
        return this.waitingChain(node.object, (object) =>
          this.unlessMissing(node.isOptional, object, (held) => then(this.memberOf(held, node))),
        )
      }
      if (node.type !== 'call') return then(this.expression(node))
      const { callee } = node
      const finish = (made: Node): Expr => then(this.node(node.start, { ...made, arguments: this.args(node.args) }))
      if (callee.type !== 'member') {
        return this.waitingChain(callee, (value) =>
          this.unlessMissing(node.isOptional, value, (held) => finish({ $expr: 'call', callee: held })),
        )
      }
      if (node.isOptional) this.refuse(node.start, 'await-chain')
      return this.waitingChain(callee.object, (object) =>
        this.unlessMissing(callee.isOptional, object, (held) =>
          finish({ $expr: 'call', callee: this.memberOf(held, callee) }),
        ),
      )
    })
  }

  private unlessMissing(isOptional: boolean, value: Expr, then: (held: Expr) => Expr): Expr {
    if (!isOptional) return then(value)
    const name = this.temporary()
    const test = {
      $expr: 'binary',
      op: '==',
      left: { $expr: 'assign', op: '=', target: read(name), value },
      right: null,
    }
    return { $expr: 'conditional', test, consequent: UNDEFINED, alternate: then(read(name)) }
  }

  private memberOf(object: Expr, { property: key, start }: Member): Expr {
    const property = this.staticKey(key)
    if (typeof property === 'string') return this.node(start, { $expr: 'member', object, property })
    return this.node(start, { $expr: 'member', object, property: this.expression(property), computed: true })
  }

  private construct(node: New): Expr {
    const { callee: target } = node
    const isBare = target.type === 'function' && target.name === undefined
    const callee = isBare ? this.func(target, undefined, false, true) : this.expression(target)
    return this.node(node.start, { $expr: 'new', callee, arguments: this.args(node.args) })
  }

  private assign(node: Assign): Expr {
    const { target, operator } = node
    if (target.type !== 'identifier' && target.type !== 'member') {
      return this.patternAssignment(target, this.expression(node.value))
    }
    if (target.type === 'identifier' && target.name === 'undefined')
      this.fail(target.start, '`undefined` cannot be set')
    if (target.type === 'member') {
      const { object } = target
      const isOfBuiltin =
        object.type === 'member' && object.property === 'prototype' && object.object.type === 'identifier'
      if (isOfBuiltin && !this.scope.declares(object.object.name)) this.refuse(target.start, 'prototype')
      const set = this.privateAssign(target, operator, () => this.expression(node.value))
      if (set !== undefined) return set
    }
    const isNaming = target.type === 'identifier' && (operator === '=' || operator.length === 3)
    const to = this.expression(target)
    const value = isNaming ? this.named(node.value, target) : this.expression(node.value)
    return this.node(node.start, { $expr: 'assign', op: operator, target: to, value })
  }

  protected named(node: Expression, target: Target | string): Expr {
    const name = typeof target === 'string' ? target : target.type === 'identifier' ? target.name : undefined
    if (node.type === 'class' && node.name === undefined && name !== undefined)
      return this.deeper(node.start, () => this.classExpression(node, name))
    if (node.type !== 'function' || name === undefined) return this.expression(node)
    // A method has the name of its key but, unlike a named function, cannot refer to itself by it.
    const isSelf = node.name !== undefined && !node.isArrow && node.isMethod !== true
    return this.deeper(node.start, () => this.func(node, node.name ?? name, isSelf))
  }

  /** A function as a node; `isSelf`: its name is a variable inside it. */
  private func(node: FunctionNode, name: string | undefined, isSelf: boolean, isNamed = name !== undefined): Expr {
    const made: Node = { $expr: 'function' }
    if (name !== undefined) made['name'] = name
    if (isSelf) made['self'] = true
    const parts = this.functionParts(node, (home) => {
      home.isNamed = isNamed
    })
    return this.node(node.start, Object.assign(made, parts))
  }
}

/** Returns the name of a function that is stored under a key. */
function keyName(key: string): string {
  const symbol = wellKnownName(key)
  return symbol === undefined ? key : `[${symbol}]`
}
