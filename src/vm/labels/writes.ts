import { children } from '../compile/children.ts'
import { writeRef } from '../compile/emit/emit-variables.ts'
import { emitUnlabelled } from '../compile/emit/emit-blocks.ts'
import type { Emitter } from '../compile/emit/emitter.ts'
import type { Assign, Ex, Index, Member, Temp, Update, Var } from '../compile/ir.ts'
import type { Append, ConstSet, LetSt, LabelAction, Return, SetTemp, St, Throw } from '../compile/ir-statements.ts'
import type { Action, EmitExpr, EmitStep } from '../compile/language.ts'
import type { AssignmentOperator, LogicalOperator, UnaryOperator } from '../compile/operators.ts'
import { locate } from '../compile/error-location.ts'
import type { Variable } from '../compile/lower/scope.ts'
import { NEXT } from '../machine/activation.ts'
import { live } from '../meter/live.ts'
import { toKey, toNumber } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import type { GuestArray } from '../value/guest-array.ts'
import type { Box, Closure, Frame } from '../value/guest-function.ts'
import { GuestObject } from '../value/guest-object.ts'
import type { Operation } from '../value/operators.ts'
import type { Shape } from '../value/shape.ts'
import { getKeyed, getNamed, pushItem } from '../value/property.ts'
import { deleteKey, setKeyed, setNamed } from '../value/set-member.ts'
import { LABEL_BITS, CHOSEN } from './bits.ts'
import { effectsIn } from './rules/effect-analysis.ts'
import {
  hasPartLabel,
  inheritedLabel,
  isHolder,
  noteChoice,
  labelWrite,
  partKey,
  partLabel,
  raiseLabel,
  setPartLabel,
  structureLabel,
} from './heap.ts'
import type { Holder } from './heap.ts'
import { withOwnLabel, noteMayThrow, labelWriter, pcLabel } from './rules/variables.ts'
import { fillsAbsent } from './rules/node-facts.ts'
import { ASSIGNMENT_RULES, UNARY_RULES } from './rules/operator-rules.ts'
import { unlabelledIn, variableOf } from './unlabelled-variables.ts'
import { endRegion } from './rules/regions.ts'
import { labelSlot } from './slots.ts'
import { noteTemp } from './temps.ts'

/** A declaration: the variable takes the label of its initial value. */
function declare(st: LetSt, emit: Emitter): Closure {
  const variable = st.variable!
  const base = emitUnlabelled(st, emit)
  if (unlabelledIn(emit).has(variable) || (st.value === undefined && st.kind === 'var')) return base
  const { slot, isCaptured } = variable
  if (isCaptured)
    return (frame) => {
      live.label = 0
      const value = base(frame)
      if (live.label !== 0) {
        noteMayThrow()
        ;(frame[slot] as Box).label |= live.label
      }
      return value
    }
  const at = labelSlot(emit.fn, slot)
  return (frame) => {
    live.label = 0
    const value = base(frame)
    frame[at] = live.label
    if (live.label !== 0) noteMayThrow()
    return value
  }
}

/** A statement that completes normally or throws, without `break`, `continue` or `return`. */
export function simpleStatement(st: St, emit: Emitter): Closure {
  if (st.k === 'let') return declare(st, emit)
  const run = emitUnlabelled(st, emit)
  if (st.k !== 'expr' || unlabelledIn(emit).isUnlabelled(st.value)) return run
  // Assignments set labels themselves.
  if (st.value.k === 'assign' || st.value.k === 'update') return run
  return (frame) => {
    live.label = 0
    const value = run(frame)
    if (live.label !== 0) noteMayThrow()
    return value
  }
}

