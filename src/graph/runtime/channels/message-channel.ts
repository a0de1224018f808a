import { isRecord } from '../../../core/index.ts'
import type { Json, JsonObject } from '../../../core/index.ts'
import { checkWrites } from './channel.ts'
import type { Channel } from './channel.ts'

const ROLES: readonly Json[] = ['system', 'user', 'assistant', 'tool']

/** A conversation. A message with an existing id replaces that message; `{ id, remove: true }` removes it; a text is a message of the user. */
export function messages(): Channel {
  const problem = (value: Json): string | undefined =>
    [value].flat().every((each) => readMessage(each) !== undefined)
      ? undefined
      : 'this is no message. Write a text, `{ role, content }` with the role system, user, assistant or tool, or `{ id, remove: true }`.'
  return {
    kind: 'messages',
    initial: Object.freeze([]),
    problem,
    fold: (kept, writes, name) => {
      checkWrites({ problem }, writes, name)
      const list = [...(kept as readonly JsonObject[])]
      for (const { value } of writes) for (const each of [value].flat()) put(list, readMessage(each)!)
      return Object.freeze(list)
    },
  }
}

function put(list: JsonObject[], message: JsonObject): void {
  const { id } = message
  // Searched from the end, because recent messages are the ones that change.
  const at = id === undefined ? -1 : list.findLastIndex((known) => known['id'] === id)
  if (message['remove'] === true) {
    if (at >= 0) list.splice(at, 1)
  } else if (at >= 0) list[at] = message
  else list.push(message)
}

/** A value as a message; `undefined` if it is none. */
function readMessage(value: Json): JsonObject | undefined {
  if (typeof value === 'string') return Object.freeze({ role: 'user', content: [{ type: 'text', text: value }] })
  if (isRecord(value)) {
    const { role, content, id, remove } = value
    if (remove === true && typeof id === 'string') return value
    if (ROLES.includes(role as Json)) {
      if (Array.isArray(content)) return value
      if (typeof content === 'string') return { ...value, content: [{ type: 'text', text: content }] }
    }
  }
  return undefined
}
