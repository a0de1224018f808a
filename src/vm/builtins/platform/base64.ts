import { burn, chargeText } from '../../meter/live.ts'
import type { BuiltinFunction } from '../../value/builtin-function.ts'
import { noteMade } from '../../value/text/text.ts'
import { thrown } from '../../value/thrown.ts'
import { textArgument } from '../argument-reads.ts'
import { func } from '../constructors.ts'

/** Units per character: each is read once and written once. */
const PER_CHARACTER = 12

function coded(name: string, growth: number, work: (text: string) => string): [string, BuiltinFunction] {
  return [
    name,
    func(name, 1, (_, args) => {
      const text = textArgument(args[0])
      burn(text.length * PER_CHARACTER)
      chargeText(Math.ceil(text.length * growth) + 4)
      try {
        return noteMade(work(text))
      } catch {
        // Browsers and Node throw a DOMException of this name.
        throw thrown(
          'InvalidCharacterError',
          `${name}: the text has characters that base64 cannot ${name === 'btoa' ? 'write' : 'have'}.`,
        )
      }
    }),
  ]
}

/** `btoa` and `atob`: base64 of texts whose characters are bytes. */
export const base64Functions: ReadonlyMap<string, BuiltinFunction> = new Map([
  coded('atob', 1, (text) => globalThis.atob(text)),
  coded('btoa', 4 / 3, (text) => globalThis.btoa(text)),
])
