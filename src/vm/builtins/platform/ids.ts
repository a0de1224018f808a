import { burn, chargeString, live } from '../../meter/live.ts'
import type { BuiltinFunction } from '../../value/builtin-function.ts'
import type { Guest } from '../../value/guest.ts'
import { functions, namespace } from '../constructors.ts'

const WORD = 2 ** 32

function word(): string {
  return Math.floor(live.machine.random() * WORD)
    .toString(16)
    .padStart(8, '0')
}

/** A random UUID of version 4, from the random numbers of the run: the same in every replay. */
function randomUuid(): string {
  burn(8_000)
  chargeString(36)
  const digits = word() + word() + word() + word()
  const variant = ((Number.parseInt(digits.slice(16, 17), 16) & 3) | 8).toString(16)
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`, variant + digits.slice(17, 20)]
  return [...parts, digits.slice(20)].join('-')
}

/** `crypto`, of which scripts have random ids. */
export const cryptoGlobal: BuiltinFunction = namespace('crypto', functions('crypto', { randomUUID: [0, randomUuid] }))

/** `performance`: its clock is that of `Date.now()`, the recorded one of the run, counted from 1970. */
export const performanceGlobal: BuiltinFunction = namespace(
  'performance',
  new Map<string, Guest>([...functions('performance', { now: [0, () => live.machine.now()] }), ['timeOrigin', 0]]),
)
