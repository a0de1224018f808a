import { SKIP } from '../compile/emit/emit-access.ts'
import { atomCost } from '../compile/atom-cost.ts'
import { calleeName } from '../compile/emit/emit-call-to.ts'
import { findMethod, nameOf } from '../compile/emit/emit-calls.ts'
import type { Emitter } from '../compile/emit/emitter.ts'
import type { Call, Ex, Found, Input, Method } from '../compile/ir.ts'
import { locate } from '../compile/error-location.ts'
import { notCallable } from '../machine/invoke.ts'
import { UNITS_PER_FUEL, burn, live } from '../meter/live.ts'
import type { Builtin, BuiltinFunction } from '../value/builtin-function.ts'
import { isCallable, toKey } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import { GuestFunction } from '../value/guest-function.ts'
import type { Closure, Frame } from '../value/guest-function.ts'
import { GuestObject } from '../value/guest-object.ts'
import { GuestSymbol } from '../value/symbols.ts'
import { getKeyed } from '../value/property.ts'
import { CHOSEN } from './bits.ts'
import { performCall, pushOne } from './labelled-call.ts'
import { spreadItems } from './rules/spreads.ts'
import { callWithOne } from './function-entry.ts'
import type { ArgumentLabels } from './function-entry.ts'
import {
  inheritedLabel,
  lastChoice,
  deepLabel,
  partKey,
  partLabel,
  raiseLabel,
  setPartLabel,
  structureLabel,
} from './heap.ts'
import { withOwnLabel, noteMayThrow, pcLabel } from './rules/variables.ts'
import { isPure, keyedBy, mayThrow } from './rules/node-facts.ts'
import { unlabelledIn } from './unlabelled-variables.ts'
import { decideChain } from './reads.ts'

/** Evaluates arguments and appends their labels to `bits`. */
type LabelledArguments = (frame: Frame, bits: ArgumentLabels) => Guest[]

interface ArgumentPart {
  readonly isSpread: boolean
  readonly value: Closure
  readonly isPlain: boolean
  /** Evaluating it can throw, in which case the call does not happen (an implicit flow). */
  readonly isRisky: boolean
}

function emitParts(args: readonly Ex[], emit: Emitter): ArgumentPart[] {
  const chain = emit.inChain
  emit.inChain = false
  const parts = args.map((arg) => ({
    isSpread: arg.k === 'spread',
    value: emit.ex(arg.k === 'spread' ? arg.argument : arg),
    isPlain: unlabelledIn(emit).isUnlabelled(arg),
    isRisky: mayThrow(arg),
  }))
  emit.inChain = chain
  return parts
}

export function emitArguments(args: readonly Ex[], emit: Emitter): LabelledArguments {
  return argumentsOf(emitParts(args, emit))
}

/** Leaves `live.label` unchanged. */
function argumentsOf(parts: readonly ArgumentPart[]): LabelledArguments {
  return (frame, bits) => {
    const values: Guest[] = []
    const outer = live.label
    if (outer !== 0) noteMayThrow()
    for (let i = 0; i < parts.length; i++) {
      const { isSpread, value, isPlain, isRisky } = parts[i]!
      if (!isPlain) live.label = 0
      const made = value(frame)
      const own = (isPlain ? 0 : live.label) | (bits.absent ?? 0)
      if (isRisky && !isPlain && live.label !== 0) noteMayThrow()
      if (!isSpread) {
        values.push(made)
        bits.push(own)
      } else {
        const { items, bits: all } = spreadItems(made, own)
        if (all !== 0) bits.absent = all | CHOSEN
        for (const item of items) {
          values.push(item)
          bits.push(all)
        }
      }
    }
    live.label = outer
    return values
  }
}

