import type { Json } from '../../core/index.ts'
import type { Position } from '../../expr/index.ts'
import type { AtomSpec } from '../port.ts'
import type { Guest } from '../value/guest.ts'
import type { Frame } from '../value/guest-function.ts'
import type { FunctionInfo, Variable } from './lower/scope.ts'

/**
 * Programs between the wire and closures: checked, names resolved, and small enough that both ways of compiling a function
 * (run to its end, or put aside between statements) read the same tree.
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
  | Regex
  | New
  | Chain
  | Spread
  | ToList
  | Omit
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
  /** Among the items of a list: nothing is there. */
  readonly isHole?: true
}
/** A list or object that stands in the program; each evaluation makes it anew. */
export interface Data extends Node {
  readonly k: 'data'
  readonly json: Json
}
export interface Var extends Node {
  readonly k: 'var'
  readonly name: string
  /** Where nothing has the name, it is `undefined`. */
  readonly lenient?: boolean | undefined
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

/** A slot of the frame that no program can name. */
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
  readonly optional: boolean
  /** A member of nothing is nothing, as in JSON programs. */
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
  /** Where the method is that was found before arguments that wait or call. */
  readonly found?: Temp | undefined
}
/** The method of an object, without the call: what it has itself, else what its type has. */
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
  /** Sees no variable but its own: a helper of a JSON program. */
  readonly isIsolated: boolean
  /** Its name is a constant inside it; any other name only says what it is called. */
  readonly seesItself?: boolean | undefined
  /** Its own name, where its body uses it. */
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
export interface Regex extends Node {
  readonly k: 'regex'
  readonly pattern: string
  readonly flags: string
}
export interface New extends Node {
  readonly k: 'new'
  readonly callee: Ex
  readonly args: readonly Ex[]
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

/** Where labels are followed: a test, whose labels are those of what it decides. */
export interface BranchTest extends Node {
  readonly k: 'decide'
  readonly test: Ex
}
/** Where labels are followed: a part of a list or object that is being made; without a place, it says something of all of it. */
export interface LiteralPart extends Node {
  readonly k: 'part'
  readonly value: Ex
  readonly place: string | number | undefined
  /** It is what it is, whatever is said of all. */
  readonly isExplicit?: boolean | undefined
}
/** Where labels are followed: what a loop goes through. */
export interface IteratedItems extends Node {
  readonly k: 'iterated'
  readonly items: Ex
  readonly slots: readonly [list: number, bits: number, turn: number]
  readonly ofKeys: boolean
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
  | CallTo
  | Request
  | Append
  | ConstSet
  | LabelAction

/** What a step of a JSON program costs beside its expressions, and how errors and traces name it. */
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
export interface FnSt extends StNode {
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
  /** Variables to make when the block is entered, filled by the resolver. */
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
  /** Captured variables of the head: each turn has its own. */
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
  readonly body: Block
  readonly labels: readonly string[]
  variable?: Variable | undefined
  /** Slots that hold what is gone through, and where. */
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
export interface SwitchCase {
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
/** Waits for a value and puts it into a slot (below 0: nowhere). */
export interface AwaitTo extends StNode {
  readonly k: 'awaitto'
  readonly slot: number
  readonly value: Ex
}
/** Calls a function so that it can be put aside, and puts what it gives into a slot (below 0: nowhere). */
export interface CallTo extends StNode {
  readonly k: 'callto'
  readonly slot: number
  readonly call: Call | Method
}
/** An atom that leaves the VM; its outcome goes to a variable. */
export interface Request extends StNode {
  readonly k: 'request'
  readonly atom: AtomSpec
  readonly fields: ObjectEx
  readonly target: Var | undefined
}
/** Where labels are followed: something that is only done to labels. */
export interface LabelAction extends StNode {
  readonly k: 'mark'
  readonly act: (frame: Frame) => void
}
/** Adds an item to a list that a JSON program is making. */
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
