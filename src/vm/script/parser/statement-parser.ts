import type { Block, Declaration, Expression, ForEach, Statement, SwitchStatement, Target } from './ast.ts'
import { isReserved } from './characters.ts'
import { ExpressionParser } from './expression-parser.ts'
import { END, MARK, NAME } from './scanner.ts'

/** Parses statements and declarations. */
export class StatementParser extends ExpressionParser {
  /** Parses the whole script. */
  program(): Statement[] {
    this.next()
    const body: Statement[] = []
    while (this.kind !== END) this.listItem(body)
    return body
  }

  protected functionBody(): readonly Statement[] {
    return this.block().body
  }

  private block(): Block {
    const { start } = this
    this.expect('{')
    const body: Statement[] = []
    while (!this.is('}')) {
      if (this.kind === END) this.unexpected()
      this.listItem(body)
    }
    this.next()
    return { type: 'block', start, body }
  }

  /** Parses a statement or a declaration. Type declarations produce nothing. */
  private listItem(body: Statement[]): void {
    this.enter()
    const isWord = this.kind === NAME && this.isSpecial && !this.isEscaped
    if (!isWord) body.push(this.statement())
    else if (!this.skipTypeDeclaration()) body.push(this.declaration() ?? this.statement())
    this.depth -= 1
  }

  protected semicolon(): void {
    if (this.eat(';') || this.is('}') || this.kind === END || this.lineBefore) return
    this.unexpected()
  }

  private skipTypeDeclaration(): boolean {
    const { text } = this
    if (text === 'interface') this.skipInterface()
    else if (text === 'type' && this.peek(() => this.kind === NAME && !this.lineBefore && !isOperatorWord(this.text))) {
      this.next()
      this.next()
      if (this.is('<')) this.skipTypeArguments()
      this.expect('=')
      this.skipType()
      this.semicolon()
    } else if (
      text === 'declare' &&
      this.peek(() => this.kind === NAME && !this.lineBefore && !isOperatorWord(this.text))
    ) {
      this.skipAmbient()
    } else if (
      (text === 'namespace' || text === 'module') &&
      this.peek(() => this.kind === NAME && !this.lineBefore && !isOperatorWord(this.text))
    ) {
      this.refuse('namespace')
    } else return false
    return true
  }

  private skipInterface(): void {
    this.next()
    if (this.kind !== NAME) this.unexpected()
    while (!this.is('{')) {
      if (this.is('<')) this.skipTypeArguments()
      else if (this.kind === NAME || this.is(',') || this.is('.')) this.next()
      else this.unexpected()
    }
    this.skipBalanced()
  }

  /** Skips `declare const x: T`, a declaration of something external that produces no code. */
  private skipAmbient(): void {
    this.next()
    while (!this.is(';') && this.kind !== END && !this.is('}')) {
      if (this.is('{') || this.is('(') || this.is('[')) this.skipBalanced()
      else this.next()
      if (this.lineBefore && !this.is('{') && !this.is(':')) break
    }
    this.semicolon()
  }

  /** Parses a declaration, which is allowed in a list of statements but not as the body of an `if`; `undefined` for anything else and for types. */
  private declaration(): Statement | undefined {
    const { start, text } = this
    if (text === 'const' || text === 'let' || text === 'var') {
      if (text === 'const' && this.mayBeEnum() && this.peek(() => this.isWord('enum'))) this.refuse('enum')
      const declared = this.variables(text)
      this.semicolon()
      return declared
    }
    if (text === 'function') return this.functionDeclaration(start, false)
    if (text === 'async' && this.peek(() => this.isWord('function') && !this.lineBefore)) {
      this.next()
      return this.functionDeclaration(start, true)
    }
    if (text === 'using' && this.peek(() => this.kind === NAME && !this.lineBefore && !isOperatorWord(this.text)))
      this.refuse('using')
    if (text === 'abstract' && this.peek(() => this.isWord('class'))) {
      this.next()
      return this.classDeclaration(start)
    }
    if (text === 'class') return this.classDeclaration(start)
    return undefined
  }

  private classDeclaration(start: number): Statement {
    const value = this.classNode(start)
    if (value.name === undefined) this.fail('A class that stands alone needs a name', start)
    return { type: 'class-declaration', start, name: value.name, value }
  }

  private mayBeEnum(): boolean {
    const code = this.source.charCodeAt(this.afterSpaces())
    return code === 101 || code === 47 || code < 32 || code > 127
  }