/** A call of a function value with any number of arguments. */
export function call(node: Call, emit: Emitter): Closure {
  const { at, optional } = node
  const callee = emit.ex(node.callee)
  const decide = decideChain(emit, optional)
  const parts = emitParts(node.args, emit)
  const args = argumentsOf(parts)
  const skipped = emit.inChain ? SKIP : undefined
  const name = nameOf(node.callee)
  const [only] = parts
  const refuse = (target: Guest, calleeLabel: number): never => {
    live.label |= calleeLabel
    throw locate(notCallable(target, name), at)
  }
  if (only !== undefined && parts.length === 1 && !only.isSpread && !optional && !emit.inChain)
    return callOne(node.callee, only, { refuse, emit, site: node })
  return (frame) => {
    const outer = live.label
    if (outer !== 0) noteMayThrow()
    live.label = 0
    const target = callee(frame)
    if (target === SKIP) {
      live.label |= outer
      return SKIP
    }
    const calleeLabel = live.label
    if (calleeLabel !== 0) noteMayThrow()
    if (optional) {
      decide()
      if (target === null || target === undefined) {
        live.label |= outer
        return skipped
      }
    }
    live.label = outer
    const bits: ArgumentLabels = []
    const values = args(frame, bits)
    if (!isCallable(target)) return refuse(target, calleeLabel)
    return performCall({ target, calleeLabel, receiver: undefined, receiverBits: 0, values, bits, site: node }, emit)
  }
}

interface CallOne {
  readonly refuse: (target: Guest, calleeLabel: number) => never
  readonly emit: Emitter
  readonly site: Call
}

function callOne(node: Ex, { value: first, isPlain, isRisky }: ArgumentPart, { refuse, emit, site }: CallOne): Closure {
  const callee = emit.ex(node)
  const ref = node.k === 'var' ? node.ref : undefined
  // Fast path: recursive and sibling functions are read from a captured box.
  if (ref?.to === 'box' && !ref.variable.isChecked) {
    const { up } = ref
    return (frame) => {
      const { value: target, label } = frame[0][up]!
      const calleeLabel = label | live.heapFloor
      const outer = live.label
      if (outer !== 0) noteMayThrow()
      live.label = 0
      const value = first(frame)
      const own = isPlain ? 0 : live.label
      if (own !== 0 && isRisky) noteMayThrow()
      live.label = outer
      if (calleeLabel === 0 && target instanceof GuestFunction) return callWithOne(target, value, own)
      if (!isCallable(target)) return refuse(target, calleeLabel)
      return performCall(
        { target, calleeLabel, receiver: undefined, receiverBits: 0, values: [value], bits: [own], site },
        emit,
      )
    }
  }
  return (frame) => {
    const outer = live.label
    if (outer !== 0) noteMayThrow()
    live.label = 0
    const target = callee(frame)
    const calleeLabel = live.label
    if (calleeLabel !== 0) noteMayThrow()
    live.label = 0
    const value = first(frame)
    const own = isPlain ? 0 : live.label
    if (own !== 0 && isRisky) noteMayThrow()
    live.label = outer
    if (calleeLabel === 0 && target instanceof GuestFunction) return callWithOne(target, value, own)
    if (!isCallable(target)) return refuse(target, calleeLabel)
    return performCall(
      { target, calleeLabel, receiver: undefined, receiverBits: 0, values: [value], bits: [own], site },
      emit,
    )
  }
}

/** The label of a method lookup: which function is found depends on it. */
function methodLabel(target: Guest, key: Guest): number {
  if (target instanceof GuestObject && (typeof key !== 'object' || key instanceof GuestSymbol)) {
    const name = key instanceof GuestSymbol ? key.key : String(key)
    if (target.extra !== null) return partLabel(target, name) | inheritedLabel(target, name) | live.heapFloor
    return target.has(name) ? partLabel(target, name) | live.heapFloor : live.heapFloor
  }
  if (target instanceof GuestFunction) return partLabel(target, partKey(target, key)) | live.heapFloor
  // An item that is called. Methods by name are the same for all lists.
  if (target instanceof GuestArray && typeof partKey(target, key) === 'number')
    return partLabel(target, partKey(target, key)) | live.heapFloor
  return 0
}

function builtinFor(
  receiver: Guest,
  onArray: BuiltinFunction | undefined,
  onText: BuiltinFunction | undefined,
): Builtin | undefined {
  if (receiver instanceof GuestArray) return onArray?.builtin
  return typeof receiver === 'string' ? onText?.builtin : undefined
}

interface QuickCall {
  fits(builtin: Builtin): boolean
  call(builtin: Builtin, receiver: Guest, frame: Frame): Guest
}

