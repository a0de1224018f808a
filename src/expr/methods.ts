import { CHAR_COST, ITEM_COST, payFor, spend } from './fuel.ts'
import type { Meter } from './fuel.ts'
import { accepts } from './operators.ts'
import { kindOf } from './read-node.ts'
import { failed } from './errors.ts'

type Table = { readonly [name: string]: (...args: never[]) => unknown }

/** The native functions, captured at load, so that later changes of prototypes have no effect. */
const TEXT = pick(String.prototype, 'includes startsWith endsWith indexOf slice at trim toLowerCase toUpperCase split')
const LIST = pick(Array.prototype, 'includes indexOf slice at join')

function pick(prototype: object, names: string): Table {
  return Object.fromEntries(names.split(' ').map((name) => [name, (prototype as Table)[name]!]))
}

/**
 * Calls a method of a text or list through the table of its type, never a function that it holds. The work is charged before it is done. Only `join`
 * and `split` can create more than their input.
 */
export function callMethod(receiver: unknown, name: string, args: readonly unknown[], meter: Meter): unknown {
  const isText = typeof receiver === 'string'
  const table = isText ? TEXT : Array.isArray(receiver) ? LIST : {}
  const list = receiver as readonly unknown[]
  const first = args[0] as string | undefined
  // Objects would be converted by calling their methods, and `undefined` would become the word "undefined".
  if (!Object.hasOwn(table, name) || !args.every((item) => accepts('+', '', item))) {
    throw failed(
      `There is no \`${name}(${args.map(kindOf).join(', ')})\` of ${kindOf(receiver)}. There are: ${Object.keys(table).join(', ')}.`,
    )
  }
  // Searching a long text in another can take the product of their lengths.
  spend(meter.fuel, list.length * (isText ? CHAR_COST + Math.floor((first?.length ?? 0) / 100) : ITEM_COST))
  if (name === 'join') return joinTexts(list, first ?? ',', meter)
  // One more than allowed, to detect an excess.
  const given = name === 'split' ? [first, meter.limits.arrayLength + 1] : args
  const result = Reflect.apply(table[name]!, receiver, given) as unknown
  if (name === 'split') payFor('arrayLength', meter, (result as string).length)
  return result
}

/** Joins texts, numbers and booleans. The native `join` would call methods of objects in the list. */
export function joinTexts(list: readonly unknown[], separator: string, meter: Meter): string {
  return list.reduce<string>((text, item, index) => {
    if (!accepts('+', '', item)) throw failed(`A text cannot take ${kindOf(item)}.`)
    const longer = text + (index > 0 ? separator : '') + String(item)
    payFor('stringLength', meter, longer.length, longer.length - text.length)
    return longer
  }, '')
}