export const assign = (base: EmitExpr) =>
  function labelled(node: Assign | Update, emit: Emitter): Closure {
    const { target } = node
    if (target.k === 'member' || target.k === 'index') return emitWrite(node, target, emit)
    if (unlabelledIn(emit).isUnlabelled(target)) return base(node as never, emit)
    const isNeeded = node.k === 'assign' ? conditionOf(node.op) : undefined
    if (isNeeded !== undefined) return assignIf(node as Assign, target, isNeeded, emit)
    const own = ownLocal(node)
    if (own !== undefined) return updateLocal(node, own, base, emit)
    const made = base(node as never, emit)
    const store = labelWriter(target, emit)
    return (frame) => {
      const outer = live.label
      if (outer !== 0) noteMayThrow()
      live.label = 0
      const value = made(frame)
      if (live.label !== 0) noteMayThrow()
      store(frame, live.label)
      live.label |= outer
      return value
    }
  }

/** The local variable of `x op= value` and `x++`, if the value does not read it. */
function ownLocal(node: Assign | Update): Variable | undefined {
  const variable = variableOf(node.target)
  if (variable === undefined || variable.isCaptured || variable.isChecked || variable.isConst) return undefined
  if (node.k === 'update') return variable
  return ASSIGNMENT_RULES[node.op as AssignmentOperator] !== 'computes' || mentions(node.value, variable)
    ? undefined
    : variable
}

function mentions(node: Ex | St, variable: Variable): boolean {
  return variableOf(node as Ex) === variable || children(node).some((part) => mentions(part, variable))
}

/** Updates a local in its slot with the closure without labels; the label is joined beside it. */
function updateLocal(node: Assign | Update, variable: Variable, base: EmitExpr, emit: Emitter): Closure {
  const made = unlabelledIn(emit).assuming([variable], () => base(node as never, emit))
  const at = labelSlot(emit.fn, variable.slot)
  return (frame) => {
    const outer = live.label
    if (outer !== 0) noteMayThrow()
    live.label = frame[at] as number
    const value = made(frame)
    if (live.label !== 0) noteMayThrow()
    frame[at] = live.label
    live.label |= outer
    return value
  }
}

type WriteCondition = (before: Guest) => boolean

/** Logical assignments evaluate and assign depending on the current value. */
const WRITE_CONDITIONS: Readonly<Record<LogicalOperator, WriteCondition>> = {
  '&&': Boolean,
  '||': (before) => !before,
  '??': (before) => before === null || before === undefined,
}

function conditionOf(op: string): WriteCondition | undefined {
  return ASSIGNMENT_RULES[op as AssignmentOperator] === 'chooses' ? WRITE_CONDITIONS[op as LogicalOperator] : undefined
}

/** `x &&= value`: an implicit flow from `x` into everything that evaluating the value may write, whether or not it is evaluated. */
function assignIf(node: Assign, target: Var | Temp, isNeeded: WriteCondition, emit: Emitter): Closure {
  const read = emit.ex(target)
  const write = target.k === 'var' ? writeRef(target) : slotWriter(target.slot)
  const value = emit.ex(node.value)
  const store = labelWriter(target, emit)
  const meeting = { effects: effectsIn([node], emit), emit }
  return (frame) => {
    const outer = live.label
    if (outer !== 0) noteMayThrow()
    live.label = 0
    const before = read(frame)
    const test = live.label
    const saved = live.pc
    if (test !== 0) live.pc |= test | CHOSEN
    let made = before
    if (isNeeded(before)) {
      live.label = 0
      made = value(frame)
      if (live.label !== 0) noteMayThrow()
      if (test !== 0) live.label |= test | CHOSEN
      write(frame, made)
      store(frame, live.label)
    } else if (test !== 0) live.label |= CHOSEN
    if (live.pc !== saved) endRegion(meeting, frame, saved)
    live.label |= outer
    return made
  }
}

function slotWriter(slot: number): (frame: Frame, value: Guest) => void {
  return (frame, value) => {
    frame[slot] = value
  }
}