  private functionDeclaration(start: number, isAsync: boolean): Statement | undefined {
    this.next()
    const isGenerator = this.eat('*')
    if (this.kind !== NAME) this.unexpected()
    const name = this.text
    this.checkName(name, this.start)
    this.next()
    if (this.isOverload()) return { type: 'empty', start }
    return {
      type: 'function-declaration',
      start,
      name,
      value: this.functionRest({ start, name, isAsync, isGenerator }),
    }
  }

  /** Whether a function is a TypeScript overload: a signature without a body. */
  private isOverload(): boolean {
    if (!this.is('(') && !this.is('<')) return false
    const { source } = this
    // Nearly every function has a body, so only heads with another ending are examined.
    const place = this.place()
    const isSignature = this.attempt(() => {
      if (this.is('<')) this.skipTypeArguments()
      this.skipBalanced()
      if (this.is('{')) return false
      this.skipAnnotation()
      return !this.is('{') && (this.is(';') || this.lineBefore)
    })
    if (isSignature) this.eat(';')
    else this.restore(place)
    return isSignature && source.length > 0
  }

  private variables(kind: 'let' | 'const' | 'var'): Declaration {
    const { start } = this
    this.next()
    const items: { target: Target; value: Expression | undefined }[] = []
    do items.push(this.variable(kind))
    while (this.eat(','))
    return { type: 'declare', start, kind, items }
  }

  private variable(kind: string): { target: Target; value: Expression | undefined } {
    const { start } = this
    const target = this.binding()
    if (this.is('!') && this.peek(() => this.is(':'))) this.next()
    this.skipAnnotation()
    if (this.eat('=')) return { target, value: this.assignment() }
    const isHead = this.isWord('of') || this.isWord('in')
    const needsValue = kind === 'const' || target.type !== 'identifier'
    if (needsValue && !(this.inHead && isHead)) this.fail('This declaration needs a value', start)
    return { target, value: undefined }
  }

  private inHead = false

  /** Parses a single statement, such as the body of an `if` or a loop. */
  private statement(): Statement {
    const { start, kind, text } = this
    if (kind === MARK) {
      if (text === '{') return this.block()
      if (text === ';') {
        this.next()
        return { type: 'empty', start }
      }
    } else if (kind === NAME && this.isSpecial && !this.isEscaped) {
      const read = this.keyword(text, start)
      if (read !== undefined) return read
    }
    return this.expressionStatement(start)
  }

  /** Parses a statement that starts with a keyword; undefined for other words. */
  private keyword(text: string, start: number): Statement | undefined {
    switch (text) {
      case 'if':
        return this.ifStatement(start)
      case 'for':
        return this.forStatement(start)
      case 'while':
        return this.whileStatement(start)
      case 'do':
        return this.doStatement(start)
      case 'return':
        return this.returnStatement(start)
      case 'throw':
        return this.throwStatement(start)
      case 'break':
      case 'continue':
        return this.jump(start, text)
      case 'try':
        return this.tryStatement(start)
      case 'switch':
        return this.switchStatement(start)
      case 'debugger':
      case 'with':
      case 'import':
      case 'export':
      case 'enum':
        return this.refuse(text)
      default:
        return undefined
    }
  }

  private body(): Statement {
    this.enter()
    if (this.kind === NAME && !this.isEscaped) {
      const isFunction =
        this.text === 'function' ||
        (this.text === 'async' && this.peek(() => this.isWord('function') && !this.lineBefore))
      const isLexical =
        this.text === 'const' || this.text === 'class' || (this.text === 'let' && this.peek(() => !this.is('=>')))
      if (isFunction || isLexical) this.fail('Put braces around this declaration')
      if (this.text === 'var') {
        const declared = this.variables('var')
        this.semicolon()
        this.depth -= 1
        return declared
      }
    }
    const body = this.statement()
    this.depth -= 1
    return body
  }

  private expressionStatement(start: number): Statement {
    const isName = this.kind === NAME
    const value = this.expression()
    if (isName && value.type === 'identifier' && this.is(':') && !this.inParens.has(value)) {
      this.checkName(value.name, start)
      this.next()
      if (this.isWord('function') || this.isWord('async')) {
        if (this.isWord('function') || this.peek(() => this.isWord('function'))) this.refuse('labelled-function', start)
      }
      return { type: 'label', start, label: value.name, body: this.body() }
    }
    this.semicolon()
    return { type: 'expression', start, value }
  }

  private test(): Expression {
    this.expect('(')
    const test = this.expression()
    this.expect(')')
    return test
  }

  private ifStatement(start: number): Statement {
    this.next()
    const test = this.test()
    const then = this.body()
    let otherwise: Statement | undefined
    if (this.isWord('else')) {
      this.next()
      otherwise = this.body()
    }
    return { type: 'if', start, test, then, otherwise }
  }

