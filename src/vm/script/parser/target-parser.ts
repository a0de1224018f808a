import type { Expression, Identifier, Member, Spread, Target } from './ast.ts'
import { BracketSkim } from './bracket-skim.ts'
import { isReserved } from './characters.ts'
import { NAME } from './scanner.ts'
import { TypeParser } from './type-parser.ts'

/** The kind of a function: which keywords its body may use. */
export interface FunctionKind {
  readonly isAsync: boolean
  readonly isGenerator: boolean
}

/** Parses names, parameters and patterns, depending on the context they appear in. */
export abstract class TargetParser extends TypeParser {
  protected canAwait = true
  protected canYield = false
  protected inParameters = false
  /** In the head of a `for`, `in` ends the expression. */
  protected noIn = false
  /** Between `?` and `:`, a colon after `)` is no return type. */
  protected inConsequent = false
  protected readonly inParens: Set<Expression> = new Set()
  protected readonly commaAfterRest: Set<Spread> = new Set()
  private readonly skim: BracketSkim

  constructor(source: string, maxDepth: number) {
    super(source, maxDepth)
    this.skim = new BracketSkim(source)
  }

  protected abstract assignment(): Expression
  protected abstract key(): string | Expression

  /** Parses inside brackets, where the context flags of the surroundings do not apply. */
  protected unmarked<T>(read: () => T): T {
    const { noIn, inConsequent } = this
    this.noIn = false
    this.inConsequent = false
    const value = read()
    this.noIn = noIn
    this.inConsequent = inConsequent
    return value
  }

  /** Parses the inside of a function with fresh context flags: waiting, heads of loops and branches of `?:` end at its boundary. */
  protected inFunction<T>({ isAsync, isGenerator }: FunctionKind, read: () => T): T {
    const { canAwait, canYield, inParameters } = this
    this.canAwait = isAsync
    this.canYield = isGenerator
    this.inParameters = false
    const value = this.unmarked(read)
    this.canAwait = canAwait
    this.canYield = canYield
    this.inParameters = inParameters
    return value
  }

  /** Whether this bracket opens the parameters of an arrow function. */
  protected isArrowHead(open: number): boolean {
    if (!this.skim.mayOpenParameters(open)) return false
    const close = this.skim.closeOf(open)
    if (close < 0) return false
    const place = this.place()
    this.at = close + 1
    this.next()
    const isArrow = this.is('=>') || (this.is(':') && !this.inConsequent && this.isReturnType())
    this.restore(place)
    return isArrow
  }

  private isReturnType(): boolean {
    return this.attempt(() => {
      this.next()
      this.skipType()
      return this.is('=>')
    })
  }

  protected checkName(name: string, at: number): void {
    if (name === 'arguments') this.refuse('arguments', at)
    if (name === 'eval') this.refuse('eval', at)
    if (isReserved(name)) this.fail(`${JSON.stringify(name)} is a reserved word`, at)
  }

  /** Parses parameters up to and including the closing bracket. */
  protected parameterList(): { parameters: Target[]; rest: Target | undefined } {
    const parameters: Target[] = []
    let rest: Target | undefined
    this.inParameters = true
    while (!this.is(')')) {
      if (this.eat('...')) {
        rest = this.binding()
        this.skipAnnotation()
        break
      }
      if (this.isWord('this')) this.skipThisParameter()
      else parameters.push(this.parameter())
      if (!this.is(')')) this.expect(',')
    }
    this.inParameters = false
    this.expect(')')
    return { parameters, rest }
  }

  /** Skips the TypeScript pseudo-parameter `this: T`. */
  private skipThisParameter(): void {
    const { start } = this
    this.next()
    if (!this.is(':')) this.refuse('this', start)
    this.skipAnnotation()
  }

  private parameter(): Target {
    if (this.isPropertyParameter()) this.refuse('parameter-property')
    const target = this.binding()
    if (this.eat('?') && !this.is(':') && !this.is(',') && !this.is(')')) this.unexpected()
    this.skipAnnotation()
    return this.withDefault(target)
  }

  /** Whether a parameter is a TypeScript parameter property, `constructor(private name: string)`, which is more than a type. */
  private isPropertyParameter(): boolean {
    const isWord = ['public', 'private', 'protected', 'readonly'].includes(this.text)
    return this.kind === NAME && isWord && this.peek(() => this.kind === NAME)
  }

  protected withDefault(target: Target): Target {
    if (!this.eat('=')) return target
    return { type: 'default', start: target.start, target, value: this.unmarked(() => this.assignment()) }
  }

