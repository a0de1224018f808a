import { NEXT } from '../../../machine/activation.ts'
import { live } from '../../../meter/live.ts'
import { toNumber, typeName } from '../../../value/convert.ts'
import type { Closure } from '../../../value/guest-function.ts'
import { deleteKey } from '../../../value/set-member.ts'
import { exprCost } from '../../costs.ts'
import type { Emitter } from '../../emit/emitter.ts'
import type { Binary, Conditional, Ex, Unary } from '../../ir.ts'
import type { Action } from '../../language.ts'
import { locate } from '../../error-location.ts'
import { ARITHMETIC } from '../arithmetic.ts'
import type { Forms, MakeBinary } from '../arithmetic.ts'
import { CHOICES } from '../choices.ts'
import { COMPARISONS } from '../comparisons.ts'

/** `L` an uncaptured local, `K` a constant, `E` any other expression. */
type Form = 'L' | 'K' | 'E'

export function formOf(node: Ex, emit: Emitter): Form {
  if (emit.slot(node) >= 0) return 'L'
  return node.k === 'lit' && (typeof node.value === 'number' || typeof node.value === 'string') ? 'K' : 'E'
}

/** What an operator closure stores of an operand: slot, constant, or closure. */
export function operand(node: Ex, form: Form, emit: Emitter): unknown {
  if (form === 'L') return emit.slot(node)
  return form === 'K' && node.k === 'lit' ? node.value : emit.ex(node)
}

export function emitBinary(node: Binary, emit: Emitter): Closure {
  const forms: Forms<MakeBinary> | undefined = ARITHMETIC.get(node.op) ?? COMPARISONS.get(node.op)
  if (forms === undefined) {
    const operation = emit.unit.language.operations.get(node.op)!
    const left = emit.ex(node.left)
    const right = emit.ex(node.right)
    return (frame) => operation(left(frame), right(frame))
  }
  const leftForm = formOf(node.left, emit) === 'L' ? 'L' : 'E'
  const rightForm = formOf(node.right, emit)
  const make = forms[`${leftForm}${rightForm}`]
  return make(operand(node.left, leftForm, emit) as never, operand(node.right, rightForm, emit) as never)
}

interface Sides {
  readonly then: Action
  readonly thenCost: number
  /** Absent for an `if` without `else`. */
  readonly otherwise: Action | undefined
  readonly otherwiseCost: number
}

/** A branch between two closures; a comparison as test is merged into it. */
export function emitChoice(test: Ex, sides: Sides, emit: Emitter): Action {
  const { then, thenCost, otherwise, otherwiseCost } = sides
  const forms = test.k === 'binary' ? CHOICES.get(test.op) : undefined
  if (forms !== undefined && test.k === 'binary') {
    const right = formOf(test.right, emit)
    const left = formOf(test.left, emit) === 'L' && right !== 'E' ? 'L' : 'E'
    const form = right === 'K' ? (`${left}K` as const) : left === 'L' ? 'LL' : 'EE'
    const x = operand(test.left, left, emit)
    const y = form === 'EE' ? emit.ex(test.right) : operand(test.right, right, emit)
    return forms[form]({ x: x as never, y: y as never, then, thenCost, otherwise, otherwiseCost })
  }
  if (test.k === 'unary' && test.op === '!') return emitUnless(test.argument, sides, emit)
  const decide = emit.ex(test)
  return (frame) => {
    if (decide(frame)) {
      live.fuel -= thenCost
      return then(frame)
    }
    live.fuel -= otherwiseCost
    return otherwise === undefined ? NEXT : otherwise(frame)
  }
}

/** A branch on `!test`, without computing the negation. */
function emitUnless(test: Ex, { then, thenCost, otherwise, otherwiseCost }: Sides, emit: Emitter): Action {
  const decide = emit.ex(test)
  return (frame) => {
    if (!decide(frame)) {
      live.fuel -= thenCost
      return then(frame)
    }
    live.fuel -= otherwiseCost
    return otherwise === undefined ? NEXT : otherwise(frame)
  }
}

export function emitConditional(node: Conditional, emit: Emitter): Closure {
  const sides = {
    then: emit.ex(node.then),
    thenCost: exprCost(node.then),
    otherwise: emit.ex(node.otherwise),
    otherwiseCost: exprCost(node.otherwise),
  }
  return emitChoice(node.test, sides, emit) as Closure
}

export function emitUnary(node: Unary, emit: Emitter): Closure {
  if (node.op === 'delete') return emitDelete(node.argument, emit)
  if (node.op === 'typeof' && node.argument.k === 'var' && node.argument.ref?.to === 'nothing') return () => 'undefined'
  if (node.op === '-' && node.argument.k === 'lit' && typeof node.argument.value === 'number') {
    const value = -node.argument.value
    return () => value
  }
  const argument = emit.ex(node.argument)
  switch (node.op) {
    case '!':
      return (frame) => !argument(frame)
    case '-':
      return (frame) => {
        const value = argument(frame)
        return typeof value === 'number' ? -value : -toNumber(value)
      }
    case '+':
      return (frame) => toNumber(argument(frame))
    case '~':
      return (frame) => ~toNumber(argument(frame))
    case 'void':
      return (frame) => {
        argument(frame)
        return undefined
      }
    default:
      return (frame) => typeName(argument(frame))
  }
}

function emitDelete(node: Ex, emit: Emitter): Closure {
  if (node.k !== 'member' && node.k !== 'index') return () => true
  const object = emit.ex(node.object)
  const key: Closure = node.k === 'member' ? () => node.name : emit.ex(node.key)
  return (frame) => {
    const target = object(frame)
    const name = key(frame)
    try {
      return deleteKey(target, name)
    } catch (error) {
      throw locate(error, node.at)
    }
  }
}
