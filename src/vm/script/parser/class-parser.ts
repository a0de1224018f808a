import type { ClassMember, ClassNode, Expression, FunctionNode, PrivateName } from './ast.ts'
import { LiteralParser } from './literal-parser.ts'
import { MARK, NAME, PRIVATE } from './scanner.ts'

/** TypeScript modifiers of a member, which only concern types. */
const typeWords: ReadonlySet<string> = new Set(['public', 'private', 'protected', 'readonly', 'override', 'declare'])

/** The head of a member: the modifiers before its key. */
interface MemberHead {
  readonly start: number
  readonly isStatic: boolean
}

/** Classes. */
export abstract class ClassParser extends LiteralParser {
  /** Parses the expression after `extends`, which has no operators. */
  protected abstract heritage(): Expression
  protected abstract semicolon(): void

  /** Parses a class, from the keyword `class`. */
  protected classNode(start: number): ClassNode {
    this.enter()
    this.next()
    let name: string | undefined
    if (this.kind === NAME && !this.isWord('extends') && !this.isWord('implements')) {
      name = this.text
      this.checkName(name, this.start)
      this.next()
    }
    if (this.is('<')) this.skipTypeArguments()
    let parent: Expression | undefined
    if (this.isWord('extends')) {
      this.next()
      parent = this.heritage()
      if (this.is('<')) this.skipTypeArguments()
    }
    if (this.isWord('implements')) this.skipImplements()
    const members = this.unmarked(() => this.classBody())
    this.depth -= 1
    return { type: 'class', start, name, parent, members }
  }

  private skipImplements(): void {
    do {
      this.next()
      this.skipType()
    } while (this.is(','))
  }

  private classBody(): ClassMember[] {
    const members: ClassMember[] = []
    this.expect('{')
    while (!this.is('}')) {
      if (this.eat(';')) continue
      const member = this.classMember()
      if (member !== undefined) members.push(member)
    }
    this.next()
    if (members.filter(isConstructor).length > 1) this.fail('A class has one constructor')
    return members
  }

  /** Whether the current word is a modifier before a key, and not the key itself. */
  private isModifier(): boolean {
    if (this.kind !== NAME || this.isEscaped) return false
    return this.peek(() => !(this.kind === MARK && '( = ; } : ? ! < ,'.split(' ').includes(this.text)))
  }

  private skipTypeWords(): void {
    while (this.kind === NAME && typeWords.has(this.text) && this.isModifier()) this.next()
  }

  private classMember(): ClassMember | undefined {
    const { start } = this
    if (this.is('@')) this.refuse('decorator')
    this.skipTypeWords()
    let isStatic = false
    if (this.isWord('static') && this.isModifier()) {
      isStatic = true
      this.next()
      if (this.is('{')) return this.staticBlock(start)
      this.skipTypeWords()
    }
    if (this.kind === NAME && this.text === 'abstract' && this.isModifier()) return this.skipAbstract()
    return this.memberRest({ start, isStatic })
  }

  private skipAbstract(): undefined {
    while (!this.is(';') && !this.is('}')) {
      if (this.is('(') || this.is('{') || this.is('[')) this.skipBalanced()
      else this.next()
      if (this.lineBefore && !this.is(':') && !this.is('{') && !this.is('|')) break
    }
    this.eat(';')
    return undefined
  }

  private staticBlock(start: number): ClassMember {
    const body = this.inFunction({ isAsync: false, isGenerator: false }, () => this.functionBody())
    const value: FunctionNode = {
      type: 'function',
      start,
      name: undefined,
      parameters: [],
      rest: undefined,
      body,
      isAsync: false,
      isGenerator: false,
      isArrow: true,
    }
    return { start, kind: 'block', isStatic: true, key: '', value }
  }

  private memberRest({ start, isStatic }: MemberHead): ClassMember | undefined {
    let kind: 'method' | 'get' | 'set' = 'method'
    let isAsync = false
    if (this.isWord('async') && this.isModifier() && this.peek(() => !this.lineBefore)) {
      isAsync = true
      this.next()
    } else if ((this.isWord('get') || this.isWord('set')) && this.isModifier()) {
      kind = this.text as 'get' | 'set'
      this.next()
    }
    const isGenerator = kind === 'method' && this.eat('*')
    const isName = this.kind === NAME
    const key = this.memberKey()
    const name = typeof key === 'string' ? key : key.type === 'private' ? key.name : undefined
    if (this.is('?') || this.is('!')) this.next()
    if (!this.is('(') && !this.is('<')) return this.field({ start, isStatic }, key)
    if (this.isSignature()) return undefined
    if (isName && key === 'constructor' && !isStatic && (isAsync || isGenerator || kind !== 'method'))
      this.fail('The constructor of a class is a plain method', start)
    const value = this.functionRest({ start, name, isAsync, isGenerator, isMethod: true })
    return { start, kind, isStatic, key, value }
  }

  protected memberKey(): string | Expression {
    return this.kind === PRIVATE ? this.privateName() : this.key()
  }

  protected privateName(): PrivateName {
    const { start, text } = this
    this.next()
    return { type: 'private', start, name: text }
  }

  /** A method without a body: TypeScript's overloads. */
  private isSignature(): boolean {
    const place = this.place()
    const isOne = this.attempt(() => {
      if (this.is('<')) this.skipTypeArguments()
      this.skipBalanced()
      if (this.is('{')) return false
      this.skipAnnotation()
      return this.is(';') || (this.lineBefore && !this.is('{')) || this.is('}')
    })
    if (isOne) this.eat(';')
    else this.restore(place)
    return isOne
  }

  private field({ start, isStatic }: MemberHead, key: string | Expression): ClassMember {
    this.skipAnnotation()
    const value = this.eat('=')
      ? this.inFunction({ isAsync: false, isGenerator: false }, () => this.assignment())
      : undefined
    this.semicolon()
    return { start, kind: 'field', isStatic, key, value }
  }
}

function isConstructor({ key, isStatic, kind }: ClassMember): boolean {
  return key === 'constructor' && !isStatic && kind === 'method'
}
