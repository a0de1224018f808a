import { live } from '../../meter/live.ts'
import { thrown } from '../../value/thrown.ts'
import type { InlineWork } from './inline-atom.ts'

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'
const TEXT_LENGTH = 10

/** A random UUID. Under the kernel the numbers are the same when a run is resumed. */
export const uuid: InlineWork = () => {
  const hex = Array.from({ length: 32 }, () => digit(16))
  hex[12] = '4'
  hex[16] = DIGITS[8 + Math.floor(live.machine.random() * 4)]!
  const text = hex.join('')
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-')
}

function digit(base: number): string {
  return DIGITS[Math.floor(live.machine.random() * base)]!
}

/** A random number, or a text of random digits. */
export const random: InlineWork = (input) => {
  const {
    min = 0,
    max,
    format = 'float',
    length = TEXT_LENGTH,
  } = {
    min: input.get('min') as number | undefined,
    max: input.get('max') as number | undefined,
    format: input.get('format') as string | undefined,
    length: input.get('length') as number | undefined,
  }
  if (format === 'base36') return Array.from({ length }, () => digit(36)).join('')
  if (format === 'integer') return Math.floor(min + live.machine.random() * ((max ?? 100) - min + 1))
  if (format === 'float') return min + live.machine.random() * ((max ?? 1) - min)
  throw thrown('TypeError', 'random: "format" must be "float", "integer" or "base36".')
}