/** How a write combines the current value and the value on its right. */
interface Change {
  readonly operation: Operation | undefined
  readonly isNeeded: WriteCondition | undefined
  readonly value: Closure
  /** `i++` evaluates to the old value. */
  readonly givesBefore: boolean
}

function changeOf(node: Assign | Update, emit: Emitter): Change {
  if (node.k === 'update')
    return {
      operation: (before) => toNumber(before) + node.by,
      isNeeded: undefined,
      value: () => undefined,
      givesBefore: !node.prefix,
    }
  const { op } = node
  const isNeeded = conditionOf(op)
  const operation = op === '' || isNeeded !== undefined ? undefined : emit.unit.language.operations.get(op)!
  return { operation, isNeeded, value: emit.ex(node.value), givesBefore: false }
}

function isKey(value: Guest): boolean {
  return typeof value !== 'object' || value === null
}

/** Sets a property; the reference, the key and the value have separate labels. */
function emitWrite(node: Assign | Update, target: Member | Index, emit: Emitter): Closure {
  const object = emit.ex(target.object)
  const key = target.k === 'index' ? emit.ex(target.key) : undefined
  const name = target.k === 'member' ? target.name : ''
  const { at } = target
  const { operation, isNeeded, value, givesBefore } = changeOf(node, emit)
  const readsFirst = operation !== undefined || isNeeded !== undefined
  const meeting = isNeeded === undefined ? undefined : { effects: effectsIn([(node as Assign).value], emit), emit }
  // Nothing else refers to a fresh object, so storing it does not depend on a selection.
  const isNew = fillsAbsent(node)
  const kept = isNew ? ~CHOSEN : -1
  const fast = target.k === 'member' && isNeeded === undefined ? emitFastWrite(target, emit) : undefined
  if (fast !== undefined) return emitNamedWrite(name, { operation, value, givesBefore, object, fast })
  return (frame) => {
    const outer = live.label
    if (outer !== 0) noteMayThrow()
    live.label = 0
    const holder = object(frame)
    const referenceLabel = live.label
    if (referenceLabel !== 0) noteMayThrow()
    live.label = 0
    const place: Guest = key === undefined ? name : key(frame)
    const lk = live.label === 0 ? 0 : live.label | CHOSEN
    if (lk !== 0) noteMayThrow()
    live.label = 0
    const before = readsFirst ? getKeyed(holder, place) : undefined
    // The previous part may have been a selected reference in another execution.
    const had = isNew && isHolder(holder) && isKey(place) ? partLabel(holder, partKey(holder, place)) & CHOSEN : 0
    if (readsFirst && isHolder(holder)) live.label |= partLabel(holder, partKey(holder, place)) | live.heapFloor
    if (readsFirst && holder instanceof GuestObject && holder.extra !== null && isKey(place))
      live.label |= inheritedLabel(holder, toKey(place))
    let made: Guest = before
    // The current value decides whether the property is set.
    const test = isNeeded === undefined ? 0 : live.label | referenceLabel | lk
    const isSet = isNeeded === undefined || isNeeded(before)
    const saved = live.pc
    if (test !== 0) live.pc |= test | CHOSEN
    if (isSet) made = value(frame)
    if (live.pc !== saved && meeting !== undefined) endRegion(meeting, frame, saved)
    if (isSet) {
      if (operation !== undefined) made = operation(before, made)
      const lv = live.label
      live.label |= referenceLabel | lk
      try {
        if (key === undefined) setNamed(holder, name, made)
        else setKeyed(holder, place, made)
      } catch (error) {
        throw locate(error, at)
      }
      if ((lv | referenceLabel | lk | test | live.pc) !== 0 || (isHolder(holder) && holder.label !== 0))
        labelWrite(holder, { key: place, value: made, bits: ((lv | test | lk) & kept) | had, referenceLabel, isNew })
    }
    if (test !== 0 && isHolder(holder)) labelTest(holder, place, (test | CHOSEN) & kept, referenceLabel | lk)
    if (test !== 0 && (referenceLabel & CHOSEN) !== 0) live.heapFloor |= referenceLabel
    // With a labelled key, any part may have been written.
    if (lk !== 0 && isHolder(holder)) raiseLabel(holder, (live.label | referenceLabel | lk) & LABEL_BITS & kept)
    live.label |= referenceLabel | lk | (test === 0 ? 0 : test | CHOSEN)
    if (live.label !== 0) noteMayThrow()
    live.label |= outer
    if (isNew) noteChoice(holder, referenceLabel)
    return givesBefore ? toNumber(before) : made
  }
}

