import type { Json } from '../../core/index.ts'
import type { Position } from '../../expr/index.ts'
import type { AtomSpec } from '../port.ts'
import type { Guest } from '../value/guest.ts'
import type { Frame } from '../value/guest-function.ts'
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

interface Node {
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
  /** A declaration of a variable of a session: it sets a constant too, and one that is not set yet. */
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
}
export interface Index extends Node {
  readonly k: 'index'
  readonly object: Ex
  readonly key: Ex
  readonly optional: boolean
  readonly lenient: boolean
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
  /** The hidden first parameter: `this`, or in the constructor of a class what `new` was used on. */
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
type YieldKind = 'value' | 'all' | 'start'
export interface Regex extends Node {
  readonly k: 'regex'
  readonly pattern: string
  readonly flags: string
}
export interface New extends Node {
  readonly k: 'new'
  readonly callee: Ex
  readonly args: readonly Ex[]
  /** `super(…)`: what `new` was used on. */
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
/** The object that the constructor of a class fills; its prototype is that of what `new` was used on. */
export interface Create extends Node {
  readonly k: 'create'
  readonly argument: Ex
}
/** `super.name`, read for `self` from the parent class or its prototype. */
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
/** The texts that a tag of a template is given. */
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
  /** How many items are taken at most. */
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
  /** It is an iterable whose items are taken here. */
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

export type St =
  | ExprSt
  | LetSt
  | FnSt
  | Block
  | If
  | Loop
  | ForOf
  | Switch
  | Exit
  | Labeled
  | Throw
  | Try
  | Return
  | SetTemp
  | AwaitTo
  | YieldTo
  | CallTo
  | Request
  | Append
  | ConstSet
  | LabelAction

/** The cost of a step besides its expressions, and its name in errors and traces. */
interface StNode extends Node {
  readonly cost?: number | undefined
  readonly op?: string | undefined
  readonly path?: string | undefined
}
export interface ExprSt extends StNode {
  readonly k: 'expr'
  readonly value: Ex
}
export interface LetSt extends StNode {
  readonly k: 'let'
  readonly kind: 'let' | 'const' | 'var'
  readonly name: string
  readonly value: Ex | undefined
  variable?: Variable | undefined
}
interface FnSt extends StNode {
  readonly k: 'function'
  readonly fn: Fn
  variable?: Variable | undefined
}
export interface Block extends StNode {
  readonly k: 'block'
  readonly body: readonly St[]
  /** Variables of a JSON program that live in this block. */
  readonly names?: readonly string[] | undefined
  /** Constants of a JSON program that live in this block. */
  readonly once?: readonly string[] | undefined
  /** Variables to create on entry, filled by the resolver. */
  entry?: readonly Variable[] | undefined
}
export interface If extends StNode {
  readonly k: 'if'
  readonly test: Ex
  readonly then: Block
  readonly otherwise: Block | undefined
}
/** `while`, `do … while` and `for` in one. */
export interface Loop extends StNode {
  readonly k: 'loop'
  readonly init: readonly St[]
  readonly test: Ex | undefined
  readonly update: Ex | undefined
  readonly body: Block
  readonly testsLast: boolean
  readonly labels: readonly string[]
  /** Captured variables of the loop head: each iteration has its own. */
  fresh?: readonly Variable[] | undefined
  entry?: readonly Variable[] | undefined
}
export interface ForOf extends StNode {
  readonly k: 'forof'
  readonly name: string
  readonly kind: 'let' | 'const' | 'var'
  readonly items: Ex
  /** The keys of the value instead of its items. */
  readonly ofKeys: boolean
  /** `for await`: each item is awaited. */
  readonly isAwait?: boolean | undefined
  readonly body: Block
  readonly labels: readonly string[]
  variable?: Variable | undefined
  /** Slots of the iterated list and the index. */
  listSlot?: number | undefined
  indexSlot?: number | undefined
}
export interface Switch extends StNode {
  readonly k: 'switch'
  readonly value: Ex
  readonly cases: readonly SwitchCase[]
  entry?: readonly Variable[] | undefined
  valueSlot?: number | undefined
}
interface SwitchCase {
  readonly test: Ex | undefined
  readonly body: readonly St[]
}
export interface Exit extends StNode {
  readonly k: 'exit'
  readonly kind: 'break' | 'continue'
  readonly label: string | undefined
}
export interface Labeled extends StNode {
  readonly k: 'labeled'
  readonly label: string
  readonly body: St
}
export interface Throw extends StNode {
  readonly k: 'throw'
  readonly value: Ex
}
export interface Try extends StNode {
  readonly k: 'try'
  readonly block: Block
  readonly handler: Block | undefined
  /** Takes the thrown value, or in JSON programs its message, and `errorOp` the step that failed. */
  readonly param: Var | undefined
  readonly opParam: Var | undefined
  readonly finalizer: Block | undefined
}
export interface Return extends StNode {
  readonly k: 'return'
  readonly value: Ex | undefined
}
export interface SetTemp extends StNode {
  readonly k: 'settemp'
  readonly slot: number
  readonly value: Ex
}
/** Waits for a value and stores it in a slot (below 0: nowhere). */
export interface AwaitTo extends StNode {
  readonly k: 'awaitto'
  readonly slot: number
  readonly value: Ex
}
/** Yields a value; what is sent in goes to a slot. */
export interface YieldTo extends StNode {
  readonly k: 'yieldto'
  readonly kind: YieldKind
  readonly slot: number
  readonly value: Ex
}
/** A suspendable call; its result goes to a slot (below 0: nowhere). */
export interface CallTo extends StNode {
  readonly k: 'callto'
  readonly slot: number
  readonly call: Call | Method
}
/** A request to the host; its outcome goes to a variable. */
export interface Request extends StNode {
  readonly k: 'request'
  readonly atom: AtomSpec
  readonly fields: ObjectEx
  readonly target: Var | undefined
}
/** With label tracking: an update of labels only. */
export interface LabelAction extends StNode {
  readonly k: 'mark'
  readonly act: (frame: Frame) => void
}
/** Appends an item to the result list of a `map` or `filter` step. */
export interface Append extends StNode {
  readonly k: 'append'
  readonly list: Var
  readonly value: Ex
}
/** Sets a constant of a JSON program, once. */
export interface ConstSet extends StNode {
  readonly k: 'constset'
  readonly target: Var
  readonly value: Ex
}
