import type { Block } from './ir-statements.ts'
import type { Json } from '../../core/index.ts'
import type { Position } from '../../expr/index.ts'
import type { AtomSpec } from '../port.ts'
import type { Guest } from '../value/guest.ts'
import type { FunctionInfo, Variable } from './lower/scope.ts'

/**
 * The intermediate representation between JSON and closures: checked, with names resolved. Both forms of a function
 * (native, resumable) are compiled from the same tree.
 */
export type Ex =
  | Lit
  | Data
  | Var
  | Temp
  | Arg
  | Member
  | Index
  | Binary
  | Unary
  | Logical
  | Conditional
  | ListEx
  | ObjectEx
  | Template
  | Call
  | Method
  | Found
  | Fn
  | Assign
  | Update
  | Sequence
  | Await
  | Yield
  | Regex
  | New
  | Chain
  | Spread
  | ToList
  | Omit
  | ClassEx
  | Create
  | Super
  | Private
  | Strings
  | Input
  | BranchTest
  | LiteralPart
  | IteratedItems

export interface Node {
  readonly at?: Position | undefined
}

export interface Lit extends Node {
  readonly k: 'lit'
  readonly value: undefined | null | boolean | number | string
  /** A hole in a list literal. */
  readonly isHole?: true
}
/** A constant list or object; each evaluation makes a copy. */
export interface Data extends Node {
  readonly k: 'data'
  readonly json: Json
}
export interface Var extends Node {
  readonly k: 'var'
  readonly name: string
  /** An unknown name is `undefined` instead of an error. */
  readonly lenient?: boolean | undefined
  /** A declaration of a variable of a session. It may also set a constant or an uninitialized variable. */
  readonly declares?: boolean | undefined
  /** Filled by the resolver. */
  ref?: Reference | undefined
}
export type Reference =
  | { readonly to: 'local'; readonly variable: Variable }
  | { readonly to: 'box'; readonly variable: Variable; readonly up: number }
  | { readonly to: 'global'; readonly value: Guest }
  | { readonly to: 'args' }
  | { readonly to: 'argument' }
  | { readonly to: 'nothing' }

