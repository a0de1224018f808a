import type { Emitter } from '../emit/emitter.ts'
import type { Assign, Call, Ex, Index, Logical, Member, Method, ObjectEx, Property, Spread, Temp } from '../ir.ts'
import type { St } from '../ir-statements.ts'
import { WAITS, mayRunLong, suspends } from '../suspends.ts'
import { chainBase } from './lower-script-exprs.ts'

/** A slot for a value that must survive a suspension. */
function temp(emit: Emitter): Temp {
  return { k: 'temp', slot: emit.fn.ownSlot() }
}

/** Evaluates an expression into a temporary slot. */
function keep(node: Ex, before: St[], emit: Emitter): Ex {
  if (node.k === 'lit' || node.k === 'temp' || node.k === 'fn') return node
  const slot = temp(emit)
  before.push({ k: 'settemp', slot: slot.slot, value: node })
  return slot
}

/** Hoists waits and calls out of a list of expressions; values before a hoisted one are kept in temporaries, to preserve evaluation order. */
function hoistAll(nodes: readonly Ex[], before: St[], emit: Emitter): Ex[] {
  const last = nodes.findLastIndex((node) => suspends(node) > 0)
  return nodes.map((node, index) => {
    if (node.k === 'spread') {
      const argument = hoistExpr(node.argument, before, emit)
      return { ...node, argument: index < last ? keep({ k: 'tolist', argument }, before, emit) : argument }
    }
    const rest = hoistExpr(node, before, emit)
    return index < last ? keep(rest, before, emit) : rest
  })
}

/** Returns an expression without waits and long calls; those are emitted as statements before it. */
export function hoistExpr(node: Ex, before: St[], emit: Emitter): Ex {
  if (suspends(node) === 0) return node
  switch (node.k) {
    case 'await': {
      const value = hoistExpr(node.argument, before, emit)
      const slot = temp(emit)
      before.push({ k: 'awaitto', slot: slot.slot, value, at: node.at })
      return slot
    }
    case 'yield': {
      const value = hoistExpr(node.argument, before, emit)
      const slot = temp(emit)
      before.push({ k: 'yieldto', kind: node.kind, slot: slot.slot, value, at: node.at })
      return slot
    }
    case 'call':
    case 'method':
      return hoistCall(node, before, emit)
    case 'logical':
      return hoistLogical(node, before, emit)
    case 'conditional': {
      const slot = temp(emit)
      const test = hoistExpr(node.test, before, emit)
      before.push({ k: 'if', test, then: into(slot, node.then, emit), otherwise: into(slot, node.otherwise, emit) })
      return slot
    }
    case 'assign':
      return hoistAssign(node, before, emit)
    case 'update': {
      const target = hoistTarget(node.target, before, emit)
      return { ...node, target }
    }
    case 'object':
      return hoistObject(node, before, emit)
    case 'decide':
      return { ...node, test: hoistExpr(node.test, before, emit) }
    case 'chain':
      return hoistChain(node.expression, before, emit)
    default:
      return hoistPlain(node, before, emit)
  }
}

/** Nodes that evaluate all their children in order. */
function hoistPlain(node: Ex, before: St[], emit: Emitter): Ex {
  switch (node.k) {
    case 'binary': {
      const [left, right] = hoistAll([node.left, node.right], before, emit)
      return { ...node, left: left!, right: right! }
    }
    case 'unary':
    case 'tolist':
    case 'spread':
      return { ...node, argument: hoistExpr(node.argument, before, emit) }
    case 'member':
      return { ...node, object: hoistExpr(node.object, before, emit) }
    case 'index': {
      const [object, key] = hoistAll([node.object, node.key], before, emit)
      return { ...node, object: object!, key: key! }
    }
    case 'list':
    case 'sequence':
      return { ...node, items: hoistAll(node.items, before, emit) }
    case 'template':
      return { ...node, values: hoistAll(node.values, before, emit) }
    case 'new': {
      const [callee, ...args] = hoistAll([node.callee, ...node.args], before, emit)
      return { ...node, callee: callee!, args }
    }
    case 'private':
      return { ...node, object: hoistExpr(node.object, before, emit) }
    case 'super':
      return { ...node, key: hoistExpr(node.key, before, emit) }
    case 'omit': {
      const [argument, ...keys] = hoistAll([node.argument, ...node.keys], before, emit)
      return { ...node, argument: argument!, keys }
    }
    default:
      return node
  }
}

