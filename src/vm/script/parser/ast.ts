/** The syntax tree: a JavaScript subset without types. `start` is an offset into the source. */
export type Expression =
  | Literal
  | RegexLiteral
  | TemplateLiteral
  | Identifier
  | ArrayLiteral
  | ObjectLiteral
  | FunctionNode
  | Unary
  | Update
  | Binary
  | Logical
  | Conditional
  | Assign
  | Sequence
  | Call
  | New
  | Member
  | Chain
  | Await
  | ClassNode
  | This
  | SuperCall
  | SuperMember
  | NewTarget
  | PrivateName
  | TemplateStrings
  | Yield

interface Literal {
  readonly type: 'literal'
  readonly start: number
  readonly value: string | number | boolean | null
}
export interface RegexLiteral {
  readonly type: 'regex'
  readonly start: number
  readonly pattern: string
  readonly flags: string
}
export interface TemplateLiteral {
  readonly type: 'template'
  readonly start: number
  /** One more text than there are expressions. */
  readonly texts: readonly string[]
  readonly parts: readonly Expression[]
}
export interface Identifier {
  readonly type: 'identifier'
  readonly start: number
  readonly name: string
}
interface ArrayLiteral {
  readonly type: 'array'
  readonly start: number
  readonly items: readonly (Expression | Spread | null)[]
}
export interface ObjectLiteral {
  readonly type: 'object'
  readonly start: number
  readonly properties: readonly (Property | Spread)[]
}
export interface Property {
  readonly type: 'property'
  readonly start: number
  /** An expression for a computed key; otherwise its text. */
  readonly key: string | Expression
  readonly value: Expression
  readonly isShorthand: boolean
  /** A getter or a setter. */
  readonly kind?: 'get' | 'set'
  /** `{ a = 1 }`: legal only where the object turns out to be a pattern. */
  readonly coverDefault?: Expression
}
export interface Spread {
  readonly type: 'spread'
  readonly start: number
  readonly value: Expression
}
export interface FunctionNode {
  readonly type: 'function'
  readonly start: number
  readonly name: string | undefined
  readonly parameters: readonly Target[]
  readonly rest: Target | undefined
  readonly body: readonly Statement[] | Expression
  readonly isAsync: boolean
  readonly isGenerator: boolean
  readonly isArrow: boolean
  /** Whether it is a method or an accessor: named after its key, which it cannot refer to as a variable, and not a constructor. */
  readonly isMethod?: boolean | undefined
}
export interface ClassNode {
  readonly type: 'class'
  readonly start: number
  readonly name: string | undefined
  readonly parent: Expression | undefined
  readonly members: readonly ClassMember[]
}
export interface ClassMember {
  readonly start: number
  readonly kind: 'method' | 'get' | 'set' | 'field' | 'block'
  readonly isStatic: boolean
  readonly key: string | Expression
  readonly value: Expression | undefined
}
interface This {
  readonly type: 'this'
  readonly start: number
}
export interface SuperCall {
  readonly type: 'super-call'
  readonly start: number
  readonly args: readonly (Expression | Spread)[]
}
export interface SuperMember {
  readonly type: 'super-member'
  readonly start: number
  readonly property: string | Expression
}
interface NewTarget {
  readonly type: 'new-target'
  readonly start: number
}
/** `#name`: after a dot, as the key of a member, or before `in`. */
export interface PrivateName {
  readonly type: 'private'
  readonly start: number
  readonly name: string
}
/** The first argument of a template tag. A text with an invalid escape has no cooked form. */
interface TemplateStrings {
  readonly type: 'strings'
  readonly start: number
  readonly cooked: readonly (string | null)[]
  readonly raw: readonly string[]
}
interface Unary {
  readonly type: 'unary'
  readonly start: number
  readonly operator: string
  readonly value: Expression
}
interface Update {
  readonly type: 'update'
  readonly start: number
  readonly operator: '++' | '--'
  readonly isPrefix: boolean
  readonly target: Identifier | Member
}
interface Binary {
  readonly type: 'binary'
  readonly start: number
  readonly operator: string
  readonly left: Expression
  readonly right: Expression
}
interface Logical {
  readonly type: 'logical'
  readonly start: number
  readonly operator: '&&' | '||' | '??'
  readonly left: Expression
  readonly right: Expression
}
interface Conditional {
  readonly type: 'conditional'
  readonly start: number
  readonly test: Expression
  readonly then: Expression
  readonly otherwise: Expression
}
export interface Assign {
  readonly type: 'assign'
  readonly start: number
  readonly operator: string
  readonly target: Target
  readonly value: Expression
}
interface Sequence {
  readonly type: 'sequence'
  readonly start: number
  readonly items: readonly Expression[]
}
export interface Call {
  readonly type: 'call'
  readonly start: number
  readonly callee: Expression
  readonly args: readonly (Expression | Spread)[]
  readonly isOptional: boolean
}
export interface New {
  readonly type: 'new'
  readonly start: number
  readonly callee: Expression
  readonly args: readonly (Expression | Spread)[]
}
export interface Member {
  readonly type: 'member'
  readonly start: number
  readonly object: Expression
  readonly property: string | Expression
  readonly isOptional: boolean
}
/** Marks the end of the short-circuit of the `?.` inside. */
interface Chain {
  readonly type: 'chain'
  readonly start: number
  readonly value: Expression
}
interface Await {
  readonly type: 'await'
  readonly start: number
  readonly value: Expression
}

