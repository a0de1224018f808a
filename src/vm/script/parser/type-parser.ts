import { END, MARK, NAME, NUMBER, STRING, Scanner, TEMPLATE } from './scanner.ts'

const openers = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
])
const prefixes = new Set(['keyof', 'readonly', 'infer', 'unique', 'typeof', 'asserts', 'abstract'])

/** Skips TypeScript types. They are parsed only to find their end. */
export abstract class TypeParser extends Scanner {
  is(mark: string): boolean {
    return this.kind === MARK && this.text === mark
  }

  isWord(word: string): boolean {
    return this.kind === NAME && this.text === word && !this.isEscaped
  }

  eat(mark: string): boolean {
    if (this.kind !== MARK || this.text !== mark) return false
    this.next()
    return true
  }

  expect(mark: string): void {
    if (this.kind !== MARK || this.text !== mark) this.unexpected()
    this.next()
  }

  /** Inspects the next token without consuming it. */
  peek<T>(look: () => T): T {
    const place = this.place()
    this.next()
    const seen = look()
    this.restore(place)
    return seen
  }

  /** Tries to skip something; backtracks if that fails. */
  attempt(step: () => boolean): boolean {
    const place = this.place()
    const { depth } = this
    try {
      if (step()) return true
    } catch {
      // Not a type: the caller parses it as an expression.
    }
    this.restore(place)
    this.depth = depth
    return false
  }

  skipAnnotation(): void {
    if (this.eat(':')) this.skipType()
  }

  /** Skips `<A, B extends C = D>` in a declaration or a call. The current token is `<`. */
  skipTypeArguments(): void {
    this.enter()
    this.next()
    while (!this.isTypeClose()) {
      if (this.isWord('const') || this.isWord('in') || this.isWord('out')) this.next()
      this.skipType()
      if (this.isWord('extends')) {
        this.next()
        this.skipType()
      }
      if (this.eat('=')) this.skipType()
      if (!this.eat(',')) break
    }
    this.closeType()
    this.depth -= 1
  }

  private isTypeClose(): boolean {
    return this.kind === MARK && this.text.startsWith('>')
  }

  /** Consumes one `>`, also the first character of `>>`, `>=` and similar tokens. */
  private closeType(): void {
    if (!this.isTypeClose()) this.unexpected()
    this.at = this.start + 1
    this.next()
  }

  skipType(): void {
    this.enter()
    if (this.is('|') || this.is('&')) this.next()
    do this.skipOperand()
    while (this.eat('|') || this.eat('&'))
    if (this.isWord('extends') && !this.lineBefore) this.skipConditionalType()
    this.depth -= 1
  }

  private skipConditionalType(): void {
    const isConditional = this.attempt(() => {
      this.next()
      this.skipType()
      return this.eat('?')
    })
    // Otherwise it is the bound of a type parameter, which the caller reads.
    if (!isConditional) return
    this.skipType()
    this.expect(':')
    this.skipType()
  }

  private skipOperand(): void {
    this.skipPrimaryType()
    for (;;) {
      if (this.lineBefore) return
      if (this.is('[')) this.skipBalanced()
      else if (this.isWord('is')) {
        this.next()
        this.skipType()
      } else return
    }
  }

  private skipPrimaryType(): void {
    if (this.kind === STRING || this.kind === NUMBER) return this.next()
    if (this.kind === TEMPLATE) return this.skipTemplateType()
    if (this.kind === NAME) return this.skipNamedType()
    if (this.is('-')) {
      this.next()
      if (this.kind !== NUMBER) this.unexpected()
      return this.next()
    }
    if (this.is('<')) {
      this.skipTypeArguments()
      if (!this.is('(')) this.unexpected()
    }
    if (!this.is('(') && !this.is('[') && !this.is('{')) this.unexpected()
    const isList = this.is('(')
    this.skipBalanced()
    if (isList && this.eat('=>')) this.skipType()
  }

  private skipNamedType(): void {
    const isPrefix = prefixes.has(this.text)
    const isNew = this.text === 'new'
    const isImport = this.text === 'import'
    this.next()
    if (isImport && this.is('(')) this.skipBalanced()
    if (isNew) {
      if (this.is('<')) this.skipTypeArguments()
      this.enter()
      this.skipPrimaryType()
      this.depth -= 1
      return
    }
    const goesOn = this.kind === NAME || this.is('(') || this.is('[') || this.is('{')
    if (isPrefix && goesOn && !this.lineBefore && !this.isWord('is')) {
      this.enter()
      this.skipOperand()
      this.depth -= 1
      return
    }
    while (this.eat('.')) {
      if (this.kind !== NAME) this.unexpected()
      this.next()
    }
    if (this.is('<') && !this.lineBefore) this.skipTypeArguments()
  }

  private skipTemplateType(): void {
    while (!this.readTemplateText()) {
      this.next()
      this.skipType()
      if (!this.is('}')) this.unexpected()
      this.at = this.start + 1
    }
    this.next()
  }

  /** Skips brackets with their content. The current token opens them. */
  skipBalanced(): void {
    const closers: string[] = []
    do {
      if (this.kind === END) this.unexpected()
      if (this.kind === TEMPLATE) {
        this.skipTemplateType()
        continue
      }
      const closer = this.kind === MARK ? openers.get(this.text) : undefined
      if (closer !== undefined) closers.push(closer)
      else if (this.is(')') || this.is(']') || this.is('}')) {
        if (closers.pop() !== this.text) this.unexpected()
      }
      this.next()
    } while (closers.length > 0)
  }
}
