import { memberPointer, pointerName } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'

/** A part of a value with its JSON pointer. */
interface Part {
  readonly pointer: string
  readonly value: Json
}

/** Whether a text is a JSON pointer. */
export function isPointer(text: unknown): text is string {
  return typeof text === 'string' && (text === '' || text.startsWith('/')) && !/~(?![01])/u.test(text)
}

/**
 * The parts of a value at a JSON pointer in which `*` matches every member. If the path ends early at a text or number, that is the part, because the
 * rest of the pointer would be inside it. With `isAbsentMeant`, `null`, absent and empty values are parts as well.
 */
export function partsAt(value: Json, pattern: string, isAbsentMeant = false): readonly Part[] {
  const steps = pattern === '' ? [] : pattern.slice(1).split('/')
  let parts: readonly Part[] = [{ pointer: '', value }]
  for (const step of steps)
    parts = parts.flatMap((part) => {
      const found = within(part, step)
      return found.length === 0 && isAbsentMeant ? [absentFrom(part, step)] : found
    })
  return isAbsentMeant ? parts : parts.filter((part) => part.value !== null)
}

/** The absent member of an object; for an empty list or `null`, the value itself. */
function absentFrom(part: Part, step: string): Part {
  const isObject = typeof part.value === 'object' && part.value !== null && !Array.isArray(part.value)
  return isObject && step !== '*' ? { pointer: `${part.pointer}/${step}`, value: null } : part
}

function within(part: Part, step: string): readonly Part[] {
  const { pointer, value } = part
  if (typeof value !== 'object' || value === null) return value === null ? [] : [part]
  const members = Object.entries(value)
  if (step === '*') return members.map(([name, member]) => ({ pointer: memberPointer(pointer, name), value: member }))
  const name = pointerName(step)
  if (Object.hasOwn(value, name))
    return [{ pointer: `${pointer}/${step}`, value: (value as { readonly [name: string]: Json })[name] ?? null }]
  // A list where an object is expected: the member may be in any of its items.
  return Array.isArray(value) && members.length > 0 ? [part] : []
}
