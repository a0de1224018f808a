import type {
  Expression,
  FunctionNode,
  Identifier,
  Property,
  Spread,
  Statement,
  Target,
  TemplateLiteral,
} from './ast.ts'
import { MARK, NAME, NUMBER, STRING } from './scanner.ts'
import { type FunctionKind, TargetParser } from './target-parser.ts'

/** The form of a function, which determines what it may contain. */
interface FunctionForm extends FunctionKind {
  readonly start: number
  readonly name: string | undefined
  readonly isMethod?: boolean
}

/** Parses templates, arrays, objects and functions. */
export abstract class LiteralParser extends TargetParser {
  /** Implemented by the subclasses that parse operators and statements. */
  abstract expression(): Expression
  protected abstract functionBody(): readonly Statement[]

  protected spread(): Spread {
    const { start } = this
    this.next()
    return { type: 'spread', start, value: this.assignment() }
  }

  protected template(): TemplateLiteral {
    const { start } = this
    const { texts, parts } = this.templateParts(false)
    return { type: 'template', start, texts: texts as string[], parts }
  }

  /** Parses a call of a tag with the texts and the values of a template. */
  protected tagged(tag: Expression, start: number): Expression {
    const { texts, raw, parts } = this.templateParts(true)
    const strings: Expression = { type: 'strings', start, cooked: texts, raw }
    return { type: 'call', start, callee: tag, args: [strings, ...parts], isOptional: false }
  }

  private templateParts(isTagged: boolean): { texts: (string | null)[]; raw: string[]; parts: Expression[] } {
    const texts: (string | null)[] = []
    const raw: string[] = []
    const parts: Expression[] = []
    this.enter()
    for (;;) {
      const from = this.at
      const isEnd = this.readTemplateText(isTagged)
      texts.push(this.isCooked ? this.text : null)
      raw.push(this.source.slice(from, this.at - (isEnd ? 1 : 2)).replaceAll(/\r\n?/g, '\n'))
      if (isEnd) break
      this.next()
      parts.push(this.unmarked(() => this.expression()))
      if (!this.is('}')) this.unexpected()
      // The text continues directly after the brace.
      this.at = this.start + 1
    }
    this.depth -= 1
    this.next()
    return { texts, raw, parts }
  }

  protected array(start: number): Expression {
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

  protected object(start: number): Expression {
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
    if (this.eat('*')) return this.methodProperty(start, { isAsync: false, isGenerator: true })
    const isPlainName = kind === NAME
    if (isPlainName && this.isSpecial && !isEscaped && (text === 'async' || text === 'get' || text === 'set')) {
      const isModifier = this.peek(() => !this.isAfterKey() && !(text === 'async' && this.lineBefore))
      if (isModifier) return this.modified(start, text)
    }
    const key = this.key()
    const methodName = typeof key === 'string' ? key : undefined
    if (this.is('(') || this.is('<')) {
      const value = this.functionRest({ start, name: methodName, isAsync: false, isGenerator: false, isMethod: true })
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
    if (modifier === 'async') return this.methodProperty(start, { isAsync: true, isGenerator: this.eat('*') })
    return { ...this.methodProperty(start, { isAsync: false, isGenerator: false }), kind: modifier as 'get' | 'set' }
  }

  private methodProperty(start: number, kind: FunctionKind): Property {
    const key = this.key()
    const name = typeof key === 'string' ? key : undefined
    return {
      type: 'property',
      start,
      key,
      value: this.functionRest({ start, name, ...kind, isMethod: true }),
      isShorthand: false,
    }
  }

  /** Parses a key. A computed one stays an expression. */
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

  protected functionExpression(start: number, isAsync: boolean): FunctionNode {
    this.next()
    const isGenerator = this.eat('*')
    let name: string | undefined
    if (this.kind === NAME) {
      name = this.text
      this.checkName(name, this.start)
      this.next()
    }
    return this.functionRest({ start, name, isAsync, isGenerator })
  }

  /** Parses a function from its parameters: `(a, b) { … }`. */
  functionRest(form: FunctionForm): FunctionNode {
    return this.inFunction(form, () => {
      if (this.is('<')) this.skipTypeArguments()
      this.expect('(')
      const { parameters, rest } = this.parameterList()
      this.skipAnnotation()
      const body = this.functionBody()
      return { type: 'function', ...form, parameters, rest, body, isArrow: false }
    })
  }

  /** Parses an arrow function if one starts here; consumes nothing otherwise. */
  protected arrow(): FunctionNode | undefined {
    const { start } = this
    if (this.is('(')) {
      if (!this.isArrowHead(start)) return undefined
      this.next()
      return this.arrowRest(start, false)
    }
    if (this.kind !== NAME) return undefined
    if (this.isSpecial && this.text === 'async' && !this.isEscaped && this.peek(() => this.isAsyncArrowHead())) {
      this.next()
      if (this.is('<')) this.skipTypeArguments()
      if (this.eat('(')) return this.arrowRest(start, true)
      return this.nameArrow(start, true)
    }
    // Most names are not parameters, so characters are checked before tokens.
    const { source } = this
    const at = this.afterSpaces()
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
    return this.arrowTail({ start, name: undefined, isAsync, isGenerator: false }, [name], undefined)
  }

  private arrowRest(start: number, isAsync: boolean): FunctionNode {
    const form = { start, name: undefined, isAsync, isGenerator: false }
    const { parameters, rest } = this.inFunction(form, () => this.parameterList())
    this.skipAnnotation()
    return this.arrowTail(form, parameters, rest)
  }

  private arrowTail(form: FunctionForm, parameters: readonly Target[], rest: Target | undefined): FunctionNode {
    if (!this.is('=>') || this.lineBefore) this.unexpected()
    const { noIn } = this
    return this.inFunction(form, () => {
      this.next()
      if (this.is('{')) return { type: 'function', ...form, parameters, rest, body: this.functionBody(), isArrow: true }
      this.noIn = noIn
      return { type: 'function', ...form, parameters, rest, body: this.assignment(), isArrow: true }
    })
  }
}
