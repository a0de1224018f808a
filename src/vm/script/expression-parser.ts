import type {
  Call,
  Expression,
  FunctionNode,
  Identifier,
  Member,
  Property,
  Spread,
  Statement,
  Target,
  TemplateLiteral,
} from './ast.ts'
import { isReserved } from './characters.ts'
import { NAME, NUMBER, STRING, TEMPLATE, MARK } from './scanner.ts'
import { TargetParser } from './target-parser.ts'

const precedences = new Map<string, number>([
  ['??', 1],
  ['||', 2],
  ['&&', 3],
  ['|', 4],
  ['^', 5],
  ['&', 6],
  ['==', 7],
  ['!=', 7],
  ['===', 7],
  ['!==', 7],
  ['<', 8],
  ['>', 8],
  ['<=', 8],
  ['>=', 8],
  ['in', 8],
  ['instanceof', 8],
  ['<<', 9],
  ['>>', 9],
  ['>>>', 9],
  ['+', 10],
  ['-', 10],
  ['*', 11],
  ['/', 11],
  ['%', 11],
  ['**', 12],
])
const relational = 8
const exponent = 12
const assignments = new Set('= += -= *= /= %= **= <<= >>= >>>= &= |= ^= &&= ||= ??='.split(' '))
const unaryMarks = new Set(['!', '~', '+', '-'])
const unaryWords = new Set(['typeof', 'void', 'delete'])

/** How a function is written; what it may contain follows from it. */
export interface FunctionForm {
  readonly start: number
  readonly name: string | undefined
  readonly isAsync: boolean
}

/** Expressions, by precedence climbing. */
export abstract class ExpressionParser extends TargetParser {
  /** Statements are read one layer up. */
  protected abstract functionBody(): readonly Statement[]

  expression(): Expression {
    const { start } = this
    const first = this.assignment()
    if (!this.is(',')) return first
    const items = [first]
    while (this.eat(',')) items.push(this.assignment())
    return { type: 'sequence', start, items }
  }

  assignment(): Expression {
    this.enter()
    const { start } = this
    const arrow = this.arrow()
    if (arrow !== undefined) {
      this.depth -= 1
      return arrow
    }
    const left = this.conditional()
    this.depth -= 1
    if (this.kind !== MARK || !assignments.has(this.text)) return left
    const operator = this.text
    const target = operator === '=' ? this.toTarget(left) : this.toSimpleTarget(left)
    this.next()
    // The chain `a = b = c` nests to the right.
    this.enter()
    const value = this.assignment()
    this.depth -= 1
    return { type: 'assign', start, operator, target, value }
  }

  private conditional(): Expression {
    const { start } = this
    const test = this.binary(0)
    if (!this.is('?')) return test
    this.next()
    const { inConsequent, noIn } = this
    this.inConsequent = true
    this.noIn = false
    const then = this.assignment()
    this.inConsequent = inConsequent
    this.noIn = noIn
    this.expect(':')
    const otherwise = this.assignment()
    return { type: 'conditional', start, test, then, otherwise }
  }

  private precedence(): number {
    if (this.kind === MARK) return precedences.get(this.text) ?? 0
    if (this.kind !== NAME || this.isEscaped) return 0
    if (this.text === 'instanceof') return relational
    return this.text === 'in' && !this.noIn ? relational : 0
  }

  private binary(minimum: number): Expression {
    const { start } = this
    let left = this.unary()
    for (;;) {
      if (this.isCast()) {
        if (relational <= minimum) return left
        this.next()
        if (this.isWord('const')) this.next()
        else this.skipType()
        continue
      }
      const precedence = this.precedence()
      if (precedence === 0 || precedence <= minimum) return left
      const operator = this.text
      this.next()
      this.enter()
      const right = this.binary(precedence === exponent ? precedence - 1 : precedence)
      this.depth -= 1
      left = this.join(operator, left, right, start)
    }
  }