function hoistCall(node: Call | Method, before: St[], emit: Emitter): Ex {
  const callsLong = mayRunLong(node)
  // The arguments of an optional call must not be evaluated before it is known to happen.
  if (node.optional || (node.k === 'method' && node.optionalCall)) return node
  if (node.k === 'method' && node.args.some((arg) => suspends(arg) > 0)) return hoistMethod(node, before, emit)
  const keyed = node.k === 'method' && typeof node.name !== 'string' ? [node.name] : []
  const head = node.k === 'call' ? node.callee : node.object
  const [first, ...rest] = hoistAll([head, ...keyed, ...node.args], before, emit)
  const args = rest.slice(keyed.length)
  const call: Call | Method =
    node.k === 'call'
      ? { ...node, callee: first!, args }
      : { ...node, object: first!, name: keyed.length > 0 ? rest[0]! : node.name, args }
  return callsLong ? callAlone(call, before, emit) : call
}

function callAlone(call: Call | Method, before: St[], emit: Emitter): Ex {
  const slot = temp(emit)
  before.push({ k: 'callto', slot: slot.slot, call, at: call.at })
  return slot
}

/** A method is looked up before its arguments are evaluated, because they may change the object. Members of globals never change. */
function hoistMethod(node: Method, before: St[], emit: Emitter): Ex {
  const callsLong = mayRunLong(node)
  const isOurs = node.object.k === 'var' && node.object.ref?.to === 'global' && typeof node.name === 'string'
  const object = isOurs ? node.object : keep(hoistExpr(node.object, before, emit), before, emit)
  const name = typeof node.name === 'string' ? node.name : keep(hoistExpr(node.name, before, emit), before, emit)
  const found = isOurs ? undefined : temp(emit)
  if (found !== undefined)
    before.push({ k: 'settemp', slot: found.slot, value: { k: 'found', object, name, at: node.at } })
  const call: Method = { ...node, object, name, args: hoistAll(node.args, before, emit), found }
  return callsLong ? callAlone(call, before, emit) : call
}

function into(slot: Temp, value: Ex, emit: Emitter): { k: 'block'; body: St[] } {
  const body: St[] = []
  const rest = hoistExpr(value, body, emit)
  body.push({ k: 'settemp', slot: slot.slot, value: rest })
  return { k: 'block', body }
}

function isTaken(op: Logical['op'], value: Ex): Ex {
  if (op === '&&') return value
  if (op === '||') return { k: 'unary', op: '!', argument: value }
  return { k: 'binary', op: '==', left: value, right: { k: 'lit', value: null } }
}

function hoistLogical(node: Logical, before: St[], emit: Emitter): Ex {
  const slot = temp(emit)
  before.push({ k: 'settemp', slot: slot.slot, value: hoistExpr(node.left, before, emit) })
  before.push({ k: 'if', test: isTaken(node.op, slot), then: into(slot, node.right, emit), otherwise: undefined })
  return slot
}

function hoistTarget(target: Assign['target'], before: St[], emit: Emitter): Assign['target'] {
  if (target.k === 'member') return { ...target, object: keep(hoistExpr(target.object, before, emit), before, emit) }
  if (target.k !== 'index') return target
  const object = keep(hoistExpr(target.object, before, emit), before, emit)
  return { ...target, object, key: keep(hoistExpr(target.key, before, emit), before, emit) }
}