  /** Parses a name or a pattern that declares names. */
  protected binding(): Target {
    const { start } = this
    if (this.is('[')) return this.arrayBinding(start)
    if (this.is('{')) return this.objectBinding(start)
    if (this.kind !== NAME) this.unexpected()
    const name = this.text
    this.checkName(name, start)
    this.next()
    return { type: 'identifier', start, name }
  }

  private arrayBinding(start: number): Target {
    const items: (Target | null)[] = []
    let rest: Target | undefined
    this.enter()
    this.next()
    while (!this.is(']')) {
      if (this.eat(',')) {
        items.push(null)
        continue
      }
      if (this.eat('...')) {
        rest = this.binding()
        break
      }
      items.push(this.withDefault(this.binding()))
      if (!this.is(']')) this.expect(',')
    }
    this.expect(']')
    this.depth -= 1
    return { type: 'array-pattern', start, items, rest }
  }

  private objectBinding(start: number): Target {
    const properties: { key: string | Expression; target: Target }[] = []
    let rest: Target | undefined
    this.enter()
    this.next()
    while (!this.is('}')) {
      if (this.eat('...')) {
        if (this.kind !== NAME) this.unexpected()
        rest = this.binding()
        break
      }
      properties.push(this.propertyBinding())
      if (!this.is('}')) this.expect(',')
    }
    this.expect('}')
    this.depth -= 1
    return { type: 'object-pattern', start, properties, rest }
  }

  private propertyBinding(): { key: string | Expression; target: Target } {
    const { start, kind, text } = this
    const key = this.key()
    if (this.eat(':')) return { key, target: this.withDefault(this.binding()) }
    if (kind !== NAME) this.unexpected()
    this.checkName(text, start)
    return { key, target: this.withDefault({ type: 'identifier', start, name: text }) }
  }

  /** Converts an expression to the target of `+=`, `++` and similar operators, which cannot be a pattern. */
  protected toSimpleTarget(node: Expression): Identifier | Member {
    if (node.type === 'identifier') {
      this.checkName(node.name, node.start)
      return node
    }
    if (node.type === 'member' && !node.isOptional) return node
    if (node.type === 'super-member') this.fail('`super` is only read: assign to `this` instead', node.start)
    this.fail('Only a variable or a property can be assigned', node.start)
  }

  /** Converts a parsed expression to a pattern. */
  protected toTarget(node: Expression): Target {
    if (node.type === 'array' && !this.inParens.has(node)) return this.arrayTarget(node.start, node.items)
    if (node.type === 'object' && !this.inParens.has(node)) return this.objectTarget(node)
    return this.toSimpleTarget(node)
  }

  private defaultedTarget(node: Expression): Target {
    if (node.type !== 'assign' || node.operator !== '=' || this.inParens.has(node)) return this.toTarget(node)
    return { type: 'default', start: node.start, target: node.target, value: node.value }
  }

  private arrayTarget(start: number, nodes: readonly (Expression | Spread | null)[]): Target {
    const items: (Target | null)[] = []
    let rest: Target | undefined
    for (const node of nodes) {
      if (rest !== undefined) this.fail('A rest element comes last', rest.start)
      if (node?.type === 'spread') rest = this.restTarget(node)
      else items.push(node === null ? null : this.defaultedTarget(node))
    }
    return { type: 'array-pattern', start, items, rest }
  }

  private restTarget(node: Spread): Target {
    if (this.commaAfterRest.has(node)) this.fail('A rest element comes last', node.start)
    return this.toTarget(node.value)
  }

  private objectTarget(node: Expression & { type: 'object' }): Target {
    const properties: { key: string | Expression; target: Target }[] = []
    let rest: Target | undefined
    for (const property of node.properties) {
      if (rest !== undefined) this.fail('A rest element comes last', rest.start)
      if (property.type === 'spread') {
        rest = this.toSimpleTarget(property.value)
        if (this.commaAfterRest.has(property)) this.fail('A rest element comes last', property.start)
        continue
      }
      const { key, value, coverDefault, isShorthand } = property
      if (!isShorthand && value.type === 'function' && !value.isArrow && value.start === property.start) {
        this.fail('A method cannot be assigned to', property.start)
      }
      const target = this.defaultedTarget(value)
      properties.push({
        key,
        target:
          coverDefault === undefined ? target : { type: 'default', start: value.start, target, value: coverDefault },
      })
    }
    return { type: 'object-pattern', start: node.start, properties, rest }
  }
}
