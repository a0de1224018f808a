import { charge, live } from '../meter/live.ts'
import type { BuiltinFunction } from '../value/builtin-function.ts'
import { toText } from '../value/convert.ts'
import type { Guest } from '../value/guest.ts'
import { GuestSymbol, WELL_KNOWN } from '../value/symbols.ts'
import { touchKey } from '../value/text/text.ts'
import { thrown } from '../value/thrown.ts'
import { describe } from './argument-reads.ts'
import { functions, global, row, type Rows } from './constructors.ts'

const SYMBOL_BYTES = 64

function symbolOf(receiver: Guest, method: string): GuestSymbol {
  if (receiver instanceof GuestSymbol) return receiver
  throw thrown('TypeError', `Symbol.prototype.${method} was called on ${describe(receiver)}`)
}

/** Creates a unique symbol. */
function make(description: Guest): GuestSymbol {
  const text = description === undefined ? undefined : toText(description)
  charge(SYMBOL_BYTES)
  return live.machine.symbols.unique(text)
}

/** Returns the shared symbol of a name. */
function shared(name: Guest): GuestSymbol {
  const text = toText(name)
  touchKey(text)
  charge(SYMBOL_BYTES + text.length)
  return live.machine.symbols.byName(text)
}

/** Methods of symbols. */
export const symbolRows: Rows = {
  toString: row(0, (receiver) => symbolOf(receiver, 'toString').text),
  valueOf: row(0, (receiver) => symbolOf(receiver, 'valueOf')),
}

/** Properties of symbols. */
export const symbolGetters: ReadonlyMap<string, (receiver: never) => Guest> = new Map([
  ['description', (receiver: GuestSymbol): Guest => receiver.description],
])

/** `Symbol`. */
export const symbolGlobal: BuiltinFunction = global('Symbol', {
  arity: 0,
  call: (_, [description]) => make(description),
  members: new Map<string, Guest>([...WELL_KNOWN, ...functions('Symbol', { for: [1, (_, [name]) => shared(name)] })]),
})