/** A temporary slot of the frame. */
export interface Temp extends Node {
  readonly k: 'temp'
  readonly slot: number
}
export interface Arg extends Node {
  readonly k: 'arg'
  readonly path: readonly string[]
}
export interface Member extends Node {
  readonly k: 'member'
  readonly object: Ex
  readonly name: string
  /** As the target of an assignment: makes an own property, without running a setter. */
  readonly defines?: boolean | undefined
  readonly optional: boolean
  /** A member of `null` or `undefined` is `undefined`, as in JSON programs. */
  readonly lenient: boolean
  readonly pattern?: string | undefined
}
export interface Index extends Node {
  readonly k: 'index'
  readonly object: Ex
  readonly key: Ex
  readonly optional: boolean
  readonly lenient: boolean
  readonly pattern?: string | undefined
}
export interface Binary extends Node {
  readonly k: 'binary'
  readonly op: string
  readonly left: Ex
  readonly right: Ex
}
export interface Unary extends Node {
  readonly k: 'unary'
  readonly op: string
  readonly argument: Ex
}
export interface Logical extends Node {
  readonly k: 'logical'
  readonly op: '&&' | '||' | '??'
  readonly left: Ex
  readonly right: Ex
}
export interface Conditional extends Node {
  readonly k: 'conditional'
  readonly test: Ex
  readonly then: Ex
  readonly otherwise: Ex
}
export interface ListEx extends Node {
  readonly k: 'list'
  readonly items: readonly Ex[]
}
export interface Property {
  readonly key: string | Ex
  readonly value: Ex
  /** The value is a function that reads or sets the property. */
  readonly kind?: 'get' | 'set' | undefined
}
export interface ObjectEx extends Node {
  readonly k: 'object'
  readonly properties: readonly (Property | Spread)[]
}
export interface Template extends Node {
  readonly k: 'template'
  readonly parts: readonly string[]
  readonly values: readonly Ex[]
}
export interface Call extends Node {
  readonly k: 'call'
  readonly callee: Ex
  readonly args: readonly Ex[]
  readonly optional: boolean
}
export interface Method extends Node {
  readonly k: 'method'
  readonly object: Ex
  readonly name: string | Ex
  readonly args: readonly Ex[]
  /** `object?.name()` */
  readonly optional: boolean
  /** `object.name?.()` */
  readonly optionalCall: boolean
  /** The temporary slot of a method that was looked up before arguments that wait or call. */
  readonly found?: Temp | undefined
}
/** A method lookup without the call: an own member, else a method of the type. */
export interface Found extends Node {
  readonly k: 'found'
  readonly object: Ex
  readonly name: string | Ex
}
export interface Fn extends Node {
  readonly k: 'fn'
  readonly name: string
  readonly params: readonly FnParam[]
  readonly body: Block
  readonly isAsync: boolean
  readonly isGenerator?: boolean | undefined
  /** Captures no variables: a helper of a JSON program. */
  readonly isIsolated: boolean
  /** The hidden first parameter: `this`, or in the constructor of a class the target of `new`. */
  readonly receives?: 'this' | 'new' | undefined
  /** The rest parameter holds all arguments: `arguments`. */
  readonly takesAll?: boolean | undefined
  /** Whether `new` may be used on it. */
  readonly isConstructor?: boolean | undefined
  /** A named function expression: the name is bound inside it. */
  readonly seesItself?: boolean | undefined
  /** The variable of its own name, if the body uses it. */
  self?: Variable | undefined
  info?: FunctionInfo | undefined
}
export interface FnParam {
  readonly name: string
  readonly initial?: Ex | undefined
  readonly isRest: boolean
  variable?: Variable | undefined
}
export interface Assign extends Node {
  readonly k: 'assign'
  /** Empty for plain `=`. */
  readonly op: string
  readonly target: Var | Member | Index | Temp
  readonly value: Ex
}
export interface Update extends Node {
  readonly k: 'update'
  readonly by: 1 | -1
  readonly prefix: boolean
  readonly target: Var | Member | Index | Temp
}
export interface Sequence extends Node {
  readonly k: 'sequence'
  readonly items: readonly Ex[]
}
export interface Await extends Node {
  readonly k: 'await'
  readonly argument: Ex
}
/** `yield value`; `yield* source`; or the point in a generator up to which its parameters are filled. */
export interface Yield extends Node {
  readonly k: 'yield'
  readonly kind: YieldKind
  readonly argument: Ex
}
export type YieldKind = 'value' | 'all' | 'start'
export interface Regex extends Node {
  readonly k: 'regex'
  readonly pattern: string
  readonly flags: string
}
export interface New extends Node {
  readonly k: 'new'
  readonly callee: Ex
  readonly args: readonly Ex[]
  /** For `super(…)`: the target of `new`. */
  readonly target?: Ex | undefined
}
/** A class: its constructor with a prototype, and its methods and accessors. */
export interface ClassEx extends Node {
  readonly k: 'class'
  readonly parent: Ex | undefined
  readonly value: Fn
  readonly members: readonly ClassMember[]
}
export interface ClassMember {
  readonly key: string | Ex
  readonly value: Ex
  readonly kind: 'method' | 'get' | 'set'
  readonly isStatic: boolean
}
/** The object that the constructor of a class initializes; its prototype is that of the target of `new`. */
export interface Create extends Node {
  readonly k: 'create'
  readonly argument: Ex
}
/** `super.name`: read from the parent class or its prototype, with `self` as receiver. */
export interface Super extends Node {
  readonly k: 'super'
  readonly object: Ex
  readonly key: Ex
  readonly self: Ex
  readonly isStatic: boolean
}
/** The private properties of an object, which is checked to have this one. */
export interface Private extends Node {
  readonly k: 'private'
  readonly object: Ex
  readonly name: string
  /** `has` gives whether there is one; `define` makes it. */
  readonly act: 'use' | 'has' | 'define'
}
/** The texts passed to the tag of a template. */
export interface Strings extends Node {
  readonly k: 'strings'
  readonly cooked: readonly (string | null)[]
  readonly raw: readonly string[]
}
export interface Chain extends Node {
  readonly k: 'chain'
  readonly expression: Ex
}
export interface Spread extends Node {
  readonly k: 'spread'
  readonly argument: Ex
}
export interface ToList extends Node {
  readonly k: 'tolist'
  readonly argument: Ex
  /** Maximum number of items to read. */
  readonly limit?: number | undefined
}
export interface Omit extends Node {
  readonly k: 'omit'
  readonly argument: Ex
  readonly keys: readonly Ex[]
}
/** An inline atom: computes from the resolved fields of a step. */
export interface Input extends Node {
  readonly k: 'input'
  readonly atom: AtomSpec
  readonly fields: ObjectEx
}

/** With label tracking: a branch test, whose label joins the program counter label. */
export interface BranchTest extends Node {
  readonly k: 'decide'
  readonly test: Ex
}
/** With label tracking: a part of a literal; without a key its label applies to the whole literal. */
export interface LiteralPart extends Node {
  readonly k: 'part'
  readonly value: Ex
  readonly place: string | number | undefined
  /** Whether it is an iterable whose items are spread here. */
  readonly isSpread?: boolean | undefined
  /** The label is recorded even if empty, and is not affected by the label of the whole. */
  readonly isExplicit?: boolean | undefined
}
/** With label tracking: the iterated value of a loop. */
export interface IteratedItems extends Node {
  readonly k: 'iterated'
  readonly items: Ex
  readonly slots: readonly [list: number, bits: number, turn: number]
  readonly ofKeys: boolean
  readonly isAwait?: boolean | undefined
}
