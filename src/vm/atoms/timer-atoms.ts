import { MandateError } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { TIMER_KIND } from '../port.ts'
import type { CapabilityTree } from '../port.ts'
import type { AnyAtom } from './atom.ts'
import { coreAtoms } from './registry.ts'

/** The field of the step that a script passes as the first argument. */
const FIELDS = { sleep: 'ms', waitUntil: 'time' } as const

type TimerOp = keyof typeof FIELDS

/** Longer waits are refused, because they are usually a wrong unit. */
const MAX_MS = 10 * 366 * 24 * 3_600_000

/** Whether an atom is a timer. An atom of the host with the same name is not: it has its own implementation. */
export function isTimerAtom(atom: AnyAtom | undefined): boolean {
  return atom !== undefined && (atom === coreAtoms.sleep || atom === coreAtoms.waitUntil)
}

/** `sleep` and `waitUntil` as global functions of scripts, unless the host has atoms of its own under these names. */
export function timerGlobals(atoms: ReadonlyMap<string, AnyAtom>): CapabilityTree {
  const names = Object.keys(FIELDS).filter((name) => isTimerAtom(atoms.get(name)))
  return Object.fromEntries(names.map((name) => [name, { kind: TIMER_KIND, name }]))
}

/** Returns the input of the atom. A global function receives it as its argument. */
export function timerInput(kind: string, name: string, input: Json): Json {
  return kind === TIMER_KIND ? { [FIELDS[name as TimerOp]]: input } : input
}

/** Returns the time at which a wait ends, in milliseconds since 1970. */
export function wakeTime(op: string, input: Json, now: number): number {
  const { ms, time } = (input ?? {}) as Readonly<Record<string, Json>>
  const at = op === 'sleep' ? now + duration(ms) : moment(time)
  if (at - now <= MAX_MS) return at
  throw new MandateError('INPUT_INVALID', `${op}: that is more than ten years from now. Wait for less.`)
}

function duration(ms: Json | undefined): number {
  if (typeof ms === 'number' && ms >= 0 && Number.isFinite(ms)) return Math.ceil(ms)
  throw new MandateError('INPUT_INVALID', 'sleep: give a number of milliseconds from 0 up, as in sleep(60_000).')
}

function moment(time: Json | undefined): number {
  const at = typeof time === 'string' ? Date.parse(time) : time
  if (typeof at === 'number' && Number.isFinite(at)) return Math.ceil(at)
  throw new MandateError(
    'INPUT_INVALID',
    "waitUntil: give a date, milliseconds since 1970, or a date and time as text, as in waitUntil('2027-01-31T09:00:00Z').",
  )
}
