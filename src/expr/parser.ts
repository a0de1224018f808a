import { checkExpr } from './check.ts'
import { EXPR_LIMITS } from './limits.ts'
import type { ExprLimits } from './limits.ts'
import { array } from './nodes/array.ts'
import { binary } from './nodes/binary.ts'
import { conditional } from './nodes/conditional.ts'
import type { ExprNode } from './nodes/expr-node.ts'
import { ident } from './nodes/ident.ts'
import { literal } from './nodes/literal.ts'
import { logical } from './nodes/logical.ts'
import type { LogicalOp } from './nodes/logical.ts'
import { member } from './nodes/member.ts'
import { methodCall } from './nodes/method-call.ts'
import { object } from './nodes/object.ts'
import type { ObjectProperty } from './nodes/object.ts'
import { template } from './nodes/template.ts'
import { unary } from './nodes/unary.ts'
import type { UnaryOp } from './nodes/unary.ts'
import { isForbidden } from './reading.ts'
import { overLimit } from './refusals.ts'
import { Scanner } from './scanner.ts'
import type { Token } from './scanner.ts'
import { COMPARISONS, CONSTANTS, LEVELS, RESERVED, plainOp } from './syntax.ts'

/**
 * Makes a node of a condition text, or throws EXPR_INVALID with the place (`info.line`, `info.column`) and what to write instead.
 * The text is JavaScript without functions, assignments and statements. `==` compares without conversion, except that `null` and `undefined` are equal.
 *
 * @example
 * ```ts
 * import { compileExpr, parseCondition } from 'mandate/expr'
 * const isLate = compileExpr(parseCondition('order.days > 3 && !order.note?.includes("agreed")'))
 * isLate({ order: { days: 4 } }) // true
 * ```
 */
export function parseCondition(text: string, limits: Partial<ExprLimits> = {}): ExprNode {
  const all = { ...EXPR_LIMITS, ...limits }
  if (text.length > all.textLength)
    throw overLimit('textLength', `The text has ${text.length} characters`, all.textLength)
  // The walk counts nodes and depth, which long chains of operators have without nesting a single parenthesis.
  return checkExpr(new Parser(text, all).parse(), all) as ExprNode
}

class Parser {
  readonly #scanner: Scanner
  readonly #recursionMax: number
  #token: Token
  #recursion = 0

  constructor(text: string, { depth }: ExprLimits) {
    this.#scanner = new Scanner(text)
    this.#recursionMax = 2 * depth
    this.#token = this.#scanner.next()
  }

  parse(): ExprNode {
    if (this.#isEnd()) this.#fail('The text is empty. Write a condition, such as `count > 3`.')
    const node = this.#choice()
    if (!this.#isEnd()) this.#unexpected()
    return node
  }

  #choice(): ExprNode {
    this.#descend()
    let node = this.#level(0)
    if (this.#accept('?')) {
      const consequent = this.#choice()
      this.#expect(':')
      node = conditional(node, consequent, this.#choice())
    }
    this.#recursion--
    return node
  }

  /** Operators of one level, and all that bind more tightly below it. */
  #level(index: number): ExprNode {
    const ops = LEVELS[index]
    if (ops === undefined) return this.#prefix()
    let left = this.#level(index + 1)
    let last = ''
    while (this.#token.type === 'sign' && ops.includes(this.#token.text)) {
      const op = this.#token.text
      if (last !== '') this.#checkChain(last, op)
      this.#advance()
      const right = this.#level(index + 1)
      left = index < 2 ? logical(op as LogicalOp, left, right) : binary(plainOp(op), left, right)
      last = op
    }
    return left
  }

  #checkChain(last: string, op: string): void {
    if (COMPARISONS.includes(op)) {
      this.#fail(`\`a ${last} b ${op} c\` does not compare three values. Write \`a ${last} b && b ${op} c\`.`)
    }
    if (last !== op && LEVELS[0]!.includes(op)) this.#fail('`??` beside `||` needs parentheses.')
  }