/** The variable or property is read before the value is awaited, as in JavaScript. */
function hoistAssign(node: Assign, before: St[], emit: Emitter): Ex {
  const target = hoistTarget(node.target, before, emit) as Member | Index
  const { op } = node
  if (op === '') return { ...node, target, value: hoistExpr(node.value, before, emit) }
  const slot = temp(emit)
  before.push({ k: 'settemp', slot: slot.slot, value: target })
  if (op === '&&' || op === '||' || op === '??') {
    const body: St[] = []
    const value = hoistExpr(node.value, body, emit)
    body.push({ k: 'settemp', slot: slot.slot, value: { ...node, op: '', target, value } })
    before.push({ k: 'if', test: isTaken(op, slot), then: { k: 'block', body }, otherwise: undefined })
    return slot
  }
  const value = hoistExpr(node.value, before, emit)
  return { ...node, op: '', target, value: { k: 'binary', op, left: slot, right: value } }
}

/** A value spread before a wait is copied before the wait. */
function hoistObject(node: ObjectEx, before: St[], emit: Emitter): Ex {
  const last = node.properties.findLastIndex((property) => parts(property).some((part) => suspends(part) > 0))
  const properties = node.properties.map((property, index): Property | Spread => {
    const isBefore = index < last
    const settle = (part: Ex, mustKeep: boolean): Ex => {
      const rest = hoistExpr(part, before, emit)
      return mustKeep ? keep(rest, before, emit) : rest
    }
    if ('k' in property) {
      const argument = settle(property.argument, false)
      return {
        ...property,
        argument: isBefore ? keep({ k: 'object', properties: [{ k: 'spread', argument }] }, before, emit) : argument,
      }
    }
    if (typeof property.key === 'string') return { ...property, value: settle(property.value, isBefore) }
    const key = settle(property.key, isBefore || suspends(property.value) > 0)
    return { ...property, key, value: settle(property.value, isBefore) }
  })
  return { ...node, properties }
}

function parts(property: Property | Spread): Ex[] {
  if ('k' in property) return [property.argument]
  return typeof property.key === 'string' ? [property.value] : [property.key, property.value]
}

/** Only the base of an optional chain may be hoisted. */
function hoistChain(expression: Ex, before: St[], emit: Emitter): Ex {
  const base = chainBase(expression)
  if (suspends(base) !== WAITS) return { k: 'chain', expression }
  const kept = keep(hoistExpr(base, before, emit), before, emit)
  return { k: 'chain', expression: replaceBase(expression, base, kept) }
}

function replaceBase(node: Ex, base: Ex, by: Ex): Ex {
  if (node === base) return by
  if (node.k === 'call') return { ...node, callee: replaceBase(node.callee, base, by) }
  if (node.k === 'member' || node.k === 'index' || node.k === 'method')
    return { ...node, object: replaceBase(node.object, base, by) }
  return node
}

/** Splits a statement into statements that suspend only at their boundaries. */
export function hoistScript(st: St, emit: Emitter): readonly St[] {
  const before: St[] = []
  switch (st.k) {
    case 'expr': {
      const value = hoistExpr(st.value, before, emit)
      // A call whose value is unused has been hoisted entirely.
      return value.k === 'temp' ? before : [...before, { ...st, value }]
    }
    case 'let':
      return st.value === undefined ? [st] : [...withValue(before, { ...st, value: hoistExpr(st.value, before, emit) })]
    case 'return':
      return st.value === undefined ? [st] : [...withValue(before, { ...st, value: hoistExpr(st.value, before, emit) })]
    case 'throw':
      return withValue(before, { ...st, value: hoistExpr(st.value, before, emit) })
    case 'if':
      return withValue(before, { ...st, test: hoistExpr(st.test, before, emit) })
    case 'forof':
      return withValue(before, { ...st, items: hoistExpr(st.items, before, emit) })
    case 'switch':
      return withValue(before, { ...st, value: hoistExpr(st.value, before, emit) })
    case 'settemp':
      return withValue(before, { ...st, value: hoistExpr(st.value, before, emit) })
    default:
      return [st]
  }
}

function withValue(before: St[], st: St): St[] {
  return [...before, st]
}
