import { live } from '../meter/live.ts'
import { toText } from '../value/convert.ts'
import type { GuestObject } from '../value/guest-object.ts'
import type { AnyAtom } from './atom.ts'
import { inlineAtom, refuse } from './inline-atom.ts'

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'
const TEXT_LENGTH = 10

/** Chance and speech. Under the kernel the numbers are the same when a run is resumed. */
export const CHANCE_ATOMS: readonly AnyAtom[] = [
  inlineAtom({
    op: 'random',
    docs: 'A random number from min to max; format "integer" makes it whole, "base36" gives text of this length.',
    input: { min: 'number?', max: 'number?', format: 'string?', length: 'size?' },
    output: 'any',
    cost: 1,
    run: randomOf,
  }),
  inlineAtom({
    op: 'uuid',
    docs: 'A random UUID.',
    input: {},
    output: 'string',
    cost: 1,
    run() {
      const hex = Array.from({ length: 32 }, () => digit(16))
      hex[12] = '4'
      hex[16] = DIGITS[8 + Math.floor(live.machine.random() * 4)]!
      const text = hex.join('')
      return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-')
    },
  }),
  inlineAtom({
    op: 'consoleLog',
    docs: 'Writes a line for whoever looks at the run.',
    input: { message: 'any' },
    output: 'any',
    cost: 0.1,
    run: (input) => said('log', input),
  }),
  inlineAtom({
    op: 'consoleWarn',
    docs: 'Adds a line to the warnings of the result.',
    input: { message: 'any' },
    output: 'any',
    cost: 0.1,
    run: (input) => said('warn', input),
  }),
  inlineAtom({
    op: 'consoleError',
    docs: 'Fails with this message.',
    input: { message: 'any' },
    output: 'any',
    cost: 0.1,
    run(input) {
      refuse('Error', toText(input.get('message')))
    },
  }),
]

function digit(base: number): string {
  return DIGITS[Math.floor(live.machine.random() * base)]!
}

function randomOf(input: GuestObject): string | number {
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
  refuse('TypeError', 'random: "format" must be "float", "integer" or "base36".')
}

function said(level: 'log' | 'warn', input: GuestObject): undefined {
  live.machine.print(level, toText(input.get('message')))
  return undefined
}