/** Labels the implicit flow of a conditional write: only this part if reference and key are unlabelled, else the whole object. */
function labelTest(holder: Holder, place: Guest, test: number, referenceLabel: number): void {
  if (referenceLabel !== 0) return raiseLabel(holder, test)
  const key = partKey(holder, place)
  setPartLabel(holder, key, partLabel(holder, key) | test)
}

interface NamedWrite {
  readonly operation: Operation | undefined
  readonly value: Closure
  readonly givesBefore: boolean
  readonly object: Closure
  readonly fast: (holder: Guest, value: Guest) => Guest
}

/** Sets a property by a constant name, unconditionally. */
function emitNamedWrite(name: string, { operation, value, givesBefore, object, fast }: NamedWrite): Closure {
  let seen: Shape | null = null
  let slot = 0
  const miss = (holder: Guest): Guest => {
    if (holder instanceof GuestObject && holder.dict === null) {
      const index = holder.shape.slotOf(name)
      if (index !== undefined) {
        seen = holder.shape
        slot = index
      }
    }
    return getNamed(holder, name)
  }
  return (frame) => {
    const outer = live.label
    if (outer !== 0) noteMayThrow()
    live.label = 0
    const holder = object(frame)
    const referenceLabel = live.label
    if (referenceLabel !== 0) noteMayThrow()
    live.label = 0
    let made: Guest
    let before: Guest
    if (operation === undefined) made = value(frame)
    else {
      if (holder instanceof GuestObject && holder.shape === seen) before = holder.slots[slot]
      else {
        live.label = referenceLabel
        before = miss(holder)
        // A getter has labels of its own.
        live.label = live.label === referenceLabel ? 0 : live.label
        if (holder instanceof GuestObject && holder.extra !== null) live.label |= inheritedLabel(holder, name)
      }
      if ((live.heapFloor !== 0 || (holder as Holder).label !== 0) && isHolder(holder))
        live.label |= partLabel(holder, name) | live.heapFloor
      made = operation(before, value(frame))
    }
    const lv = live.label
    live.label |= referenceLabel
    if (operation !== undefined && holder instanceof GuestObject && holder.shape === seen) holder.slots[slot] = made
    else fast(holder, made)
    if ((lv | referenceLabel | live.pc) !== 0 || (holder as Holder).label !== 0) {
      const isNoted =
        (referenceLabel | live.pc) === 0 &&
        typeof made !== 'object' &&
        hasPartLabel(holder as unknown as Holder, name, lv)
      if (!isNoted) labelWrite(holder, { key: name, value: made, bits: lv, referenceLabel })
      noteMayThrow()
    }
    live.label = outer | lv | referenceLabel
    return givesBefore ? toNumber(before) : made
  }
}

/** The inline-cached property setter of scripts, if the language has one. */
function emitFastWrite(target: Member, emit: Emitter): ((holder: Guest, value: Guest) => Guest) | undefined {
  return emit.unit.language.put?.(target)
}

