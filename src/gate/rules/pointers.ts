import { memberPointer, pointerName } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'

/** A part of a value, by the JSON pointer it stands at. */
export interface Part {
  readonly pointer: string
  readonly value: Json
}

/** Whether a text is a JSON pointer. */
export function isPointer(text: unknown): text is string {
  return typeof text === 'string' && (text === '' || text.startsWith('/')) && !/~(?![01])/u.test(text)
}

/**
 * The parts of a value at a JSON pointer in which `*` stands for every member. Where a text or a number stands on the way, that is the part:
 * whatever the rest of the pointer means would have to be inside it. With `isAbsentMeant` what is `null`, not there or empty is a part as well.
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

/** The member that an object does not have; of a list without items, and of nothing, there is nothing more to tell. */
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
  // A list in the place of an object: what is looked for may be in any of its items.
  return Array.isArray(value) && members.length > 0 ? [part] : []
}
