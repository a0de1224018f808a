import { NEXT } from '../../machine/activation.ts'
import type { Guest } from '../../value/guest.ts'
import type { Closure, Frame } from '../../value/guest-function.ts'
import type { Operation } from '../../value/operators.ts'
import type { Emitter } from './emitter.ts'
import type { Binary, Ex } from '../ir.ts'
import type { Action } from '../language.ts'

/** Operators computed inline when both operands are numbers. */
const IN_PLACE: readonly string[] = ['+', '-', '*', '/', '<', '<=', '>', '>=']

/**
 * An operand that needs no closure: a local, or an operator between a local and a local or constant;
 * `made` is the closure of any other.
 */
export interface Operand {
  /** Index of the operator in `IN_PLACE`, or below 0. */
  readonly sign: number
  readonly operation: Operation | undefined
  readonly x: number
  readonly y: number
  readonly constant: Guest
  readonly made: Closure | undefined
}

/** Fast path for numbers; calls the generic operation otherwise. */
function compute(sign: number, operation: Operation, a: Guest, b: Guest): Guest {
  if (typeof a === 'number' && typeof b === 'number')
    switch (sign) {
      case 0:
        return a + b
      case 1:
        return a - b
      case 2:
        return a * b
      case 3:
        return a / b
      case 4:
        return a < b
      case 5:
        return a <= b
      case 6:
        return a > b
      case 7:
        return a >= b
      default:
    }
  return operation(a, b)
}

/** Whether the language uses the binary operators of the core, not emitters that replace them. */
export function usesBaseOperators({ unit }: Emitter): boolean {
  return unit.language.exprs.get('binary') === binary
}

export function emitOperand(node: Ex, emit: Emitter): Operand {
  const none = { sign: -1, operation: undefined, x: -1, y: -1, constant: undefined, made: undefined }
  if (!usesBaseOperators(emit)) return { ...none, made: emit.ex(node) }
  const slot = emit.slot(node)
  if (slot >= 0) return { ...none, x: slot }
  return (node.k === 'binary' ? simple(node, emit) : undefined) ?? { ...none, made: emit.ex(node) }
}

export function operandOf({ sign, operation, x, y, constant, made }: Operand, frame: Frame): Guest {
  if (made !== undefined) return made(frame)
  const a = frame[x] as Guest
  return operation === undefined ? a : compute(sign, operation, a, y < 0 ? constant : (frame[y] as Guest))
}

function simple(node: Binary, emit: Emitter): Operand | undefined {
  const x = emit.slot(node.left)
  const y = emit.slot(node.right)
  if (x < 0 || (y < 0 && node.right.k !== 'lit')) return undefined
  const constant = node.right.k === 'lit' ? node.right.value : undefined
  const operation = emit.unit.language.operations.get(node.op)
  return { sign: IN_PLACE.indexOf(node.op), operation, x, y, constant, made: undefined }
}

export function binary(node: Binary, emit: Emitter): Closure {
  const operand = simple(node, emit)
  if (operand !== undefined) return (frame) => operandOf(operand, frame)
  const operation = emit.unit.language.operations.get(node.op)!
  const sign = IN_PLACE.indexOf(node.op)
  const left = emit.ex(node.left)
  const right = emit.ex(node.right)
  return (frame) => compute(sign, operation, left(frame), right(frame))
}

/** Assigns a local, without a closure for simple values. */
export function setLocal(slot: number, value: Ex, emit: Emitter): Action {
  const operand = emitOperand(value, emit)
  return (frame) => {
    frame[slot] = operandOf(operand, frame)
    return NEXT
  }
}
