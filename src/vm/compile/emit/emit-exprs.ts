import { importValue } from '../../border/import.ts'

import { UNITS_PER_FUEL, burn, charge, live } from '../../meter/live.ts'
import { toKey, toNumber, toText, typeName } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray, ITEM_BYTES } from '../../value/guest-array.ts'
import type { Closure } from '../../value/guest-function.ts'
import { GuestObject, OBJECT_BYTES, PROPERTY_BYTES, newObject } from '../../value/guest-object.ts'
import { getNamed } from '../../value/property.ts'
import { concat } from '../../value/text/text.ts'
import { atomCost } from '../atom-cost.ts'
import { exprCost } from '../costs.ts'
import { binary } from './emit-binary.ts'
import type { Emitter } from './emitter.ts'
import type {
  Arg,
  Conditional,
  Data,
  Input,
  ListEx,
  Lit,
  Logical,
  ObjectEx,
  Property,
  Template,
  Temp,
  Unary,
} from '../ir.ts'
import type { EmitExpr } from '../language.ts'

const lit =
  ({ value }: Lit): Closure =>
  () =>
    value

const data =
  ({ json }: Data): Closure =>
  () =>
    importValue(json)

const temp =
  ({ slot }: Temp): Closure =>
  (frame) =>
    frame[slot] as Guest

function arg({ path }: Arg): Closure {
  return () => {
    let value = live.machine.args
    for (const name of path) {
      if (value === null || value === undefined) return undefined
      value = value instanceof GuestArray && /^\d+$/.test(name) ? value.items[Number(name)] : getNamed(value, name)
    }
    return value
  }
}

function unary(node: Unary, emit: Emitter): Closure {
  const argument = emit.ex(node.argument)
  switch (node.op) {
    case '!':
      return (frame) => !argument(frame)
    case '-':
      return (frame) => -toNumber(argument(frame))
    case '+':
      return (frame) => toNumber(argument(frame))
    default:
      return (frame) => typeName(argument(frame))
  }
}

function emitLogical(node: Logical, emit: Emitter): Closure {
  const left = emit.ex(node.left)
  const right = emit.ex(node.right)
  const cost = exprCost(node.right)
  if (node.op === '&&')
    return (frame) => {
      const value = left(frame)
      if (!value) return value
      live.fuel -= cost
      return right(frame)
    }
  if (node.op === '||')
    return (frame) => {
      const value = left(frame)
      if (value) return value
      live.fuel -= cost
      return right(frame)
    }
  const x = emit.slot(node.left)
  return (frame) => {
    const value = x < 0 ? left(frame) : (frame[x] as Guest)
    if (value !== null && value !== undefined) return value
    live.fuel -= cost
    return right(frame)
  }
}

function conditional(node: Conditional, emit: Emitter): Closure {
  const test = emit.ex(node.test)
  const then = emit.ex(node.then)
  const otherwise = emit.ex(node.otherwise)
  const thenCost = exprCost(node.then)
  const otherwiseCost = exprCost(node.otherwise)
  return (frame) => {
    if (test(frame)) {
      live.fuel -= thenCost
      return then(frame)
    }
    live.fuel -= otherwiseCost
    return otherwise(frame)
  }
}

function list(node: ListEx, emit: Emitter): Closure {
  const items = node.items.map((item) => emit.ex(item))
  const { length } = items
  const bytes = 48 + length * ITEM_BYTES
  return (frame) => {
    charge(bytes)
    const made: Guest[] = []
    for (let i = 0; i < length; i++) made.push(items[i]!(frame))
    return new GuestArray(made)
  }
}

/** An object literal with constant keys gets its shape at compile time. */
function object(node: ObjectEx, emit: Emitter): Closure {
  const properties = node.properties as readonly Property[]
  const values = properties.map((property) => emit.ex(property.value))
  const keys = properties.map((property) => (typeof property.key === 'string' ? property.key : emit.ex(property.key)))
  const shape = fixedShape(keys, emit)
  if (shape !== undefined) {
    const bytes = OBJECT_BYTES + (keys as string[]).reduce((sum, key) => sum + key.length + PROPERTY_BYTES, 0)
    const [first, second, third, fourth] = values
    if (values.length === 1 && first !== undefined)
      return (frame) => {
        charge(bytes)
        return new GuestObject(shape, [first(frame)])
      }
    if (values.length === 2 && first !== undefined && second !== undefined)
      return (frame) => {
        charge(bytes)
        return new GuestObject(shape, [first(frame), second(frame)])
      }
    if (values.length === 3 && first !== undefined && second !== undefined && third !== undefined)
      return (frame) => {
        charge(bytes)
        return new GuestObject(shape, [first(frame), second(frame), third(frame)])
      }
    if (values.length === 4 && fourth !== undefined)
      return (frame) => {
        charge(bytes)
        return new GuestObject(shape, [first!(frame), second!(frame), third!(frame), fourth(frame)])
      }
    return (frame) => {
      charge(bytes)
      const slots: Guest[] = []
      for (let i = 0; i < values.length; i++) slots.push(values[i]!(frame))
      return new GuestObject(shape, slots)
    }
  }
  return (frame) => {
    const made = newObject()
    for (let i = 0; i < values.length; i++) {
      const key = keys[i]!
      if (typeof key === 'string') made.set(key, values[i]!(frame))
      else {
        const name = toKey(key(frame))
        made.setComputed(name, values[i]!(frame))
      }
    }
    return made
  }
}

function fixedShape(keys: readonly (string | Closure)[], emit: Emitter): GuestObject['shape'] | undefined {
  let shape: GuestObject['shape'] | undefined = emit.unit.root
  const seen = new Set<string>()
  for (const key of keys) {
    if (typeof key !== 'string' || seen.has(key)) return undefined
    seen.add(key)
    shape = shape?.add(key)
  }
  return shape
}

function template(node: Template, emit: Emitter): Closure {
  const { parts } = node
  const values = node.values.map((value) => emit.ex(value))
  return (frame) => {
    let text = parts[0]!
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!(frame)
      text = concat(text, typeof value === 'string' ? value : toText(value))
      text = concat(text, parts[i + 1]!)
    }
    return text
  }
}

/** An inline atom: its fields are evaluated like those of an object. */
function input(node: Input, emit: Emitter): Closure {
  const fields = emit.ex(node.fields)
  const { atom } = node
  return (frame) => {
    const value = fields(frame) as GuestObject
    if (typeof atom.cost === 'function') burn(Math.round(atomCost(atom, value) * UNITS_PER_FUEL))
    return atom.inline!(value)
  }
}

/** Emitters of core expressions other than variables and properties. */
export const EMIT_EXPRS: readonly (readonly [string, EmitExpr])[] = [
  ['lit', lit],
  ['data', data],
  ['temp', temp],
  ['arg', arg],
  ['binary', binary],
  ['unary', unary],
  ['logical', emitLogical],
  ['conditional', conditional],
  ['list', list],
  ['object', object],
  ['template', template],
  ['input', input],
]