  private isCast(): boolean {
    return (
      this.kind === NAME && (this.text === 'as' || this.text === 'satisfies') && !this.lineBefore && !this.isEscaped
    )
  }

  private join(operator: string, left: Expression, right: Expression, start: number): Expression {
    if (operator !== '&&' && operator !== '||' && operator !== '??')
      return { type: 'binary', start, operator, left, right }
    for (const side of [left, right]) {
      if (side.type !== 'logical' || this.inParens.has(side)) continue
      if ((side.operator === '??') !== (operator === '??'))
        this.fail('Put brackets around the `||` or `&&` next to `??`', side.start)
    }
    return { type: 'logical', start, operator, left, right }
  }

  private unary(): Expression {
    const { start, kind, text } = this
    if (kind === MARK) {
      if (unaryMarks.has(text)) return this.prefixed(start, text)
      if (text === '++' || text === '--') return this.prefixUpdate(start, text)
      if (text === '<') return this.castOrGenericArrow()
    } else if (kind === NAME && !this.isEscaped) {
      if (unaryWords.has(text)) return this.prefixed(start, text)
      if (text === 'await') return this.awaited(start)
    }
    return this.postfix()
  }

  private prefixed(start: number, operator: string): Expression {
    this.enter()
    this.next()
    const value = this.unary()
    this.depth -= 1
    if (this.is('**')) this.fail('Put brackets around the left side of `**`', start)
    if (operator === 'delete') this.checkDelete(value)
    return { type: 'unary', start, operator, value }
  }

  private checkDelete(value: Expression): void {
    if (value.type === 'identifier') this.refuse('delete-name', value.start)
    if (value.type === 'chain') this.refuse('delete-optional', value.start)
  }

  private prefixUpdate(start: number, operator: '++' | '--'): Expression {
    this.enter()
    this.next()
    const target = this.toSimpleTarget(this.unary())
    this.depth -= 1
    return { type: 'update', start, operator, isPrefix: true, target }
  }

  private awaited(start: number): Expression {
    if (!this.canAwait) this.refuse('await-sync')
    if (this.inParameters) this.refuse('await-parameter')
    this.enter()
    this.next()
    const value = this.unary()
    this.depth -= 1
    if (this.is('**')) this.fail('Put brackets around the left side of `**`', start)
    return { type: 'await', start, value }
  }

  /** `<T>(x: T) => x`, or the old cast `<T>value`. */
  private castOrGenericArrow(): Expression {
    this.enter()
    this.skipTypeArguments()
    const value = this.arrow() ?? this.unary()
    this.depth -= 1
    return value
  }

  private postfix(): Expression {
    const { start } = this
    const value = this.access(this.primary(), start)
    if (this.kind === MARK && (this.text === '++' || this.text === '--') && !this.lineBefore) {
      const operator = this.text
      const target = this.toSimpleTarget(value)
      this.next()
      return { type: 'update', start, operator, isPrefix: false, target }
    }
    return value
  }

  /** Members, calls and what TypeScript puts between them. */
  private access(first: Expression, start: number): Expression {
    let value = first
    let isChain = false
    for (;;) {
      if (this.kind === TEMPLATE) this.refuse('tagged-template')
      if (this.kind !== MARK) break
      const { text } = this
      if (text === '.') {
        this.next()
        value = { type: 'member', start, object: value, property: this.propertyName(), isOptional: false }
      } else if (text === '(') value = this.call(value, start, false)
      else if (text === '[') value = this.element(value, start, false)
      else if (text === '?.') {
        isChain = true
        value = this.optional(value, start)
      } else if (text === '!' && !this.lineBefore) this.next()
      else if (text !== '<' || !this.skipCallTypes()) break
    }
    return isChain ? { type: 'chain', start, value } : value
  }

