import { canonical, sha256 } from '../../../core/index.ts'
import { exportValue } from '../../border/export.ts'
import { burn } from '../../meter/live.ts'
import { thrown } from '../../value/thrown.ts'
import type { InlineWork } from './inline-atom.ts'

/** The SHA-256 of a text, or of the canonical JSON of anything else. */
export const hash: InlineWork = (input) => {
  const value = input.get('value')
  if ((input.get('algorithm') ?? 'SHA-256') !== 'SHA-256')
    throw thrown('TypeError', 'hash: "algorithm" can only be "SHA-256".')
  const text = typeof value === 'string' ? value : canonical(exportValue(value))
  burn(text.length * 4)
  return sha256(text)
}
