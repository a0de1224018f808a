import type { Clock } from './time/clock.ts'
import { MandateError } from './errors.ts'
import type { ErrorCode } from './errors.ts'
import type { Random } from './random/random.ts'

const ID_SHAPE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'

/** A new id that sorts by its time of creation: prefix, nine characters of time, eleven random ones. */
export function newId(prefix: string, clock: Clock, random: Random): string {
  let time = ''
  for (let left = Math.max(0, Math.floor(clock.now())), i = 0; i < 9; i++, left = Math.floor(left / 32))
    time = DIGITS[left % 32]! + time
  let chance = ''
  const bytes = random.hex(11)
  for (let i = 0; i < 11; i++) chance += DIGITS[Number.parseInt(bytes.slice(i * 2, i * 2 + 2), 16) % 32]!
  return `${prefix}_${time}${chance}`
}

/** Names of members that every object has, device names of some file systems, and endings that some file systems drop. */
const RESERVED =
  /^(?:constructor|prototype|toString|toLocaleString|valueOf|hasOwnProperty|isPrototypeOf|propertyIsEnumerable|(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?|.*\.)$/i

/** Returns the id if it is safe as a file name and a key everywhere, otherwise throws. Ids are not normalized, because two of them could become equal. */
export function checkId(id: unknown, what: string): string {
  if (typeof id === 'string' && ID_SHAPE.test(id) && !id.includes('..') && !RESERVED.test(id)) return id
  const shown = typeof id === 'string' ? JSON.stringify(id.slice(0, 80)) : `of type ${typeof id}`
  throw new MandateError(
    'ID_INVALID',
    `${what} ${shown} is not usable. Use 1 to 128 letters, digits, ".", "_" or "-", starting with a letter or digit, without ".." or a dot at the end, and no name that is reserved, such as "constructor" or "con".`,
  )
}

/** Derives an id from free text. Different texts may give the same id: use it for display and defaults only. */
export function idFrom(text: string): string {
  const kept = text
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, 64)
  if (kept === '') return 'unnamed'
  return RESERVED.test(kept) ? `id-${kept}` : kept
}

/** The maximum length of a name. */
const NAME_MAX = 256
/** Control characters, line separators, and bidirectional marks: with them a name is displayed differently than it is. */
const UNSEEN = /[\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u

/** Why a name is invalid for display and journals; `undefined` if it is valid. */
export function nameProblem(name: unknown, max: number = NAME_MAX): string | undefined {
  if (typeof name !== 'string') return `is ${name === null ? 'null' : typeof name}. Give a text`
  if (name.trim() === '') return 'is empty. Give a text'
  if (name.length > max) return `has ${name.length} characters. Give at most ${max}`
  if (UNSEEN.test(name) || !name.isWellFormed())
    return 'has characters that cannot be seen, such as control characters. Leave them out'
  return name === '__proto__' ? 'is "__proto__", which is reserved. Give another' : undefined
}

/** Returns a valid name, or throws; `what` begins the message: "The name of a sink". */
export function checkName(name: unknown, what: string, code: ErrorCode = 'CONFIG_INVALID'): string {
  const problem = nameProblem(name)
  if (problem === undefined) return name as string
  throw new MandateError(code, `${what} ${problem}.`)
}
