import type { Emitter } from '../../compile/emit/emitter.ts'
import type { Binary, Ex, ListEx, ObjectEx, Omit, LiteralPart, Property, Spread, ToList } from '../../compile/ir.ts'
import type { EmitExpr } from '../../compile/language.ts'
import type { BinaryOperator } from '../../compile/operators.ts'
import { locate } from '../../compile/error-location.ts'
import { TakenItems, firstOf, listOf } from '../../machine/iteration/iterate.ts'
import { live } from '../../meter/live.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray } from '../../value/guest-array.ts'
import type { Closure } from '../../value/guest-function.ts'
import { GuestObject, newObject } from '../../value/guest-object.ts'
import { CHOSEN } from '../bits.ts'
import { totalLabel, copyLabel, isHolder, raiseLabel, setPartLabel, structureLabel } from '../heap.ts'
import type { Holder } from '../heap.ts'
import { spreadItems } from './spreads.ts'
import { noteMayThrow } from './variables.ts'
import { mayThrow } from './node-facts.ts'
import { BINARY_RULES } from './operator-rules.ts'
import { operandsOf, unlabelledIn } from '../unlabelled-variables.ts'
import { labelSlot } from '../slots.ts'

/** Stack of labels of the literals being made: pairs of key and label. */
const partLabels: (string | number | undefined)[] = []

export function part({ value: node, place, isExplicit: isSaid, isSpread }: LiteralPart, emit: Emitter): Closure {
  const value = emit.ex(node)
  // Spreading a value that is not iterable throws, and so may a computed key.
  const isRisky = place === undefined || mayThrow(node)
  return (frame) => {
    live.label = 0
    let made = value(frame)
    if (isSpread === true && typeof made === 'object' && !(made instanceof GuestArray)) {
      const { items, bits } = spreadItems(made, live.label)
      made = new TakenItems(items as Guest[])
      live.label = bits
    } else if (isSpread === true && live.label !== 0) live.machine.flow!.noteIteration(live.label)
    // Getters run here, where what they read is noted.
    else if (place === undefined && made instanceof GuestObject && made.extra?.hasAccessors === true)
      made = plainCopy(made)
    // Without a key it is spread, or is a computed key itself: its label applies to the whole literal.
    if (place === undefined && isHolder(made)) live.label |= totalLabel(made) | live.heapFloor
    if (live.label !== 0 && isRisky) noteMayThrow()
    if (live.label !== 0 || isSaid === true) partLabels.push(place, live.label)
    return made
  }
}

function plainCopy(object: GuestObject): GuestObject {
  const made = newObject()
  for (const key of object.listKeys()) made.setComputed(key, object.get(key))
  return made
}

function literalPart(node: Ex, place: string | number | undefined, emit: Emitter): Ex {
  return unlabelledIn(emit).isUnlabelled(node) ? node : { k: 'part', value: node, place }
}

function spreadPart(node: Ex, emit: Emitter): Ex {
  const made = literalPart(node, undefined, emit)
  return made.k === 'part' ? { ...made, isSpread: true } : made
}

/** Makes the value, then labels its parts. The reference itself is unlabelled. */
function labelParts(base: EmitExpr, node: Ex, emit: Emitter): Closure {
  const make = base(node as never, emit)
  return (frame) => {
    const outer = live.label
    if (outer !== 0) noteMayThrow()
    const mark = partLabels.length
    const made = make(frame)
    if (partLabels.length > mark) applyPartLabels(made as unknown as Holder, mark)
    live.label = outer
    return made
  }
}

function applyPartLabels(made: Holder, mark: number): void {
  for (let i = mark; i < partLabels.length; i += 2) {
    const place = partLabels[i]
    const bits = partLabels[i + 1] as number
    if (place === undefined) raiseLabel(made, bits | CHOSEN)
    else setPartLabel(made, place, bits)
  }
  partLabels.length = mark
}

