import { PRECEDENCE } from '../../../expr/index.ts'
import { MISSING_GLOBALS } from '../../value/text/javascript-names.ts'
import type { Call, Expression, Member, PrivateName, Spread } from './ast.ts'
import { isReserved } from './characters.ts'
import { END, NAME, NUMBER, PRIVATE, STRING, TEMPLATE, MARK } from './scanner.ts'
import { ClassParser } from './class-parser.ts'
import { checkDepth, missingProblem } from '../problem.ts'

const relational = PRECEDENCE.get('in')!
const exponent = PRECEDENCE.get('**')!
const assignments = new Set('= += -= *= /= %= **= <<= >>= >>>= &= |= ^= &&= ||= ??='.split(' '))
const unaryMarks = new Set(['!', '~', '+', '-'])
const unaryWords = new Set(['typeof', 'void', 'delete'])

/** Expressions, by precedence climbing. */
export abstract class ExpressionParser extends ClassParser {
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
    const own = this.arrow() ?? (this.canYield ? this.yielded(start) : undefined)
    if (own !== undefined) {
      this.depth -= 1
      return own
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
    if (this.kind === MARK) return PRECEDENCE.get(this.text) ?? 0
    if (this.kind !== NAME || !this.isSpecial || this.isEscaped) return 0
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
    if (this.kind !== NAME || !this.isSpecial || this.lineBefore || this.isEscaped) return false
    return this.text === 'as' || this.text === 'satisfies'
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
    } else if (kind === NAME && this.isSpecial && !this.isEscaped) {
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

  /** Parses `yield`, `yield value` or `yield* source`; consumes nothing otherwise. */
  private yielded(start: number): Expression | undefined {
    if (!this.isWord('yield')) return undefined
    if (this.inParameters) this.fail('`yield` cannot stand in the parameters of a generator')
    this.next()
    if (this.lineBefore || this.endsYield()) return { type: 'yield', start, value: undefined, isAll: false }
    const isAll = this.eat('*')
    return { type: 'yield', start, value: this.assignment(), isAll }
  }

  private endsYield(): boolean {
    if (this.kind === END) return true
    if (this.kind === NAME) return this.isWord('in') || this.isWord('of')
    return this.kind === MARK && [')', ']', '}', ',', ';', ':'].includes(this.text)
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

  /** Parses members, calls and TypeScript syntax between them. */
  private access(first: Expression, start: number): Expression {
    let value = first
    let isChain = false
    // Each link nests all before it. A method is two links and one call.
    for (let links = 0; ; links += 1) {
      checkDepth(links >> 1, this.maxDepth, this.source, this.start)
      if (this.kind === TEMPLATE) {
        value = this.tagged(value, start)
        continue
      }
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
    if (this.kind === PRIVATE) this.refuse('private')
    return { type: 'member', start, object, property: this.propertyName(), isOptional: true }
  }

  private propertyName(): string | PrivateName {
    if (this.kind === PRIVATE) return this.privateName()
    if (this.kind !== NAME) this.unexpected()
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
    if (kind === PRIVATE) {
      const name = this.privateName()
      return this.isWord('in') ? name : this.fail('A private name stands after a dot or before `in`', start)
    }
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

  private bracketed(): Expression {
    this.next()
    this.enter()
    const value = this.unmarked(() => this.expression())
    this.depth -= 1
    this.expect(')')
    if (isMarked(value)) this.inParens.add(value)
    return value
  }

  private nameOrWord(start: number, text: string): Expression {
    if (this.isSpecial) {
      if (this.isEscaped && isReserved(text)) this.fail('A keyword cannot be written with escapes')
      if (text === 'async' && !this.isEscaped && this.peek(() => this.isWord('function') && !this.lineBefore)) {
        this.next()
        return this.functionExpression(start, true)
      }
      if (isReserved(text)) return this.word(start, text)
    }
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
    if (text === 'this') {
      this.next()
      return { type: 'this', start }
    }
    if (text === 'class') return this.classNode(start)
    if (text === 'super') return this.superExpression(start)
    if (text === 'import' || text === 'yield') this.refuse(text)
    if (text === 'await') this.refuse('await-sync')
    this.unexpected()
  }

  private superExpression(start: number): Expression {
    this.next()
    if (this.is('(')) return { type: 'super-call', start, args: this.callArguments() }
    if (this.is('[')) return { type: 'super-member', start, property: this.element(NOTHING, start, false).property }
    if (!this.eat('.') || this.kind !== NAME) this.unexpected()
    return { type: 'super-member', start, property: this.propertyName() }
  }

  /** Parses the parent of a class: a name, a member, a call or a parenthesized expression. */
  protected heritage(): Expression {
    const { start } = this
    return this.access(this.primary(), start)
  }

  private construct(start: number): Expression {
    this.next()
    if (this.eat('.')) {
      if (this.kind !== NAME || this.text !== 'target') this.unexpected()
      this.next()
      return { type: 'new-target', start }
    }
    const from = this.start
    this.enter()
    let callee = this.isWord('new') ? this.construct(from) : this.primary()
    this.depth -= 1
    while (this.is('.') || this.is('[')) {
      // `new WebAssembly.Module()` is refused because of `WebAssembly`, not because of the member access.
      const advice = callee.type === 'identifier' ? MISSING_GLOBALS.get(callee.name) : undefined
      if (advice !== undefined && callee.type === 'identifier') throw missingProblem(this.source, callee, advice)
      if (this.is('[')) callee = this.element(callee, from, false)
      else {
        this.next()
        callee = { type: 'member', start: from, object: callee, property: this.propertyName(), isOptional: false }
      }
    }
    if (this.is('<')) this.skipTypeArguments()
    const args = this.is('(') ? this.callArguments() : []
    return { type: 'new', start, callee, args }
  }
}

const NOTHING: Expression = { type: 'literal', start: 0, value: null }

/** Whether parentheses change the meaning of an expression: patterns, and `||` combined with `??`. */
function isMarked({ type }: Expression): boolean {
  return type === 'object' || type === 'array' || type === 'logical' || type === 'assign'
}