  #prefix(): ExprNode {
    this.#descend()
    const { text } = this.#token
    const node = this.#isPrefix() ? this.#operation(text) : this.#postfix()
    const whole = this.#accept('**') ? binary('**', node, this.#prefix()) : node
    this.#recursion--
    return whole
  }

  #isPrefix(): boolean {
    const { type, text } = this.#token
    return type === 'sign' ? text === '!' || text === '-' || text === '+' : type === 'name' && text === 'typeof'
  }

  #operation(op: string): ExprNode {
    this.#advance()
    const isNumber = this.#token.type === 'value' && typeof this.#token.value === 'number'
    const argument = this.#isPrefix() ? this.#prefix() : this.#postfix()
    if (this.#token.text === '**' && this.#token.type === 'sign') {
      this.#fail(`\`${op}a ** b\` needs parentheses: \`(${op}a) ** b\` or \`${op}(a ** b)\`.`)
    }
    if (op === '-' && isNumber && argument.$expr === 'literal') return literal(-(argument.value as number))
    return unary(op as UnaryOp, argument)
  }

  #postfix(): ExprNode {
    const isGrouped = this.#token.text === '('
    let node = this.#primary()
    let isChain = isGrouped && hasOptional(node)
    for (;;) {
      const { type, text, start } = this.#token
      if (type === 'value' && text.startsWith('.')) this.#fail(`Write \`[${text.slice(1)}]\` for a member of a list.`)
      if (type !== 'sign' || !['.', '?.', '[', '('].includes(text)) return node
      if (isChain) this.#scanner.fail(start, 'Leave out the parentheses around `?.`, or use `?.` here too.')
      isChain = false
      if (text === '(')
        this.#fail('Functions cannot be called; texts and lists have methods, as in `name.includes("x")`.')
      this.#advance()
      node = this.#access(node, text)
    }
  }

  #access(node: ExprNode, sign: string): ExprNode {
    const optional = sign === '?.'
    if (sign === '[' || (optional && this.#accept('['))) {
      const property = this.#choice()
      this.#expect(']')
      return member(node, property, { computed: true, optional })
    }
    const { type, text } = this.#token
    if (type !== 'name') this.#unexpected()
    this.#checkName(text)
    this.#advance()
    return this.#accept('(') ? methodCall(node, text, this.#list(')'), { optional }) : member(node, text, { optional })
  }

  #primary(): ExprNode {
    const token = this.#token
    this.#advance()
    if (token.type === 'value') return literal(token.value!)
    if (token.type === 'name') return this.#name(token.text, token)
    switch (token.text) {
      case '(': {
        const node = this.#choice()
        this.#expect(')')
        return node
      }
      case '[':
        return array(this.#list(']'))
      case '{':
        return this.#object()
      case '`':
        return this.#template(token.start)
      default:
        return this.#unexpected(token)
    }
  }

  #name(name: string, token: Token): ExprNode {
    if (Object.hasOwn(CONSTANTS, name)) return literal(CONSTANTS[name]!)
    if (Object.hasOwn(RESERVED, name)) this.#unexpected(token)
    this.#checkName(name, token)
    return ident(name)
  }

  #list(end: string): ExprNode[] {
    const items: ExprNode[] = []
    while (!this.#accept(end)) {
      items.push(this.#choice())
      if (this.#token.text !== end) this.#expect(',')
    }
    return items
  }

  #object(): ExprNode {
    const properties: ObjectProperty[] = []
    while (!this.#accept('}')) {
      properties.push(this.#property())
      if (this.#token.text !== '}') this.#expect(',')
    }
    return object(properties)
  }

  #property(): ObjectProperty {
    if (this.#accept('[')) {
      const key = this.#choice()
      this.#expect(']')
      this.#expect(':')
      return { key, value: this.#choice(), computed: true }
    }
    const token = this.#token
    if (token.type !== 'name' && token.type !== 'value') return this.#unexpected()
    const key = token.type === 'name' ? token.text : String(token.value)
    this.#checkName(key)
    this.#advance()
    if (token.type === 'name' && !this.#is(':')) return { key, value: this.#name(key, token) }
    this.#expect(':')
    return { key, value: this.#choice() }
  }

  #template(start: number): ExprNode {
    const parts: string[] = []
    const values: ExprNode[] = []
    this.#scanner.offset = start
    for (;;) {
      parts.push(this.#scanner.quoted('`'))
      const { isOpen } = this.#scanner
      this.#advance()
      if (!isOpen) return template(parts, values)
      values.push(this.#choice())
      if (!this.#is('}')) this.#expect('}')
      this.#scanner.offset = this.#token.start
    }
  }

  #checkName(name: string, token: Token = this.#token): void {
    if (isForbidden(name)) this.#scanner.fail(token.start, `\`${name}\` is forbidden.`)
  }

  #descend(): void {
    if (++this.#recursion > this.#recursionMax)
      throw overLimit('depth', 'The text is nested too deeply', this.#recursionMax / 2)
  }

  #isEnd(): boolean {
    return this.#token.type === 'end'
  }

  #is(sign: string): boolean {
    return this.#token.type === 'sign' && this.#token.text === sign
  }

  #accept(sign: string): boolean {
    const found = this.#is(sign)
    if (found) this.#advance()
    return found
  }

  #expect(sign: string): void {
    if (!this.#accept(sign)) this.#unexpected(this.#token, ` \`${sign}\` is missing.`)
  }

  #advance(): void {
    this.#token = this.#scanner.next()
  }

  #unexpected(token: Token = this.#token, wanted = ''): never {
    const { type, text, start } = token
    const correction =
      type === 'name' && Object.hasOwn(RESERVED, text)
        ? ` ${RESERVED[text]!}`
        : text === '/'
          ? ' There are no regular expressions here.'
          : wanted
    this.#scanner.fail(
      start,
      type === 'end' ? `The text ends too early.${wanted}` : `\`${text}\` does not fit here.${correction}`,
    )
  }

  #fail(problem: string): never {
    this.#scanner.fail(this.#token.start, problem)
  }
}

function hasOptional(node: ExprNode): boolean {
  return (
    (node.$expr === 'member' || node.$expr === 'methodCall') &&
    (node.optional === true || hasOptional(node.object as ExprNode))
  )
}
