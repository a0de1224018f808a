import { children } from '../compile/children.ts'
import { writeRef } from '../compile/emit/emit-variables.ts'
import { emitUnlabelled } from '../compile/emit/emit-blocks.ts'
import type { Emitter } from '../compile/emit/emitter.ts'
import type {
  Append,
  Assign,
  ConstSet,
  Ex,
  Index,
  LetSt,
  Mark,
  Member,
  Return,
  SetTemp,
  St,
  Temp,
  Throw,
  Update,
  Var,
} from '../compile/ir.ts'
import type { Action, EmitExpr, EmitStep } from '../compile/language.ts'
import type { AssignmentOperator, LogicalOperator, UnaryOperator } from '../compile/operators.ts'
import { locate } from '../compile/located.ts'
import type { Variable } from '../compile/lower/scope.ts'
import { NEXT } from '../machine/activation.ts'
import { live } from '../meter/live.ts'
import { toNumber } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import type { GuestArray } from '../value/guest-array.ts'
import type { Box, Closure, Frame } from '../value/guest-function.ts'
import { GuestObject } from '../value/guest-object.ts'
import type { Operation } from '../value/operators.ts'
import type { Shape } from '../value/shape.ts'
import { getKeyed, getNamed, pushItem } from '../value/property.ts'
import { deleteKey, setKeyed, setNamed } from '../value/set-member.ts'
import { BITS, CHOSEN } from './bits.ts'
import { effectsIn } from './rules/effects.ts'
import { hasPart, isHolder, noteAmong, notePut, partKey, partOf, raise, setPart, wholeOf } from './heap.ts'
import type { Holder } from './heap.ts'
import { alone, guard, labelStore, led } from './rules/leaves.ts'
import { fills } from './rules/nodes.ts'
import { ASSIGNMENT_RULES, UNARY_RULES } from './rules/operator-rules.ts'
import { plainOf, variableOf } from './plain.ts'
import { meet } from './rules/regions.ts'
import { labelSlot } from './slots.ts'
import { noteTemp } from './temps.ts'

/** A variable is declared: what it holds has the labels of what it was given. */
function declare(st: LetSt, emit: Emitter): Closure {
  const variable = st.variable!
  const base = emitUnlabelled(st, emit)
  if (plainOf(emit).has(variable) || (st.value === undefined && st.kind === 'var')) return base
  const { slot, isCaptured } = variable
  if (isCaptured)
    return (frame) => {
      live.lab = 0
      const value = base(frame)
      if (live.lab !== 0) {
        guard()
        ;(frame[slot] as Box).label |= live.lab
      }
      return value
    }
  const at = labelSlot(emit.fn, slot)
  return (frame) => {
    live.lab = 0
    const value = base(frame)
    frame[at] = live.lab
    if (live.lab !== 0) guard()
    return value
  }
}

/** A statement that always goes on to the next. */
export function plainStatement(st: St, emit: Emitter): Closure {
  if (st.k === 'let') return declare(st, emit)
  const run = emitUnlabelled(st, emit)
  if (st.k !== 'expr' || plainOf(emit).isPlain(st.value)) return run
  // These look after labels themselves.
  if (st.value.k === 'assign' || st.value.k === 'update') return run
  return (frame) => {
    live.lab = 0
    const value = run(frame)
    if (live.lab !== 0) guard()
    return value
  }
}

export const assign = (base: EmitExpr) =>
  function labelled(node: Assign | Update, emit: Emitter): Closure {
    const { target } = node
    if (target.k === 'member' || target.k === 'index') return put(node, target, emit)
    if (plainOf(emit).isPlain(target)) return base(node as never, emit)
    const isNeeded = node.k === 'assign' ? neededBy(node.op) : undefined
    if (isNeeded !== undefined) return assignIf(node as Assign, target, isNeeded, emit)
    const own = ownLocal(node)
    if (own !== undefined) return changeLocal(node, own, base, emit)
    const made = base(node as never, emit)
    const store = labelStore(target, emit)
    return (frame) => {
      const outer = live.lab
      if (outer !== 0) guard()
      live.lab = 0
      const value = made(frame)
      if (live.lab !== 0) guard()
      store(frame, live.lab)
      live.lab |= outer
      return value
    }
  }

