import { exprLimits } from './limits.ts'
import type { ExprLimits } from './limits.ts'
import { array } from './nodes/array.ts'
import { binary } from './nodes/binary.ts'
import type { BinaryOp } from './nodes/binary.ts'
import { conditional } from './nodes/conditional.ts'
import { isOptionalChain } from './nodes/expr-node.ts'
import type { ExprNode } from './nodes/expr-node.ts'
import { ident } from './nodes/ident.ts'
import { literal } from './nodes/literal.ts'
import { logical } from './nodes/logical.ts'
import type { LogicalOp } from './nodes/logical.ts'
import { member } from './nodes/member.ts'
import { methodCall } from './nodes/method-call.ts'
import { unary } from './nodes/unary.ts'
import type { UnaryOp } from './nodes/unary.ts'
import { isForbidden } from './read-node.ts'
import { invalid, overLimit } from './errors.ts'
import { conditionLevel, precedenceOf } from './precedence.ts'
import { CORRECTIONS } from './corrections.ts'

/** White space, then a number, a name, a text or an operator. Operators of other languages are tokens too, so that they can be corrected. */
const TOKEN =
  /\s*(?:(\d[\w.]*(?:(?<=e)[-+]\d+)?)|([\p{L}$_][\p{L}\d$_]*)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(\?\.|[=!]==?|[<>]=|<>|\?\?|\*\*|&&|\|\||\+\+|--|\S)?)/uy

const PARENTHESES = 'use parentheses'
const EITHER = precedenceOf('||')
const BOTH = precedenceOf('&&')
const COMPARISON = precedenceOf('<')

/** Prefix operators. */
const SIGNED = /^([-+!]|typeof)$/

/**
 * Parses a condition, or throws EXPR_INVALID with the location (`info.line`, `info.column`) and a correction.
 * The text is JavaScript without functions, assignments and statements. `==` compares without conversion, except that `null` and `undefined`
 * are equal; `===` is the same.
 *
 * @example
 * ```ts
 * import { compileExpr, parseCondition } from 'mandate/expr'
 * const isLate = compileExpr(parseCondition('order.days > 3 && !order.note?.includes("agreed")'))
 * isLate({ order: { days: 4 } }) // true
 * ```
 */
export function parseCondition(text: string, limits?: Partial<ExprLimits>): ExprNode {
  const all = exprLimits(limits)
  if (text.length > all.textLength) throw overLimit('textLength', all.textLength)
  return new Parser(text, all).parse()
}

class Parser {
  readonly #text: string
  readonly #limits: ExprLimits
  #depth = 0
  /** The next token: its end, text and kind. */
  #end = 0
  #token = ''
  #kind: 'value' | 'name' | 'sign' = 'sign'

  constructor(text: string, limits: ExprLimits) {
    this.#text = text
    this.#limits = limits
    this.#advance()
  }

