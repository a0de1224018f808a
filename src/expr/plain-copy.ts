import { MandateError } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import type { ExprLimits } from './limits.ts'
import { isForbidden } from './read-node.ts'
import { overLimit, wrong } from './errors.ts'

const NOT_PLAIN = 'it must be plain data'

/** A frozen copy of plain data; anything else is refused with its path: getters, instances, forbidden names, and, through the limits, cycles. */
export function plainCopy(value: unknown, { depth, nodes }: ExprLimits): Json {
  const path = ['$']
  let count = 0
  const copy = (part: unknown): unknown => {
    if (++count > nodes) throw overLimit('nodes', nodes)
    if (path.length > depth) throw overLimit('depth', depth)
    if (part === null || typeof part === 'string' || typeof part === 'boolean' || Number.isFinite(part)) return part
    const parent: unknown = typeof part === 'object' && Object.getPrototypeOf(part)
    const isList = Array.isArray(part)
    if (parent === false || (parent !== null && !isList && Object.getPrototypeOf(parent) !== null))
      throw wrong(path, NOT_PLAIN)
    const made: { [key: string]: unknown } = isList ? ([] as never) : {}
    for (const key of Object.keys(part as object)) {
      path.push(key)
      const found = Object.getOwnPropertyDescriptor(part, key)!
      if (isForbidden(key) || found.get) throw wrong(path, NOT_PLAIN)
      if (found.value !== undefined) made[key] = copy(found.value)
      path.pop()
    }
    return Object.freeze(made)
  }
  try {
    return copy(value) as Json
  } catch (error) {
    throw MandateError.isInstance(error) ? error : wrong(path, NOT_PLAIN)
  }
}