/** The variable that is changed by what is in it, where nothing else reads it meanwhile. */
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

/** The closure that computes works on the slot itself; its labels stay where they are. */
function changeLocal(node: Assign | Update, variable: Variable, base: EmitExpr, emit: Emitter): Closure {
  const made = plainOf(emit).treating([variable], () => base(node as never, emit))
  const at = labelSlot(emit.fn, variable.slot)
  return (frame) => {
    const outer = live.lab
    if (outer !== 0) guard()
    live.lab = frame[at] as number
    const value = made(frame)
    if (live.lab !== 0) guard()
    frame[at] = live.lab
    live.lab |= outer
    return value
  }
}

type Needed = (before: Guest) => boolean

/** Assignments that compute and set only when they must: what was there decides. */
const NEEDED: Readonly<Record<LogicalOperator, Needed>> = {
  '&&': Boolean,
  '||': (before) => !before,
  '??': (before) => before === null || before === undefined,
}

function neededBy(op: string): Needed | undefined {
  return ASSIGNMENT_RULES[op as AssignmentOperator] === 'chooses' ? NEEDED[op as LogicalOperator] : undefined
}

/** `x &&= value`: the labels of `x` lead while the value is computed, whatever it writes carries them, whether or not it is computed. */
function assignIf(node: Assign, target: Var | Temp, isNeeded: Needed, emit: Emitter): Closure {
  const read = emit.ex(target)
  const write = target.k === 'var' ? writeRef(target) : slotWriter(target.slot)
  const value = emit.ex(node.value)
  const store = labelStore(target, emit)
  const meeting = { effects: effectsIn([node], emit), emit }
  return (frame) => {
    const outer = live.lab
    if (outer !== 0) guard()
    live.lab = 0
    const before = read(frame)
    const test = live.lab
    const saved = live.pc
    if (test !== 0) live.pc |= test | CHOSEN
    let made = before
    if (isNeeded(before)) {
      live.lab = 0
      made = value(frame)
      if (live.lab !== 0) guard()
      if (test !== 0) live.lab |= test | CHOSEN
      write(frame, made)
      store(frame, live.lab)
    } else if (test !== 0) live.lab |= CHOSEN
    if (live.pc !== saved) meet(meeting, frame, saved)
    live.lab |= outer
    return made
  }
}

function slotWriter(slot: number): (frame: Frame, value: Guest) => void {
  return (frame, value) => {
    frame[slot] = value
  }
}

/** What a write computes from what was there and the value on its right. */
interface Change {
  readonly operation: Operation | undefined
  readonly isNeeded: Needed | undefined
  readonly value: Closure
  /** `i++` gives what was there. */
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
  const isNeeded = neededBy(op)
  const operation = op === '' || isNeeded !== undefined ? undefined : emit.unit.language.operations.get(op)!
  return { operation, isNeeded, value: emit.ex(node.value), givesBefore: false }
}

function isKey(value: Guest): boolean {
  return typeof value !== 'object' || value === null
}

