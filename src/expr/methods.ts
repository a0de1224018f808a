import { CHAR_COST, ITEM_COST, spend } from './fuel.ts'
import type { Fuel } from './fuel.ts'
import type { ExprLimits } from './limits.ts'
import { kindOf } from './reading.ts'
import { failed, overLimit } from './refusals.ts'

/** What arguments a method takes, one letter each: s a text, n a number, a anything; a capital letter may be left out. */
type Signature = string
type Method = (...args: never[]) => unknown
type Table = { readonly [name: string]: Signature }

/** The methods of texts and of lists. A call goes through these tables and to the language's own function, never to something the receiver holds. */
const TEXT: Table = {
  includes: 'sN',
  startsWith: 'sN',
  endsWith: 'sN',
  indexOf: 'sN',
  lastIndexOf: 'sN',
  slice: 'NN',
  substring: 'nN',
  at: 'n',
  charAt: 'n',
  trim: '',
  trimStart: '',
  trimEnd: '',
  toLowerCase: '',
  toUpperCase: '',
  split: 'sN',
  concat: 's',
  repeat: 'n',
  padStart: 'nS',
  padEnd: 'nS',
}
const LIST: Table = { includes: 'aN', indexOf: 'aN', lastIndexOf: 'aN', slice: 'NN', at: 'n', join: 'S', concat: 'a' }

const WORDS: { readonly [letter: string]: string } = { s: 'a text', n: 'a number', a: 'a value' }

/** Taken when the room is loaded: what happens to the prototypes later changes nothing here. */
const TEXT_OWN = ownOf(String.prototype as never, TEXT)
const LIST_OWN = ownOf(Array.prototype as never, LIST)

function ownOf(prototype: { readonly [name: string]: Method }, table: Table): ReadonlyMap<string, Method> {
  return new Map(Object.keys(table).map((name) => [name, prototype[name]!]))
}

/** The names of all methods, for messages. */
export const METHODS: readonly string[] = [...new Set([...Object.keys(TEXT), ...Object.keys(LIST)])].toSorted()

export interface MethodWorld {
  readonly fuel: Fuel
  readonly limits: ExprLimits
}

/** Calls a method of a text or list, paying for the size of the work before it is done. */
export function callMethod(receiver: unknown, name: string, args: readonly unknown[], world: MethodWorld): unknown {
  if (typeof receiver === 'string') return callText(receiver, name, args, world)
  if (Array.isArray(receiver)) return callList(receiver, name, args, world)
  throw failed(`\`${name}\` is a method of texts and lists, and is called on what is ${kindOf(receiver)}.`)
}

function callText(text: string, name: string, given: readonly unknown[], { fuel, limits }: MethodWorld): unknown {
  const method = TEXT_OWN.get(name) ?? unknownMethod('Texts', name, TEXT)
  checkArguments(name, TEXT[name]!, given)
  const [first, second] = given as readonly [string | number | undefined, string | number | undefined]
  // Looking for a long text in a long one may take the product of both.
  spend(fuel, text.length * (typeof first === 'string' ? CHAR_COST + Math.floor(first.length / 100) : CHAR_COST))
  if (name === 'split') {
    const items = Reflect.apply(method, text, [
      first,
      Math.min(Number(second ?? Infinity), limits.arrayLength + 1),
    ]) as unknown[]
    checkLength('arrayLength', name, items.length, limits)
    spend(fuel, items.length * ITEM_COST)
    return items
  }
  const made = madeLength(text, name, first)
  checkLength('stringLength', name, made, limits)
  spend(fuel, made * CHAR_COST)
  return Reflect.apply(method, text, given)
}

/** How long the text will be that a method makes, where it may be longer than what it is made of. */
function madeLength(text: string, name: string, first: string | number | undefined): number {
  switch (name) {
    case 'repeat':
      if (!(Number(first) >= 0)) throw failed('`repeat` needs a number from 0 up.')
      return text.length * Math.floor(Number(first))
    case 'padStart':
    case 'padEnd':
      return Math.max(text.length, Math.floor(Number(first)) || 0)
    case 'concat':
      return text.length + String(first).length
    default:
      return 0
  }
}

function callList(list: readonly unknown[], name: string, given: readonly unknown[], world: MethodWorld): unknown {
  const { fuel, limits } = world
  const method = LIST_OWN.get(name) ?? unknownMethod('Lists', name, LIST)
  checkArguments(name, LIST[name]!, given)
  const other = name === 'concat' ? (Array.isArray(given[0]) ? given[0].length : 1) : 0
  spend(fuel, (name === 'at' ? 1 : list.length + other) * ITEM_COST)
  if (name === 'join') return join(list, (given[0] as string | undefined) ?? ',', world)
  checkLength('arrayLength', name, name === 'slice' || name === 'concat' ? list.length + other : 0, limits)
  return Reflect.apply(method, list, given)
}

/** The language's own `join` would call what objects in the list say they are as text. */
function join(list: readonly unknown[], separator: string, { fuel, limits }: MethodWorld): string {
  const texts = list.map((item) => {
    if (
      typeof item === 'object' ? item !== null : !['string', 'number', 'boolean', 'undefined'].includes(typeof item)
    ) {
      throw failed(`\`join\` needs a list of texts and numbers, and this one holds what is ${kindOf(item)}.`)
    }
    return item == null ? '' : `${item as string | number}`
  })
  const made = texts.reduce((sum, text) => sum + text.length, separator.length * Math.max(0, list.length - 1))
  checkLength('stringLength', 'join', made, limits)
  spend(fuel, made * CHAR_COST)
  return texts.join(separator)
}

function checkArguments(name: string, signature: Signature, args: readonly unknown[]): void {
  const fits = (letter: string, value: unknown): boolean => {
    if (value === undefined && letter < 'a') return true
    const kind = letter.toLowerCase()
    return kind === 'a' || typeof value === (kind === 's' ? 'string' : 'number')
  }
  if (args.length <= signature.length && signature.split('').every((letter, index) => fits(letter, args[index]))) return
  const wanted = signature.split('').map((letter) => (letter < 'a' ? 'optionally ' : '') + WORDS[letter.toLowerCase()]!)
  throw failed(
    `\`${name}\` takes ${wanted.join(', ') || 'nothing'}, and is given ${args.length === 0 ? 'nothing' : `what is ${args.map(kindOf).join(', ')}`}.`,
  )
}

function checkLength(limit: 'stringLength' | 'arrayLength', name: string, made: number, limits: ExprLimits): void {
  if (made > limits[limit]) throw overLimit(limit, `\`${name}\` would make something of length ${made}`, limits[limit])
}

function unknownMethod(owners: string, name: string, table: Table): never {
  throw failed(`${owners} have no method \`${name}\`. They have: ${Object.keys(table).join(', ')}.`)
}