  parse(): ExprNode {
    const node = this.#choice()
    if (this.#token !== '') this.#unexpected()
    return node
  }

  #choice(): ExprNode {
    this.#descend()
    let node = this.#binary(0)
    if (this.#accept('?')) {
      const consequent = this.#choice()
      this.#expect(':')
      node = conditional(node, consequent, this.#choice())
    }
    this.#depth--
    return node
  }

  /** Operators that bind more tightly than `minimum`, by precedence climbing. */
  #binary(minimum: number): ExprNode {
    let left = this.#prefix()
    const outer = this.#depth
    for (let last = '', lastLevel = 0; ;) {
      const op = this.#token
      const level = (this.#kind === 'sign' && conditionLevel(op)) || 0
      if (level <= minimum) break
      // Every further operator of a level nests the left side one deeper.
      if (level !== lastLevel) this.#depth = outer
      else if (level === COMPARISON) this.#fail(`use \`a ${last} b && b ${op} c\` instead of \`a ${last} b ${op} c\``)
      else if (level === EITHER && last !== op) this.#fail(PARENTHESES)
      this.#descend()
      this.#advance()
      const right = this.#binary(level)
      left =
        level <= BOTH
          ? logical(op as LogicalOp, left, right)
          : binary(op.slice(0, op[1] === '=' ? 2 : 1) as BinaryOp, left, right)
      last = op
      lastLevel = level
    }
    this.#depth = outer
    return left
  }

  #prefix(): ExprNode {
    this.#descend()
    const op = this.#token
    const isSigned = SIGNED.test(op)
    let node = isSigned ? this.#signed(op) : this.#postfix()
    if (this.#token === '**') {
      if (isSigned) this.#fail(PARENTHESES)
      this.#advance()
      node = binary('**', node, this.#prefix())
    }
    this.#depth--
    return node
  }

  #signed(op: string): ExprNode {
    this.#advance()
    const isNumber = this.#kind === 'value'
    const node = SIGNED.test(this.#token) ? this.#prefix() : this.#postfix()
    return op === '-' && isNumber && node.$expr === 'literal' && typeof node.value === 'number'
      ? literal(-node.value)
      : unary(op as UnaryOp, node)
  }

  #postfix(): ExprNode {
    const isGroup = this.#token === '('
    let node = this.#primary()
    for (;;) {
      const optional = this.#token === '?.'
      if (!optional && this.#token !== '.' && this.#token !== '[') break
      if (isGroup && isOptionalChain(node)) this.#fail('leave out the parentheses')
      node = this.#access(node, optional)
    }
    return node
  }

  #access(node: ExprNode, optional: boolean): ExprNode {
    const options = optional ? { optional } : {}
    if (this.#token !== '[') this.#advance()
    if (this.#accept('[')) {
      const property = this.#choice()
      this.#expect(']')
      return member(node, property, { computed: true, ...options })
    }
    const name = this.#name()
    return this.#accept('(') ? methodCall(node, name, this.#list(')'), options) : member(node, name, options)
  }

  #name(): string {
    const name = this.#token
    if (this.#kind !== 'name') this.#unexpected()
    if (isForbidden(name)) this.#fail(`\`${name}\` is forbidden`)
    this.#advance()
    return name
  }

  #primary(): ExprNode {
    if (this.#kind === 'value') return this.#value()
    if (this.#kind === 'name') {
      if (/^(true|false|null)$/.test(this.#token)) return this.#value()
      if (CORRECTIONS.has(this.#token)) this.#unexpected()
      return ident(this.#name())
    }
    if (this.#accept('[')) return array(this.#list(']'))
    if (!this.#accept('(')) this.#unexpected()
    const node = this.#choice()
    this.#expect(')')
    return node
  }

  /** Literals as in JSON; quotes may also be single. */
  #value(): ExprNode {
    const text = this.#token
    const json = /^['"]/.test(text)
      ? `"${text.slice(1, -1).replaceAll(/\\(.)|"/gu, (found, letter) => (letter === "'" ? letter : letter ? found : '\\"'))}"`
      : text
    try {
      const value = JSON.parse(json) as number | string
      if (value !== Infinity) {
        this.#advance()
        return literal(value)
      }
    } catch {
      // Reported below.
    }
    this.#fail(`\`${text}\` is no value`)
  }

  #list(end: string): ExprNode[] {
    const items: ExprNode[] = []
    while (!this.#accept(end)) {
      items.push(this.#choice())
      if (this.#token !== end) this.#expect(',')
    }
    return items
  }

  #descend(): void {
    // A parenthesis descends twice: as a conditional and as its operand.
    if (++this.#depth > 2 * this.#limits.depth) throw overLimit('depth', this.#limits.depth)
  }

  #accept(sign: string): boolean {
    const isFound = this.#token === sign
    if (isFound) this.#advance()
    return isFound
  }

  #expect(sign: string): void {
    if (!this.#accept(sign)) this.#unexpected(`, \`${sign}\` is missing`)
  }

  #advance(): void {
    TOKEN.lastIndex = this.#end
    const [all, number, name, text, sign = ''] = TOKEN.exec(this.#text)!
    this.#token = number ?? name ?? text ?? sign
    this.#kind = name ? 'name' : this.#token === sign ? 'sign' : 'value'
    this.#end += all.length
  }

  #unexpected(hint = ''): never {
    const found = this.#token
    const instead = CORRECTIONS.get(found)
    this.#fail(
      instead
        ? `use \`${instead}\` instead of \`${found}\``
        : `${found ? `\`${found}\`` : 'the end'} does not fit here${hint}`,
    )
  }

  #fail(problem: string): never {
    const lines = this.#text.slice(0, this.#end - this.#token.length).split('\n')
    const info = { line: lines.length, column: lines.at(-1)!.length + 1 }
    throw invalid(`At ${info.line}:${info.column} of \`${this.#text.slice(0, 200)}\`: ${problem}.`, info)
  }
}