/** Sets a property. The reference, the key and the value have their labels apart. */
function put(node: Assign | Update, target: Member | Index, emit: Emitter): Closure {
  const object = emit.ex(target.object)
  const key = target.k === 'index' ? emit.ex(target.key) : undefined
  const name = target.k === 'member' ? target.name : ''
  const { at } = target
  const { operation, isNeeded, value, givesBefore } = changeOf(node, emit)
  const readsFirst = operation !== undefined || isNeeded !== undefined
  const meeting = isNeeded === undefined ? undefined : { effects: effectsIn([(node as Assign).value], emit), emit }
  // A fresh object is not shared, so storing it does not depend on which of two objects was chosen.
  const isNew = fills(node)
  const kept = isNew ? ~CHOSEN : -1
  const fast = target.k === 'member' && isNeeded === undefined ? emitFastPut(target, emit) : undefined
  if (fast !== undefined) return putNamed(name, { operation, value, givesBefore, object, fast })
  return (frame) => {
    const outer = live.lab
    if (outer !== 0) guard()
    live.lab = 0
    const holder = object(frame)
    const through = live.lab
    if (through !== 0) guard()
    live.lab = 0
    const place: Guest = key === undefined ? name : key(frame)
    const lk = live.lab === 0 ? 0 : live.lab | CHOSEN
    if (lk !== 0) guard()
    live.lab = 0
    const before = readsFirst ? getKeyed(holder, place) : undefined
    // What was there could have been one of two things, also where it is none here.
    const had = isNew && isHolder(holder) && isKey(place) ? partOf(holder, partKey(holder, place)) & CHOSEN : 0
    if (readsFirst && isHolder(holder)) live.lab |= partOf(holder, partKey(holder, place)) | live.floor
    let made: Guest = before
    // Whether it is set at all depends on what was there.
    const test = isNeeded === undefined ? 0 : live.lab | through | lk
    const isSet = isNeeded === undefined || isNeeded(before)
    const saved = live.pc
    if (test !== 0) live.pc |= test | CHOSEN
    if (isSet) made = value(frame)
    if (live.pc !== saved && meeting !== undefined) meet(meeting, frame, saved)
    if (isSet) {
      if (operation !== undefined) made = operation(before, made)
      const lv = live.lab
      live.lab |= through | lk
      try {
        if (key === undefined) setNamed(holder, name, made)
        else setKeyed(holder, place, made)
      } catch (error) {
        throw locate(error, at)
      }
      if ((lv | through | lk | test | live.pc) !== 0 || (isHolder(holder) && holder.label !== 0))
        notePut(holder, { key: place, value: made, bits: ((lv | test | lk) & kept) | had, through, isNew })
    }
    if (test !== 0 && isHolder(holder)) noteTest(holder, place, (test | CHOSEN) & kept, through | lk)
    if (test !== 0 && (through & CHOSEN) !== 0) live.floor |= through
    // With a labelled key it may have been any of its parts.
    if (lk !== 0 && isHolder(holder)) raise(holder, (live.lab | through | lk) & BITS & kept)
    live.lab |= through | lk | (test === 0 ? 0 : test | CHOSEN)
    if (live.lab !== 0) guard()
    live.lab |= outer
    if (isNew) noteAmong(holder, through)
    return givesBefore ? toNumber(before) : made
  }
}

/** What was there decided whether it was set: by a reference and a key that carry nothing, that is said of this part alone. */
function noteTest(holder: Holder, place: Guest, test: number, way: number): void {
  if (way !== 0) return raise(holder, test)
  const key = partKey(holder, place)
  setPart(holder, key, partOf(holder, key) | test)
}

interface NamedPut {
  readonly operation: Operation | undefined
  readonly value: Closure
  readonly givesBefore: boolean
  readonly object: Closure
  readonly fast: (holder: Guest, value: Guest) => Guest
}

/** Sets a property by name, where nothing decides but the reference. */
function putNamed(name: string, { operation, value, givesBefore, object, fast }: NamedPut): Closure {
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
    const outer = live.lab
    if (outer !== 0) guard()
    live.lab = 0
    const holder = object(frame)
    const through = live.lab
    if (through !== 0) guard()
    live.lab = 0
    let made: Guest
    let before: Guest
    if (operation === undefined) made = value(frame)
    else {
      if (holder instanceof GuestObject && holder.shape === seen) before = holder.slots[slot]
      else {
        live.lab = through
        before = miss(holder)
        live.lab = 0
      }
      if ((live.floor !== 0 || (holder as Holder).label !== 0) && isHolder(holder))
        live.lab |= partOf(holder, name) | live.floor
      made = operation(before, value(frame))
    }
    const lv = live.lab
    live.lab |= through
    if (operation !== undefined && holder instanceof GuestObject && holder.shape === seen) holder.slots[slot] = made
    else fast(holder, made)
    if ((lv | through | live.pc) !== 0 || (holder as Holder).label !== 0) {
      const isNoted =
        (through | live.pc) === 0 && typeof made !== 'object' && hasPart(holder as unknown as Holder, name, lv)
      if (!isNoted) notePut(holder, { key: name, value: made, bits: lv, through })
      guard()
    }
    live.lab = outer | lv | through
    return givesBefore ? toNumber(before) : made
  }
}

