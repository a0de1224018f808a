import type { Json } from '../../core/index.ts'
import { isContextPart } from '../context/context.ts'
import { describePart } from '../context/describe.ts'

/** Describes to a model a context that is not shown in its prompt. */
export function contextNote(context: Json): string {
  if (isContextPart(context)) return describePart(context)
  if (context === null) return 'Nothing was put into it.'
  if (typeof context === 'string') return `It is a text of ${context.length} characters.`
  if (Array.isArray(context)) return `It is a list of ${context.length} items.`
  if (typeof context === 'object')
    return `It is an object with the members ${Object.keys(context).slice(0, 20).join(', ')}.`
  return `It is a ${typeof context}.`
}
