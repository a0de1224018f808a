import { CHAR_COST, ITEM_COST, payFor, spend } from './fuel.ts'
import type { Meter } from './fuel.ts'
import { accepts } from './operators.ts'
import { kindOf } from './read-node.ts'
import { failed } from './errors.ts'

type Table = { readonly [name: string]: (...args: never[]) => unknown }

/** The language's own functions, taken when the room is loaded: what happens to prototypes later changes nothing. */
const TEXT = pick(String.prototype, 'includes startsWith endsWith indexOf slice at trim toLowerCase toUpperCase split')
const LIST = pick(Array.prototype, 'includes indexOf slice at join')

function pick(prototype: object, names: string): Table {
  return Object.fromEntries(names.split(' ').map((name) => [name, (prototype as Table)[name]!]))
}

/**
 * Calls a method of a text or list through the table of its type, never a function that it holds. The size of the work is paid for before it
 * is done. No method here makes more than it is given, but for `join` and `split`.
 */
export function callMethod(receiver: unknown, name: string, args: readonly unknown[], meter: Meter): unknown {
  const isText = typeof receiver === 'string'
  const table = isText ? TEXT : Array.isArray(receiver) ? LIST : {}
  const list = receiver as readonly unknown[]
  const first = args[0] as string | undefined
  // Objects would be asked what they are as a text or number, and what is missing would be looked for as the word "undefined".
  if (!Object.hasOwn(table, name) || !args.every((item) => accepts('+', '', item))) {
    throw failed(
      `There is no \`${name}(${args.map(kindOf).join(', ')})\` of ${kindOf(receiver)}. There are: ${Object.keys(table).join(', ')}.`,
    )
  }
  // Looking for a long text in a long one may take the product of both.
  spend(meter.fuel, list.length * (isText ? CHAR_COST + Math.floor((first?.length ?? 0) / 100) : ITEM_COST))
  if (name === 'join') return joinTexts(list, first ?? ',', meter)
  // One more than may be, to see that it was too many.
  const given = name === 'split' ? [first, meter.limits.arrayLength + 1] : args
  const result = Reflect.apply(table[name]!, receiver, given) as unknown
  if (name === 'split') payFor('arrayLength', meter, (result as string).length)
  return result
}

/** Joins texts and what can be joined with them. The language's own `join` would ask objects in the list what they are as text. */
export function joinTexts(list: readonly unknown[], separator: string, meter: Meter): string {
  return list.reduce<string>((text, item, index) => {
    if (!accepts('+', '', item)) throw failed(`A text cannot take ${kindOf(item)}.`)
    const longer = text + (index > 0 ? separator : '') + String(item)
    payFor('stringLength', meter, longer.length, longer.length - text.length)
    return longer
  }, '')
}