function deleteMember(node: Member | Index, emit: Emitter): Closure {
  const object = emit.ex(node.object)
  const key: Closure = node.k === 'member' ? () => node.name : emit.ex(node.key)
  return (frame) => {
    const outer = live.label
    if (outer !== 0) noteMayThrow()
    live.label = 0
    const holder = object(frame)
    const referenceLabel = live.label
    const place = key(frame)
    const bits = live.label
    if ((bits | live.pc) !== 0 && isHolder(holder))
      raiseLabel(holder, bits === 0 ? pcLabel() : bits | pcLabel() | CHOSEN)
    // With a labelled key any part of this object may have been deleted, but of no other.
    if ((referenceLabel & CHOSEN) !== 0) live.heapFloor |= referenceLabel
    if (bits !== 0) noteMayThrow()
    live.label = outer | bits
    return deleteKey(holder, place)
  }
}

export const unary = (base: EmitExpr) =>
  function labelled(node: { op: string; argument: Ex }, emit: Emitter): Closure {
    const { argument } = node
    const isDelete =
      UNARY_RULES[node.op as UnaryOperator].removes && (argument.k === 'member' || argument.k === 'index')
    return isDelete ? deleteMember(argument, emit) : base(node as never, emit)
  }

export function setTemp(st: SetTemp, emit: Emitter): Action {
  noteTemp(emit.fn, st)
  const value = withOwnLabel(st.value, emit)
  const at = labelSlot(emit.fn, st.slot)
  const isPlain = unlabelledIn(emit).isUnlabelled(st.value)
  const { slot } = st
  return (frame) => {
    frame[slot] = value(frame)
    frame[at] = isPlain ? 0 : live.label
    if (!isPlain && live.label !== 0) noteMayThrow()
    return NEXT
  }
}

export const returnValue = (base: EmitStep) =>
  function labelled(st: Return, emit: Emitter): Action {
    const value = base(st as never, emit)
    return (frame) => {
      live.label = 0
      const made = value(frame)
      if (live.label !== 0) noteMayThrow()
      return made
    }
  }

export const throwValue = (base: EmitStep) =>
  function labelled(st: Throw, emit: Emitter): Action {
    const run = base(st as never, emit)
    return (frame) => {
      live.label = 0
      return run(frame)
    }
  }

export function append(st: Append, emit: Emitter): Action {
  const list = emit.ex(st.list)
  const value = withOwnLabel(st.value, emit)
  const isPlain = unlabelledIn(emit).isUnlabelled(st.value)
  return (frame) => {
    live.label = 0
    const holder = list(frame) as GuestArray
    const referenceLabel = live.label
    if (referenceLabel !== 0) noteMayThrow()
    const made = value(frame)
    const lv = isPlain ? 0 : live.label
    if (lv !== 0) noteMayThrow()
    pushItem(holder, made)
    if ((lv | referenceLabel | live.pc) !== 0 || holder.label !== 0) {
      raiseLabel(holder, referenceLabel | pcLabel())
      setPartLabel(holder, holder.items.length - 1, lv | structureLabel(holder))
    }
    return NEXT
  }
}

export function constSet(st: ConstSet, emit: Emitter): Action {
  const write = writeRef(st.target)
  const store = labelWriter(st.target, emit)
  const value = withOwnLabel(st.value, emit)
  const isPlain = unlabelledIn(emit).isUnlabelled(st.value)
  return (frame) => {
    write(frame, value(frame))
    if (!isPlain && live.label !== 0) noteMayThrow()
    store(frame, isPlain ? 0 : live.label)
    return NEXT
  }
}

export function simpleStep(st: St, emit: Emitter): Action {
  const value = simpleStatement(st, emit)
  return (frame) => {
    value(frame)
    return NEXT
  }
}

export const statement = (base: EmitStep) =>
  function labelled(st: St, emit: Emitter): Action {
    return st.k === 'expr' && unlabelledIn(emit).isUnlabelled(st.value) ? base(st as never, emit) : simpleStep(st, emit)
  }

/** A statement that only updates labels. */
export function mark({ act }: LabelAction): Action {
  return (frame) => {
    act(frame)
    return NEXT
  }
}