/** Object literals. A part with a constant key keeps its own label, also beside spread parts. */
export const object = (base: EmitExpr) =>
  function labelled(node: ObjectEx, emit: Emitter): Closure {
    const hasOpen = node.properties.some((property) => 'k' in property || typeof property.key !== 'string')
    const properties = node.properties.map((property): Property | Spread => {
      if ('k' in property) return { ...property, argument: literalPart(property.argument, undefined, emit) }
      if (typeof property.key !== 'string')
        return {
          ...property,
          key: literalPart(property.key, undefined, emit),
          value: literalPart(property.value, undefined, emit),
        }
      // Beside spread or computed parts, an unlabelled one is recorded explicitly.
      return {
        ...property,
        value: hasOpen ? explicitPart(property.value, property.key) : literalPart(property.value, property.key, emit),
      }
    })
    return labelParts(base, { ...node, properties }, emit)
  }

function explicitPart(value: Ex, place: string): Ex {
  return { k: 'part', value, place, isExplicit: true }
}

export const list = (base: EmitExpr) =>
  function labelled(node: ListEx, emit: Emitter): Closure {
    const hasSpread = node.items.some((item) => item.k === 'spread')
    const items = node.items.map((item, place) =>
      item.k === 'spread'
        ? { ...item, argument: spreadPart(item.argument, emit) }
        : literalPart(item, hasSpread ? undefined : place, emit),
    )
    return labelParts(base, { ...node, items }, emit)
  }

function taken(value: Guest, bits: number, limit: number | undefined): GuestArray {
  if (typeof value === 'object' && !(value instanceof GuestArray)) {
    const all = spreadItems(value, bits, limit)
    const made = new GuestArray(all.items as Guest[])
    if (all.bits !== 0) raiseLabel(made, all.bits)
    return made
  }
  if (bits !== 0) live.machine.flow!.noteIteration(bits)
  const made = limit === undefined ? listOf(value) : firstOf(value, limit)
  if (isHolder(value) && value.label !== 0) made.label = copyLabel(value.label)
  if ((bits | live.heapFloor) !== 0) raiseLabel(made, bits | live.heapFloor)
  return made
}

/** A copy of a list keeps the labels of its parts. */
export function toList(node: ToList, emit: Emitter): Closure {
  const argument = emit.ex(node.argument)
  const { at, limit } = node
  return (frame) => {
    const outer = live.label
    if (outer !== 0) noteMayThrow()
    live.label = 0
    const value = argument(frame)
    const bits = live.label
    if (bits !== 0) noteMayThrow()
    let made: GuestArray
    try {
      made = taken(value, bits, limit)
    } catch (error) {
      throw locate(error, at)
    }
    live.label = outer
    return made
  }
}

export const omit = (base: EmitExpr) =>
  function labelled(node: Omit, emit: Emitter): Closure {
    const all = (value: Ex): Ex => ({ k: 'part', value, place: undefined })
    return labelParts(base, { ...node, argument: all(node.argument), keys: node.keys.map(all) }, emit)
  }

/** Fast path: if all operands are locals, the closure without labels computes, and their labels are joined beside it. */
function computed(base: EmitExpr, node: Binary, emit: Emitter): Closure {
  const plain = unlabelledIn(emit)
  const operands = operandsOf(node)?.filter((variable) => !plain.has(variable))
  if (operands === undefined || operands.length === 0 || operands.length > 2) return base(node as never, emit)
  const run = plain.assuming(operands, () => base(node as never, emit))
  const [one, two = one] = operands.map(({ slot }) => labelSlot(emit.fn, slot)) as [number, number?]
  return (frame) => {
    live.label |= (frame[one] as number) | (frame[two] as number)
    return run(frame)
  }
}

/** `in` reads the structure. */
export const binary = (base: EmitExpr) =>
  function labelled(node: Binary, emit: Emitter): Closure {
    if (BINARY_RULES[node.op as BinaryOperator].looksAt === 'values') return computed(base, node, emit)
    const operation = emit.unit.language.operations.get(node.op)!
    const left = emit.ex(node.left)
    const right = emit.ex(node.right)
    return (frame) => {
      const key = left(frame)
      const target: Guest = right(frame)
      if (isHolder(target)) live.label |= structureLabel(target) | live.heapFloor
      return operation(key, target)
    }
  }