/** Fast path while the run has met no label: built-ins are called as if labels were off. */
function quickCall(parts: readonly ArgumentPart[]): QuickCall | undefined {
  const [one, two] = parts
  if (one === undefined || parts.length > 2 || parts.some(({ isSpread }) => isSpread)) return undefined
  const pay = (builtin: Builtin): void => {
    if ((live.fuel -= builtin.cost) < 0) live.machine.refuel()
  }
  if (two === undefined)
    return {
      fits: (builtin) => builtin.one !== undefined,
      call: (builtin, receiver, frame) => {
        pay(builtin)
        return builtin.one!(receiver, one.value(frame))
      },
    }
  return {
    fits: (builtin) => builtin.two !== undefined,
    call: (builtin, receiver, frame) => {
      pay(builtin)
      return builtin.two!(receiver, one.value(frame), two.value(frame))
    },
  }
}

function lookUp(receiver: Guest, place: Guest, at: Method['at']): Guest {
  try {
    return typeof place === 'number' ? getKeyed(receiver, place) : findMethod(receiver, toKey(place))
  } catch (error) {
    throw locate(error, at)
  }
}

/** Looks up a method and leaves in `live.label` the label of what decided which one it is. */
export function emitMethodLookup(
  { name, at }: Pick<Method, 'name' | 'at'>,
  emit: Emitter,
): (frame: Frame, receiver: Guest, receiverBits: number) => Guest {
  const chain = emit.inChain
  emit.inChain = false
  const key = typeof name === 'string' ? undefined : emit.ex(name)
  emit.inChain = chain
  return (frame, receiver, receiverBits) => {
    let place: Guest = name as string
    let calleeLabel = 0
    if (key !== undefined) {
      live.label = 0
      place = key(frame)
      calleeLabel = live.label === 0 ? 0 : live.label | CHOSEN
    }
    live.label = receiverBits | calleeLabel
    const found = lookUp(receiver, place, at)
    calleeLabel |= methodLabel(receiver, place)
    if (receiver instanceof GuestObject || receiver instanceof GuestFunction || typeof place === 'number')
      calleeLabel |= receiverBits
    live.label = calleeLabel
    if (calleeLabel !== 0) noteMayThrow()
    return found
  }
}

/** The built-ins of lists and texts for a method name that is constant. */
function builtinsNamed(name: string | Ex, { unit }: Emitter): readonly (BuiltinFunction | undefined)[] {
  const { methods } = unit.builtins
  return typeof name === 'string' ? [methods.get('array')?.get(name), methods.get('string')?.get(name)] : []
}

export function method(node: Method, emit: Emitter): Closure {
  return pushInline(node, emit, anyMethod(node, emit))
}

/** Fast path for `list.push(value)` on a variable. */
function pushInline(
  { object: node, name, args, found, optional, optionalCall }: Method,
  emit: Emitter,
  any: Closure,
): Closure {
  const push = name === 'push' && node.k === 'var' ? builtinsNamed(name, emit)[0]?.builtin : undefined
  const isOne = args.length === 1 && args[0]!.k !== 'spread' && found === undefined && !optional && !optionalCall
  if (push?.one === undefined || !isOne || emit.inChain) return any
  const object = emit.ex(node)
  const value = withOwnLabel(args[0]!, emit)
  const isPlain = unlabelledIn(emit).isUnlabelled(args[0]!)
  const isRisky = mayThrow(args[0]!)
  return (frame) => {
    if (!live.isLabelled) return any(frame)
    const outer = live.label
    live.label = 0
    const list = object(frame)
    const referenceLabel = live.label
    live.label |= outer
    if (live.label !== 0) noteMayThrow()
    live.label = outer
    if (!(list instanceof GuestArray) || list.named !== null) return any(frame)
    const item = value(frame)
    if (isPlain) live.label = 0
    if (live.label !== 0 && isRisky) noteMayThrow()
    const length = pushOne(push, list, item, referenceLabel)
    live.label |= outer
    return length
  }
}