/** The closure that scripts set properties with, where there is one: it remembers layouts. */
function emitFastPut(target: Member, emit: Emitter): ((holder: Guest, value: Guest) => Guest) | undefined {
  return emit.unit.language.put?.(target)
}

function remove(node: Member | Index, emit: Emitter): Closure {
  const object = emit.ex(node.object)
  const key: Closure = node.k === 'member' ? () => node.name : emit.ex(node.key)
  return (frame) => {
    const outer = live.lab
    if (outer !== 0) guard()
    live.lab = 0
    const holder = object(frame)
    const through = live.lab
    const place = key(frame)
    const bits = live.lab
    if ((bits | live.pc) !== 0 && isHolder(holder)) raise(holder, bits === 0 ? led() : bits | led() | CHOSEN)
    // With a labelled key it may have been any part of this, but of nothing else.
    if ((through & CHOSEN) !== 0) live.floor |= through
    if (bits !== 0) guard()
    live.lab = outer | bits
    return deleteKey(holder, place)
  }
}

export const unary = (base: EmitExpr) =>
  function labelled(node: { op: string; argument: Ex }, emit: Emitter): Closure {
    const { argument } = node
    const isDelete =
      UNARY_RULES[node.op as UnaryOperator].removes && (argument.k === 'member' || argument.k === 'index')
    return isDelete ? remove(argument, emit) : base(node as never, emit)
  }

export function setTemp(st: SetTemp, emit: Emitter): Action {
  noteTemp(emit.fn, st)
  const value = alone(st.value, emit)
  const at = labelSlot(emit.fn, st.slot)
  const isPlain = plainOf(emit).isPlain(st.value)
  const { slot } = st
  return (frame) => {
    frame[slot] = value(frame)
    frame[at] = isPlain ? 0 : live.lab
    if (!isPlain && live.lab !== 0) guard()
    return NEXT
  }
}

export const give = (base: EmitStep) =>
  function labelled(st: Return, emit: Emitter): Action {
    const value = base(st as never, emit)
    return (frame) => {
      live.lab = 0
      const made = value(frame)
      if (live.lab !== 0) guard()
      return made
    }
  }

export const fail = (base: EmitStep) =>
  function labelled(st: Throw, emit: Emitter): Action {
    const run = base(st as never, emit)
    return (frame) => {
      live.lab = 0
      return run(frame)
    }
  }

export function append(st: Append, emit: Emitter): Action {
  const list = emit.ex(st.list)
  const value = alone(st.value, emit)
  const isPlain = plainOf(emit).isPlain(st.value)
  return (frame) => {
    live.lab = 0
    const holder = list(frame) as GuestArray
    const through = live.lab
    if (through !== 0) guard()
    const made = value(frame)
    const lv = isPlain ? 0 : live.lab
    if (lv !== 0) guard()
    pushItem(holder, made)
    if ((lv | through | live.pc) !== 0 || holder.label !== 0) {
      raise(holder, through | led())
      setPart(holder, holder.items.length - 1, lv | wholeOf(holder))
    }
    return NEXT
  }
}

export function constSet(st: ConstSet, emit: Emitter): Action {
  const write = writeRef(st.target)
  const store = labelStore(st.target, emit)
  const value = alone(st.value, emit)
  const isPlain = plainOf(emit).isPlain(st.value)
  return (frame) => {
    write(frame, value(frame))
    if (!isPlain && live.lab !== 0) guard()
    store(frame, isPlain ? 0 : live.lab)
    return NEXT
  }
}

export function plainStep(st: St, emit: Emitter): Action {
  const value = plainStatement(st, emit)
  return (frame) => {
    value(frame)
    return NEXT
  }
}

export const statement = (base: EmitStep) =>
  function labelled(st: St, emit: Emitter): Action {
    return st.k === 'expr' && plainOf(emit).isPlain(st.value) ? base(st as never, emit) : plainStep(st, emit)
  }

/** Something that is only done to labels. */
export function mark({ act }: Mark): Action {
  return (frame) => {
    act(frame)
    return NEXT
  }
}
