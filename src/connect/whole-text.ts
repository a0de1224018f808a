import { MandateError } from '../core/index.ts'
import { isChecked } from './checks.ts'

/** Throws for a text with a lone surrogate. Encoded as UTF-8 it would silently become another character. */
export function checkWhole(text: string, what: string): void {
  if (text.isWellFormed() || !isChecked('text.whole')) return
  throw new MandateError(
    'INPUT_INVALID',
    `${what} holds half a character (a lone surrogate), which would be changed on its way. Send whole characters.`,
  )
}
