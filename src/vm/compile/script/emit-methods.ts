import { invoke0, invoke1, invoke2 } from '../../machine/invoke.ts'
import { live } from '../../meter/live.ts'
import { GuestArray } from '../../value/guest-array.ts'
import type { Closure } from '../../value/guest-function.ts'
import { GuestObject } from '../../value/guest-object.ts'
import { emitArguments, emitMethod, slowMethod } from '../emit-calls.ts'
import type { Emitter } from '../emitter.ts'
import type { Method } from '../ir.ts'

/** A method whose name stands in the program: the table is looked up when it is compiled. */
export function emitFastMethod(node: Method, emit: Emitter): Closure {
  if (typeof node.name !== 'string' || node.optional || node.optionalCall || emit.inChain) return emitMethod(node, emit)
  const { name } = node
  const slow = slowMethod(node)
  const rest = emitArguments(node.args, emit)
  const { methods } = emit.unit.builtins
  const onArray = methods.get('array')?.get(name)?.builtin
  const onText = methods.get('string')?.get(name)?.builtin
  const object = emit.ex(node.object)
  const args = node.args.some((arg) => arg.k === 'spread') ? [] : node.args.map((arg) => emit.ex(arg))
  const [first, second] = args
  if (args.length === 1 && first !== undefined && args.length === node.args.length)
    return (frame) => {
      const target = object(frame)
      const builtin = target instanceof GuestArray ? onArray : typeof target === 'string' ? onText : undefined
      if (builtin?.one !== undefined) {
        if ((live.fuel -= builtin.cost) < 0) live.machine.refuel()
        return builtin.one(target, first(frame))
      }
      if (target instanceof GuestObject && builtin === undefined && target.has(name)) {
        const own = target.get(name)
        return invoke1(own, first(frame))
      }
      return slow(target, name, rest, frame)
    }
  if (args.length === 2 && first !== undefined && second !== undefined && args.length === node.args.length)
    return (frame) => {
      const target = object(frame)
      const builtin = target instanceof GuestArray ? onArray : typeof target === 'string' ? onText : undefined
      if (builtin?.two !== undefined) {
        if ((live.fuel -= builtin.cost) < 0) live.machine.refuel()
        return builtin.two(target, first(frame), second(frame))
      }
      if (target instanceof GuestObject && target.has(name)) {
        const own = target.get(name)
        return invoke2(own, first(frame), second(frame))
      }
      return slow(target, name, rest, frame)
    }
  if (node.args.length === 0)
    return (frame) => {
      const target = object(frame)
      const builtin = target instanceof GuestArray ? onArray : typeof target === 'string' ? onText : undefined
      if (builtin?.none !== undefined) {
        if ((live.fuel -= builtin.cost) < 0) live.machine.refuel()
        return builtin.none(target)
      }
      if (target instanceof GuestObject && target.has(name)) return invoke0(target.get(name))
      return slow(target, name, rest, frame)
    }
  return (frame) => slow(object(frame), name, rest, frame)
}
