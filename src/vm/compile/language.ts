import type { Closure, Code, Frame, GuestFunction } from '../value/guest-function.ts'
import type { Operation } from '../value/operators.ts'
import type { Emitter } from './emitter.ts'
import type { Ex, St } from './ir.ts'
import type { Lowering } from './lowering.ts'

/** Runs a statement: gives `NEXT`, an exit, `SUSPEND`, or the value that the function returns. */
export type Action = (frame: Frame) => unknown

export type Fields = Readonly<Record<string, unknown>>
export type LowerExpr = (node: Fields, low: Lowering) => Ex
export type LowerStep = (step: Fields, low: Lowering) => readonly St[]
export type EmitExpr = (node: never, emit: Emitter) => Closure
export type EmitStep = (node: never, emit: Emitter) => Action

/** Functions of a program that stand in for built-ins whose callbacks may run long. */
export interface ListMethods {
  get(name: string): GuestFunction | undefined
  /** By the number that snapshots know it by, which is below 0. */
  codeAt(id: number): Code | undefined
}

/**
 * Everything the compiler knows about nodes, in tables. JSON programs need the core; scripts lay theirs over it; a family
 * that also computes labels would lay a third set of emitters over both, without the compiler noticing.
 */
export interface Language {
  readonly isScript: boolean
  readonly lowerExprs: ReadonlyMap<string, LowerExpr>
  readonly lowerSteps: ReadonlyMap<string, LowerStep>
  readonly operations: ReadonlyMap<string, Operation>
  /** Closures of expressions. */
  readonly exprs: ReadonlyMap<string, EmitExpr>
  /** Closures of statements that run to their end. */
  readonly steps: ReadonlyMap<string, EmitStep>
  /** Closures of statements that can be put aside. */
  readonly resumables: ReadonlyMap<string, EmitStep>
  /** The statements of a block, one after the other. */
  readonly statements: (statements: readonly St[], emit: Emitter) => Action
  /** Makes the functions that a block declares. */
  readonly functions: (statements: readonly St[], emit: Emitter) => Action[]
  readonly listMethods?: ListMethods | undefined
  /** Takes a statement apart so that waits and calls stand alone. */
  readonly hoist: (step: St, emit: Emitter) => readonly St[]
}