  private whileStatement(start: number): Statement {
    this.next()
    return { type: 'while', start, test: this.test(), body: this.body() }
  }

  private doStatement(start: number): Statement {
    this.next()
    const body = this.body()
    if (!this.isWord('while')) this.unexpected()
    this.next()
    const test = this.test()
    this.eat(';')
    return { type: 'do-while', start, test, body }
  }

  private returnStatement(start: number): Statement {
    this.next()
    const isBare = this.is(';') || this.is('}') || this.kind === END || this.lineBefore
    const value = isBare ? undefined : this.expression()
    this.semicolon()
    return { type: 'return', start, value }
  }

  private throwStatement(start: number): Statement {
    this.next()
    if (this.lineBefore) this.fail('What is thrown stands on the same line as `throw`')
    const value = this.expression()
    this.semicolon()
    return { type: 'throw', start, value }
  }

  private jump(start: number, type: 'break' | 'continue'): Statement {
    this.next()
    let label: string | undefined
    if (this.kind === NAME && !this.lineBefore && !isReserved(this.text)) {
      label = this.text
      this.next()
    }
    this.semicolon()
    return { type, start, label }
  }

  private tryStatement(start: number): Statement {
    this.next()
    const block = this.block()
    let parameter: Target | undefined
    let handler: Block | undefined
    let finalizer: Block | undefined
    if (this.isWord('catch')) {
      this.next()
      if (this.eat('(')) {
        parameter = this.binding()
        this.skipAnnotation()
        this.expect(')')
      }
      handler = this.block()
    }
    if (this.isWord('finally')) {
      this.next()
      finalizer = this.block()
    }
    if (handler === undefined && finalizer === undefined) this.fail('A `try` needs a `catch` or a `finally`')
    return { type: 'try', start, block, parameter, handler, finalizer }
  }

  private switchStatement(start: number): SwitchStatement {
    this.next()
    const value = this.test()
    this.expect('{')
    const cases: { test: Expression | undefined; body: Statement[] }[] = []
    while (!this.eat('}')) {
      let test: Expression | undefined
      if (this.isWord('case')) {
        this.next()
        test = this.expression()
      } else if (this.isWord('default')) {
        if (cases.some((one) => one.test === undefined)) this.fail('A `switch` has one `default`')
        this.next()
      } else this.unexpected()
      this.expect(':')
      const body: Statement[] = []
      while (!this.isWord('case') && !this.isWord('default') && !this.is('}')) this.listItem(body)
      cases.push({ test, body })
    }
    return { type: 'switch', start, value, cases }
  }

  private forStatement(start: number): Statement {
    this.next()
    let isAwait = false
    if (this.isWord('await')) {
      if (!this.canAwait) this.refuse('await-sync')
      isAwait = true
      this.next()
    }
    this.expect('(')
    const init = this.forHead()
    if (this.isWord('of')) return this.forEach(start, init, isAwait)
    if (this.isWord('in')) {
      if (isAwait) this.unexpected()
      return this.forEach(start, init, false)
    }
    if (isAwait) this.unexpected()
    this.expect(';')
    const test = this.is(';') ? undefined : this.expression()
    this.expect(';')
    const update = this.is(')') ? undefined : this.expression()
    this.expect(')')
    return { type: 'for', start, init, test, update, body: this.body() }
  }

  private forHead(): Declaration | Expression | undefined {
    if (this.is(';')) return undefined
    const { text } = this
    this.noIn = true
    this.inHead = true
    const isDeclared = this.kind === NAME && (text === 'let' || text === 'const' || text === 'var')
    const init = isDeclared ? this.variables(text) : this.expression()
    this.noIn = false
    this.inHead = false
    return init
  }

  private forEach(start: number, init: Declaration | Expression | undefined, isAwait: boolean): ForEach {
    const type = this.text === 'of' ? 'for-of' : 'for-in'
    if (init === undefined) this.unexpected()
    let target: Target
    let kind: 'let' | 'const' | 'var' | undefined
    if (init.type === 'declare') {
      const [first] = init.items
      if (first === undefined || init.items.length > 1 || first.value !== undefined) this.unexpected()
      target = first.target
      kind = init.kind
    } else target = this.toTarget(init)
    this.next()
    const source = type === 'for-of' ? this.assignment() : this.expression()
    this.expect(')')
    return { type, start, kind, target, source, body: this.body(), isAwait }
  }
}

function isOperatorWord(word: string): boolean {
  return word === 'in' || word === 'of' || word === 'instanceof' || word === 'as' || word === 'satisfies'
}