  private optional(object: Expression, start: number): Expression {
    this.next()
    if (this.is('(')) return this.call(object, start, true)
    if (this.is('[')) return this.element(object, start, true)
    if (this.kind === TEMPLATE) this.refuse('tagged-template')
    return { type: 'member', start, object, property: this.propertyName(), isOptional: true }
  }

  private propertyName(): string {
    if (this.kind !== NAME) {
      if (this.kind === MARK && this.text === '#') this.refuse('private')
      this.unexpected()
    }
    const { text } = this
    this.next()
    return text
  }

  private element(object: Expression, start: number, isOptional: boolean): Member {
    this.next()
    const property = this.unmarked(() => this.expression())
    this.expect(']')
    return { type: 'member', start, object, property, isOptional }
  }

  private call(callee: Expression, start: number, isOptional: boolean): Call {
    if (callee.type === 'identifier' && callee.name === 'eval') this.refuse('eval', callee.start)
    return { type: 'call', start, callee, args: this.callArguments(), isOptional }
  }

  private callArguments(): (Expression | Spread)[] {
    const args: (Expression | Spread)[] = []
    this.next()
    const { inConsequent, noIn } = this
    this.inConsequent = false
    this.noIn = false
    while (!this.is(')')) {
      args.push(this.is('...') ? this.spread() : this.assignment())
      if (!this.is(')')) this.expect(',')
    }
    this.inConsequent = inConsequent
    this.noIn = noIn
    this.next()
    return args
  }

  private spread(): Spread {
    const { start } = this
    this.next()
    return { type: 'spread', start, value: this.assignment() }
  }

