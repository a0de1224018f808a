import type { CapabilityTree } from '../port.ts'
import type { BuiltinFunction } from '../value/builtin-function.ts'
import type { Guest } from '../value/guest.ts'
import type { Closure, Frame, GuestFunction } from '../value/guest-function.ts'
import type { Operation } from '../value/operators.ts'
import type { Emitter } from './emit/emitter.ts'
import type { LabelTracking } from '../meter/live.ts'
import type { CapabilityValues } from './capabilities.ts'
import type { FunctionCode } from './code.ts'
import type { Ex, Fn, Member, Var } from './ir.ts'
import type { LetSt, St } from './ir-statements.ts'
import type { Lowering } from './lower/lowering.ts'
import type { WireFields } from './lower/node-fields.ts'
import type { Declarations, Resolver } from './lower/resolver.ts'

/** Executes a statement: returns `NEXT`, an exit, `SUSPEND`, or the return value of the function. */
export type Action = (frame: Frame) => unknown

/** Assigns a variable. */
export type Write = (frame: Frame, value: Guest) => void

export type Fields = Readonly<Record<string, unknown>>
export type LowerExpr = (node: Fields, low: Lowering) => Ex
export type LowerStep = (step: Fields, low: Lowering) => readonly St[]
export type EmitExpr = (node: never, emit: Emitter) => Closure
export type EmitStep = (node: never, emit: Emitter) => Action

interface StandInCall {
  readonly target: GuestFunction
  /** The receiver, the arguments, and extra inputs of the stand-in. */
  readonly args: readonly Guest[]
}

/** Guest implementations of built-ins with callbacks, which can be suspended inside the callback. */
export interface ListMethods {
  /** The stand-in for a built-in, if there is one and the callback may run long. */
  standIn(target: BuiltinFunction, receiver: Guest, args: readonly Guest[]): StandInCall | undefined
  /** The same, compiled with another language. */
  compiledIn(language: () => Language): ListMethods
}

/** What label tracking adds to the emitters of a language. */
export interface LabelEmitters {
  /** Creates the label tracker of one execution. */
  track(codes: readonly FunctionCode[]): LabelTracking
  /** Whether an expression can never carry a label, so that closures may access its slot directly. */
  isUnlabelled(node: Ex, emit: Emitter): boolean
  /** Reserves frame slots for labels, before the function is compiled. */
  reserve(fn: Fn): void
  /** Prepares parameters before the body: defaults and boxes. */
  prologue(fn: Fn, emit: Emitter): Closure[]
  body(code: FunctionCode, body: Closure, emit: Emitter): Closure
  /** The language without labels, used while no label has entered the run. */
  readonly base: Language
  resumable(code: FunctionCode, body: Action, emit: Emitter): Action
  /** A statement that always continues with the next one. */
  simpleStatement(st: St, emit: Emitter): Closure
}

/**
 * The node kinds of a language, in tables. JSON programs use the core; scripts extend it; label tracking (`labels/`)
 * replaces the emitters of either.
 */
export interface Language {
  readonly isScript: boolean
  readonly lowerExprs: ReadonlyMap<string, LowerExpr>
  /** The fields of each kind of expression. */
  readonly wireFields: WireFields
  readonly lowerSteps: ReadonlyMap<string, LowerStep>
  readonly operations: ReadonlyMap<string, Operation>
  /** Emitters of expressions. */
  readonly exprs: ReadonlyMap<string, EmitExpr>
  /** Emitters of statements in the native form. */
  readonly steps: ReadonlyMap<string, EmitStep>
  /** Emitters of statements in the resumable form. */
  readonly resumables: ReadonlyMap<string, EmitStep>
  /** The setter of a variable. */
  readonly writeRef: (node: Var) => Write
  /** A declaration with its value. */
  readonly emitLet?: ((st: LetSt, emit: Emitter) => Closure) | undefined
  /** The statements of a block in sequence. */
  readonly statements: (statements: readonly St[], emit: Emitter) => Action
  /** Creates the functions that a block declares. */
  readonly functions: (statements: readonly St[], emit: Emitter) => Action[]
  readonly listMethods?: ListMethods | undefined
  /** Hoists waits and calls out of a statement. */
  readonly hoist: (step: St, emit: Emitter) => readonly St[]
  readonly labels?: LabelEmitters | undefined
  /** Resolves the declarations of scripts. */
  readonly declarations?: ((resolver: Resolver, usesVar: boolean) => Declarations) | undefined
  /** Makes guest values of the host functions. */
  readonly capabilities?: ((tree: CapabilityTree) => CapabilityValues) | undefined
  /** Makes the setter of a named property. */
  readonly put?: ((target: Member) => (holder: Guest, value: Guest) => Guest) | undefined
}