function anyMethod(node: Method, emit: Emitter): Closure {
  const { name, optional, optionalCall, at } = node
  const object = emit.ex(node.object)
  const decide = decideChain(emit, optional || optionalCall)
  const parts = emitParts(node.args, emit)
  const args = argumentsOf(parts)
  const chain = emit.inChain
  const find = emitMethodLookup(node, emit)
  const skipped = chain ? SKIP : undefined
  const [onArray, onText] = builtinsNamed(name, emit)
  const quick = chain ? undefined : quickCall(parts)
  const before = node.found === undefined ? undefined : emit.ex(node.found)
  // Arguments with side effects could change the holder that the receiver was selected from, and hide the alternatives.
  const isKeyed = keyedBy(node.object) !== undefined && node.args.every(isPure)
  return (frame) => {
    const outer = live.label
    if (outer !== 0) noteMayThrow()
    live.label = 0
    lastChoice.holder = undefined
    const receiver = object(frame)
    const from = isKeyed ? lastChoice.holder : undefined
    const receiverBits = live.label
    // `null` and `undefined` have no methods, so the lookup can throw.
    if (receiverBits !== 0) noteMayThrow()
    if (optional) decide()
    if (receiver === SKIP || (optional && (receiver === null || receiver === undefined))) {
      live.label |= outer
      return receiver === SKIP ? SKIP : skipped
    }
    let calleeLabel = 0
    let found: Guest
    if (!live.isLabelled && quick !== undefined) {
      const builtin = builtinFor(receiver, onArray, onText)
      if (builtin !== undefined && quick.fits(builtin)) return quick.call(builtin, receiver, frame)
    }
    if (before !== undefined) {
      live.label = 0
      found = before(frame)
      calleeLabel = live.label
    } else if (receiver instanceof GuestArray && onArray !== undefined && receiver.named === null) found = onArray
    else if (typeof receiver === 'string' && onText !== undefined) found = onText
    else {
      found = find(frame, receiver, receiverBits)
      calleeLabel = live.label
    }
    if (optionalCall) {
      live.label = calleeLabel | receiverBits
      decide()
      if (found === null || found === undefined) {
        live.label |= outer
        return skipped
      }
    }
    live.label = outer
    const bits: ArgumentLabels = []
    const values = args(frame, bits)
    if (!isCallable(found)) {
      live.label |= calleeLabel | receiverBits
      throw locate(notCallable(found, calleeName(node) ?? 'This'), at)
    }
    try {
      return performCall({ target: found, calleeLabel, receiver, receiverBits, values, bits, site: node, from }, emit)
    } catch (error) {
      throw locate(error, at)
    }
  }
}

/** An inline atom: its result carries the labels of all its fields. */
export function input(node: Input, emit: Emitter): Closure {
  const fields = emit.ex(node.fields)
  const { atom } = node
  return (frame) => {
    const outer = live.label
    if (outer !== 0) noteMayThrow()
    live.label = 0
    const value = fields(frame) as GuestObject
    let bits = live.label | (live.isLabelled ? deepLabel(value) : 0)
    live.label = bits
    if (typeof atom.cost === 'function') burn(Math.round(atomCost(atom, value) * UNITS_PER_FUEL))
    const made = atom.inline!(value)
    bits |= live.label
    if (atom.op === 'push' && (bits | pcLabel()) !== 0) noteAppended(value)
    live.label = bits === 0 ? 0 : bits | CHOSEN
    noteMayThrow()
    live.label |= outer
    return made
  }
}

/** `push` is the only atom that mutates its input. */
function noteAppended(fields: GuestObject): void {
  const list = fields.get('list')
  if (!(list instanceof GuestArray)) return
  const structure = partLabel(fields, 'list') | pcLabel()
  if (structure !== 0) raiseLabel(list, structure)
  if ((structure & CHOSEN) !== 0) live.heapFloor |= partLabel(fields, 'list')
  setPartLabel(list, list.items.length - 1, partLabel(fields, 'item') | structureLabel(list))
}

/** A method lookup that happens before the arguments of its call are evaluated; labelled with what decided which method it is. */
export function lookUpOnly(node: Found, emit: Emitter): Closure {
  const object = emit.ex(node.object)
  const find = emitMethodLookup(node, emit)
  return (frame) => {
    const outer = live.label
    if (outer !== 0) noteMayThrow()
    live.label = 0
    const receiver = object(frame)
    if (live.label !== 0) noteMayThrow()
    const found = find(frame, receiver, live.label)
    live.label |= outer
    return found
  }
}
