import type { CapabilityTree } from '../port.ts'
import type { BuiltinFunction } from '../value/builtin-function.ts'
import type { Guest } from '../value/guest.ts'
import type { Closure, Frame, GuestFunction } from '../value/guest-function.ts'
import type { Operation } from '../value/operators.ts'
import type { Emitter } from './emit/emitter.ts'
import type { LabelTracking } from '../meter/live.ts'
import type { CapabilityValues } from './capabilities.ts'
import type { FunctionCode } from './code.ts'
import type { Ex, Fn, LetSt, Member, St, Var } from './ir.ts'
import type { Lowering } from './lower/lowering.ts'
import type { WireFields } from './lower/node-fields.ts'
import type { Declarations, Resolver } from './lower/resolver.ts'

/** Runs a statement: gives `NEXT`, an exit, `SUSPEND`, or the value that the function returns. */
export type Action = (frame: Frame) => unknown

/** Puts a value into a variable. */
export type Write = (frame: Frame, value: Guest) => void

export type Fields = Readonly<Record<string, unknown>>
export type LowerExpr = (node: Fields, low: Lowering) => Ex
export type LowerStep = (step: Fields, low: Lowering) => readonly St[]
export type EmitExpr = (node: never, emit: Emitter) => Closure
export type EmitStep = (node: never, emit: Emitter) => Action

export interface StandInCall {
  readonly target: GuestFunction
  /** The receiver, the arguments, and what the function needs besides. */
  readonly args: readonly Guest[]
}

/** Functions of a program that stand in for built-ins whose callbacks may run long. */
export interface ListMethods {
  /** What to call instead of a built-in, if there is such a function and the callback may run long. */
  standIn(target: BuiltinFunction, receiver: Guest, args: readonly Guest[]): StandInCall | undefined
  /** The same, compiled in another family of closures. */
  compiledIn(language: () => Language): ListMethods
}

/** What a family of closures that follows labels adds to those that compute. */
export interface LabelEmitters {
  /** What follows labels through one execution of these functions. */
  track(codes: readonly FunctionCode[]): LabelTracking
  /** Whether a variable can never carry a label, so that closures may use its slot as it is. */
  isUnlabelled(node: Ex, emit: Emitter): boolean
  /** Makes room for labels in the frames of a function, before it is compiled. */
  reserve(fn: Fn): void
  /** What happens to parameters before the body. */
  prologue(fn: Fn, emit: Emitter): Closure[]
  body(code: FunctionCode, body: Closure, emit: Emitter): Closure
  /** The language without labels, for what runs while nothing carries any. */
  readonly base: Language
  resumable(code: FunctionCode, body: Action, emit: Emitter): Action
  /** A statement that always goes on to the next. */
  simpleStatement(st: St, emit: Emitter): Closure
}

/**
 * Everything the compiler knows about nodes, in tables. JSON programs need the core; scripts lay theirs over it; the family
 * that also follows labels (`labels/`) lays a third set of emitters over either.
 */
export interface Language {
  readonly isScript: boolean
  readonly lowerExprs: ReadonlyMap<string, LowerExpr>
  /** The fields of each kind of expression. */
  readonly wireFields: WireFields
  readonly lowerSteps: ReadonlyMap<string, LowerStep>
  readonly operations: ReadonlyMap<string, Operation>
  /** Closures of expressions. */
  readonly exprs: ReadonlyMap<string, EmitExpr>
  /** Closures of statements that run to their end. */
  readonly steps: ReadonlyMap<string, EmitStep>
  /** Closures of statements that can be put aside. */
  readonly resumables: ReadonlyMap<string, EmitStep>
  /** The setter of a variable that an expression names. */
  readonly writeRef: (node: Var) => Write
  /** A declaration with its value. */
  readonly emitLet?: ((st: LetSt, emit: Emitter) => Closure) | undefined
  /** The statements of a block, one after the other. */
  readonly statements: (statements: readonly St[], emit: Emitter) => Action
  /** Makes the functions that a block declares. */
  readonly functions: (statements: readonly St[], emit: Emitter) => Action[]
  readonly listMethods?: ListMethods | undefined
  /** Takes a statement apart so that waits and calls stand alone. */
  readonly hoist: (step: St, emit: Emitter) => readonly St[]
  readonly labels?: LabelEmitters | undefined
  /** Gives the names that scripts declare their places. */
  readonly declarations?: ((resolver: Resolver, usesVar: boolean) => Declarations) | undefined
  /** Makes values of the functions of the world that programs may call by name. */
  readonly capabilities?: ((tree: CapabilityTree) => CapabilityValues) | undefined
  /** Makes what sets a property by name. */
  readonly put?: ((target: Member) => (holder: Guest, value: Guest) => Guest) | undefined
}
