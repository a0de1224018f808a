import { burn, charge, chargeString } from '../../meter/live.ts'
import { refused } from '../../meter/stop.ts'
import type { BuiltinFunction } from '../../value/builtin-function.ts'
import { toNumber, toText } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray } from '../../value/guest-array.ts'
import { getNamed } from '../../value/property.ts'
import { concat, noteMade } from '../../value/text/text.ts'
import { GuestSymbol } from '../../value/symbols.ts'
import { thrown } from '../../value/thrown.ts'
import { functions, global } from '../constructors.ts'

function fromCharCode(_: Guest, args: readonly Guest[]): string {
  chargeString(args.length)
  burn(args.length * 40)
  // Joined in one call, because a text built one character at a time uses many times its length.
  return args.map((code) => String.fromCharCode(toNumber(code))).join('')
}

function fromCodePoint(_: Guest, args: readonly Guest[]): string {
  charge(args.length * 2 + 24)
  burn(args.length * 40)
  const characters = args.map((arg) => {
    const code = toNumber(arg)
    if (!Number.isInteger(code) || code < 0 || code > 0x10ffff) {
      throw thrown('RangeError', `Invalid code point ${toText(arg)}`)
    }
    return String.fromCodePoint(code)
  })
  return noteMade(characters.join(''))
}

/** `String.raw`: the texts of a template as they are written, with the values between them. */
function raw(_: Guest, [template, ...values]: readonly Guest[]): string {
  if (template === null || template === undefined)
    throw thrown('TypeError', 'Cannot convert undefined or null to object')
  const texts = getNamed(template, 'raw')
  if (!(texts instanceof GuestArray))
    throw refused('String.raw takes a template, or an object with a list: `String.raw({ raw: ["a", "b"] }, value)`.')
  let made = ''
  texts.items.forEach((text, index) => {
    burn(100)
    made = concat(made, toText(text))
    if (index + 1 < texts.items.length && index < values.length) made = concat(made, toText(values[index]))
  })
  return made
}

/** `String(value)` and its functions. */
export const stringGlobal: BuiltinFunction = global('String', {
  call: (_, args) => (args.length === 0 ? '' : args[0] instanceof GuestSymbol ? args[0].text : toText(args[0])),
  members: functions('String', { fromCharCode: [1, fromCharCode], fromCodePoint: [1, fromCodePoint], raw: [1, raw] }),
})