/** `yield value`, or `yield* source`. */
interface Yield {
  readonly type: 'yield'
  readonly start: number
  readonly value: Expression | undefined
  readonly isAll: boolean
}

/** The target of an assignment: a name, a property, or a pattern of those. */
export type Target = Identifier | Member | ArrayPattern | ObjectPattern | DefaultTarget
export interface ArrayPattern {
  readonly type: 'array-pattern'
  readonly start: number
  readonly items: readonly (Target | null)[]
  readonly rest: Target | undefined
}
export interface ObjectPattern {
  readonly type: 'object-pattern'
  readonly start: number
  readonly properties: readonly { readonly key: string | Expression; readonly target: Target }[]
  readonly rest: Target | undefined
}
interface DefaultTarget {
  readonly type: 'default'
  readonly start: number
  readonly target: Target
  readonly value: Expression
}

export type Statement =
  | Declaration
  | FunctionDeclaration
  | { readonly type: 'class-declaration'; readonly start: number; readonly name: string; readonly value: ClassNode }
  | { readonly type: 'expression'; readonly start: number; readonly value: Expression }
  | Block
  | { readonly type: 'empty'; readonly start: number }
  | {
      readonly type: 'if'
      readonly start: number
      readonly test: Expression
      readonly then: Statement
      readonly otherwise: Statement | undefined
    }
  | ForStatement
  | ForEach
  | { readonly type: 'while'; readonly start: number; readonly test: Expression; readonly body: Statement }
  | { readonly type: 'do-while'; readonly start: number; readonly test: Expression; readonly body: Statement }
  | { readonly type: 'return'; readonly start: number; readonly value: Expression | undefined }
  | { readonly type: 'throw'; readonly start: number; readonly value: Expression }
  | { readonly type: 'break' | 'continue'; readonly start: number; readonly label: string | undefined }
  | { readonly type: 'label'; readonly start: number; readonly label: string; readonly body: Statement }
  | TryStatement
  | SwitchStatement

export interface Block {
  readonly type: 'block'
  readonly start: number
  readonly body: readonly Statement[]
}
export interface Declaration {
  readonly type: 'declare'
  readonly start: number
  readonly kind: 'let' | 'const' | 'var'
  readonly items: readonly { readonly target: Target; readonly value: Expression | undefined }[]
}
interface FunctionDeclaration {
  readonly type: 'function-declaration'
  readonly start: number
  readonly name: string
  readonly value: FunctionNode
}
export interface ForStatement {
  readonly type: 'for'
  readonly start: number
  readonly init: Declaration | Expression | undefined
  readonly test: Expression | undefined
  readonly update: Expression | undefined
  readonly body: Statement
}
export interface ForEach {
  readonly type: 'for-of' | 'for-in'
  readonly start: number
  readonly kind: 'let' | 'const' | 'var' | undefined
  readonly target: Target
  readonly source: Expression
  readonly body: Statement
  readonly isAwait: boolean
}
export interface TryStatement {
  readonly type: 'try'
  readonly start: number
  readonly block: Block
  readonly parameter: Target | undefined
  readonly handler: Block | undefined
  readonly finalizer: Block | undefined
}
export interface SwitchStatement {
  readonly type: 'switch'
  readonly start: number
  readonly value: Expression
  readonly cases: readonly { readonly test: Expression | undefined; readonly body: readonly Statement[] }[]
}