  /** `f<T>(x)`, only when written without blanks, as types are: `a < b > (c)` stays a comparison. */
  private skipCallTypes(): boolean {
    if (this.start !== this.previousEnd) return false
    const ahead = this.source.slice(this.start, this.start + 200)
    if (!/^<[\w\s.,<>[\]{}|&'"?:;]+>\(/.test(ahead)) return false
    return this.attempt(() => {
      this.skipTypeArguments()
      return this.is('(') && this.start === this.previousEnd
    })
  }

  private primary(): Expression {
    const { start, kind, text } = this
    if (kind === NAME) return this.nameOrWord(start, text)
    if (kind === NUMBER) {
      const { number } = this
      this.next()
      return { type: 'literal', start, value: number }
    }
    if (kind === STRING) {
      this.next()
      return { type: 'literal', start, value: text }
    }
    if (kind === TEMPLATE) return this.template()
    if (kind !== MARK) this.unexpected()
    if (text === '(') return this.bracketed()
    if (text === '[') return this.array(start)
    if (text === '{') return this.object(start)
    if (text === '/' || text === '/=') {
      const { pattern, flags } = this.readRegex()
      this.next()
      return { type: 'regex', start, pattern, flags }
    }
    if (text === '@') this.refuse('decorator')
    this.unexpected()
  }

  private nameOrWord(start: number, text: string): Expression {
    if (this.isEscaped && isReserved(text)) this.fail('A keyword cannot be written with escapes')
    if (text === 'async' && !this.isEscaped && this.peek(() => this.isWord('function') && !this.lineBefore)) {
      this.next()
      return this.functionExpression(start, true)
    }
    if (isReserved(text)) return this.word(start, text)
    this.next()
    return { type: 'identifier', start, name: text }
  }

  private word(start: number, text: string): Expression {
    if (text === 'true' || text === 'false' || text === 'null') {
      this.next()
      return { type: 'literal', start, value: text === 'null' ? null : text === 'true' }
    }
    if (text === 'function') return this.functionExpression(start, false)
    if (text === 'new') return this.construct(start)
    if (text === 'this' || text === 'class' || text === 'super' || text === 'import' || text === 'yield')
      this.refuse(text)
    if (text === 'await') this.refuse('await-sync')
    this.unexpected()
  }

  private construct(start: number): Expression {
    this.next()
    if (this.is('.')) this.refuse('new-target', start)
    if (this.kind !== NAME || isReserved(this.text)) this.refuse('new', start)
    const callee: Identifier = { type: 'identifier', start: this.start, name: this.text }
    this.next()
    if (this.is('.') || this.is('[')) this.refuse('new', start)
    if (this.is('<')) this.skipTypeArguments()
    const args = this.is('(') ? this.callArguments() : []
    return { type: 'new', start, callee, args }
  }

  private template(): TemplateLiteral {
    const { start } = this
    const texts: string[] = []
    const parts: Expression[] = []
    this.enter()
    for (;;) {
      const isEnd = this.readTemplateText()
      texts.push(this.text)
      if (isEnd) break
      this.next()
      parts.push(this.unmarked(() => this.expression()))
      if (!this.is('}')) this.unexpected()
      // The text goes on right behind the brace.
      this.at = this.start + 1
    }
    this.depth -= 1
    this.next()
    return { type: 'template', start, texts, parts }
  }

  private bracketed(): Expression {
    this.next()
    this.enter()
    const value = this.unmarked(() => this.expression())
    this.depth -= 1
    this.expect(')')
    if (isMarked(value)) this.inParens.add(value)
    return value
  }

  private array(start: number): Expression {
    const items: (Expression | Spread | null)[] = []
    this.next()
    this.unmarked(() => {
      while (!this.is(']')) {
        if (this.is(',')) {
          items.push(null)
          this.next()
          continue
        }
        items.push(this.is('...') ? this.spread() : this.assignment())
        if (this.is(']')) break
        if (this.is(',') && items.at(-1)?.type === 'spread') this.commaAfterRest.add(items.at(-1) as Spread)
        this.expect(',')
      }
    })
    this.next()
    return { type: 'array', start, items }
  }

  private object(start: number): Expression {
    const properties: (Property | Spread)[] = []
    this.next()
    this.unmarked(() => {
      while (!this.is('}')) {
        properties.push(this.is('...') ? this.spread() : this.property())
        if (this.is('}')) break
        if (this.is(',') && properties.at(-1)?.type === 'spread') this.commaAfterRest.add(properties.at(-1) as Spread)
        this.expect(',')
      }
    })
    this.next()
    return { type: 'object', start, properties }
  }

  private property(): Property {
    const { start, kind, text, isEscaped } = this
    if (this.is('*')) this.refuse('generator')
    const isPlainName = kind === NAME
    if (isPlainName && !isEscaped && (text === 'async' || text === 'get' || text === 'set')) {
      const isModifier = this.peek(() => !this.isAfterKey() && !(text === 'async' && this.lineBefore))
      if (isModifier) return this.modified(start, text)
    }
    const key = this.key()
    const methodName = typeof key === 'string' ? key : undefined
    if (this.is('(') || this.is('<')) {
      const value = this.functionRest({ start, name: methodName, isAsync: false })
      return { type: 'property', start, key, value, isShorthand: false }
    }
    if (this.eat(':')) {
      if (key === '__proto__') this.refuse('proto-key', start)
      return { type: 'property', start, key, value: this.assignment(), isShorthand: false }
    }
    if (!isPlainName) this.unexpected()
    this.checkName(text, start)
    const value: Identifier = { type: 'identifier', start, name: text }
    const plain = { type: 'property', start, key, value, isShorthand: true } as const
    return this.eat('=') ? { ...plain, coverDefault: this.assignment() } : plain
  }

  private isAfterKey(): boolean {
    return this.kind === MARK && [',', ':', '(', '}', '=', '<'].includes(this.text)
  }

  private modified(start: number, modifier: string): Property {
    this.next()
    if (modifier !== 'async') this.refuse('accessor', start)
    if (this.is('*')) this.refuse('generator', start)
    const key = this.key()
    const name = typeof key === 'string' ? key : undefined
    const value = this.functionRest({ start, name, isAsync: true })
    return { type: 'property', start, key, value, isShorthand: false }
  }

  /** A key as it is written: a computed one stays an expression. */
  key(): string | Expression {
    const { kind, text, number } = this
    if (kind === NAME || kind === STRING || kind === NUMBER) {
      this.next()
      return kind === NUMBER ? String(number) : text
    }
    if (!this.is('[')) this.unexpected()
    this.next()
    const key = this.unmarked(() => this.assignment())
    this.expect(']')
    return key
  }

  private functionExpression(start: number, isAsync: boolean): FunctionNode {
    this.next()
    if (this.is('*')) this.refuse('generator', start)
    let name: string | undefined
    if (this.kind === NAME) {
      name = this.text
      this.checkName(name, this.start)
      this.next()
    }
    return this.functionRest({ start, name, isAsync })
  }

  /** From the parameters on: `(a, b) { … }`. */
  functionRest(form: FunctionForm): FunctionNode {
    return this.inFunction(form.isAsync, () => {
      if (this.is('<')) this.skipTypeArguments()
      this.expect('(')
      const { parameters, rest } = this.parameterList()
      this.skipAnnotation()
      const body = this.functionBody()
      return { type: 'function', ...form, parameters, rest, body, isArrow: false }
    })
  }

  /** An arrow function when one begins here; nothing is read otherwise. */
  private arrow(): FunctionNode | undefined {
    const { start } = this
    if (this.is('(')) {
      if (!this.isArrowHead(start)) return undefined
      this.next()
      return this.arrowRest(start, false)
    }
    if (this.kind !== NAME) return undefined
    if (this.text === 'async' && !this.isEscaped && this.peek(() => this.isAsyncArrowHead())) {
      this.next()
      if (this.is('<')) this.skipTypeArguments()
      if (this.eat('(')) return this.arrowRest(start, true)
      return this.nameArrow(start, true)
    }
    const { source } = this
    // Most names are no parameters: look at the characters before looking at tokens.
    let { at } = this
    while (source.charCodeAt(at) === 32) at += 1
    const code = source.charCodeAt(at)
    const mayFollow = code === 61 ? source.charCodeAt(at + 1) === 62 : code === 47
    if (!mayFollow || !this.peek(() => this.is('=>'))) return undefined
    return this.nameArrow(start, false)
  }

  private isAsyncArrowHead(): boolean {
    if (this.lineBefore) return false
    if (this.is('<')) return true
    if (this.is('(')) return this.isArrowHead(this.start)
    return this.kind === NAME && this.peek(() => this.is('=>'))
  }

  private nameArrow(start: number, isAsync: boolean): FunctionNode {
    if (this.kind !== NAME) this.unexpected()
    const name: Identifier = { type: 'identifier', start: this.start, name: this.text }
    this.checkName(name.name, name.start)
    this.next()
    return this.arrowTail({ start, name: undefined, isAsync }, [name], undefined)
  }

  private arrowRest(start: number, isAsync: boolean): FunctionNode {
    const form = { start, name: undefined, isAsync }
    const { parameters, rest } = this.inFunction(isAsync, () => this.parameterList())
    this.skipAnnotation()
    return this.arrowTail(form, parameters, rest)
  }

  private arrowTail(form: FunctionForm, parameters: readonly Target[], rest: Target | undefined): FunctionNode {
    if (!this.is('=>') || this.lineBefore) this.unexpected()
    const { noIn } = this
    return this.inFunction(form.isAsync, () => {
      this.next()
      if (this.is('{')) return { type: 'function', ...form, parameters, rest, body: this.functionBody(), isArrow: true }
      this.noIn = noIn
      return { type: 'function', ...form, parameters, rest, body: this.assignment(), isArrow: true }
    })
  }
}

/** What means something else without its brackets: patterns, and `||` beside `??`. */
function isMarked({ type }: Expression): boolean {
  return type === 'object' || type === 'array' || type === 'logical' || type === 'assign'
}
