import { burn, charge, chargeString } from '../../meter/live.ts'
import type { BuiltinFunction } from '../../value/builtin-function.ts'
import { toNumber, toText } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { noteMade } from '../../value/text/text.ts'
import { thrown } from '../../value/thrown.ts'
import { functions, global } from '../constructors.ts'

function fromCharCode(_: Guest, args: readonly Guest[]): string {
  chargeString(args.length)
  burn(args.length * 40)
  // Joined at once: a text that grows by one character at a time holds many times its length.
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

/** `String(value)` and its functions. */
export const stringGlobal: BuiltinFunction = global('String', {
  call: (_, args) => (args.length === 0 ? '' : toText(args[0])),
  members: functions('String', { fromCharCode: [1, fromCharCode], fromCodePoint: [1, fromCodePoint] }),
})
