import type { AtomSpec } from '../port.ts'
import type { Frame } from '../value/guest-function.ts'
import type { Variable } from './lower/scope.ts'
import type { Ex, Node, Var, ObjectEx, Call, Method, Fn, YieldKind } from './ir.ts'

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
  /** Variables of a JSON program that are local to this block. */
  readonly names?: readonly string[] | undefined
  /** Constants of a JSON program that are local to this block. */
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
  /** Receives the thrown value or, in JSON programs, its message; `errorOp` receives the failed step. */
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
/** Yields a value; the value sent by the consumer goes to a slot. */
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
