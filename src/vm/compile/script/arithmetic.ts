import type { Guest } from '../../value/guest.ts'
import type { Closure } from '../../value/guest-function.ts'
import { toNumber } from '../../value/convert.ts'
import { addSlow } from '../../value/operators.ts'
import { remainder } from '../../value/remainder.ts'

/**
 * The closures of arithmetic, by operator and form of the operands: `L` a local in a slot, `K` a constant, `E` any expression.
 *
 * Each is a function literal of its own on purpose. V8 keeps type feedback per literal, so closures from one factory over the operator
 * share it and lose their specialisation: measured in `bench -- vm`, a factory makes `fib25` 30 % slower and `loop1e6` 20 %, and one
 * literal per operator that reads either form makes `fib25` 30 % slower. Code made from strings is not allowed here.
 */
export type Constant = number | string
export type Forms<F> = Readonly<Record<'LK' | 'LL' | 'LE' | 'EL' | 'EK' | 'EE', F>>
export type MakeBinary = (x: never, y: never) => Closure

export const ARITHMETIC: ReadonlyMap<string, Forms<MakeBinary>> = new Map<string, Forms<MakeBinary>>([
  [
    '+',
    {
      LK:
        (x: number, y: Constant): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y
          return typeof a === 'number' && typeof b === 'number' ? a + b : addSlow(a, b)
        },
      LL:
        (x: number, y: number): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          return typeof a === 'number' && typeof b === 'number' ? a + b : addSlow(a, b)
        },
      LE:
        (x: number, y: Closure): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y(frame)
          return typeof a === 'number' && typeof b === 'number' ? a + b : addSlow(a, b)
        },
      EL:
        (x: Closure, y: number): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = frame[y] as Guest
          return typeof a === 'number' && typeof b === 'number' ? a + b : addSlow(a, b)
        },
      EK:
        (x: Closure, y: Constant): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y
          return typeof a === 'number' && typeof b === 'number' ? a + b : addSlow(a, b)
        },
      EE:
        (x: Closure, y: Closure): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y(frame)
          return typeof a === 'number' && typeof b === 'number' ? a + b : addSlow(a, b)
        },
    },
  ],
  [
    '-',
    {
      LK:
        (x: number, y: Constant): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y
          return typeof a === 'number' && typeof b === 'number' ? a - b : toNumber(a) - toNumber(b)
        },
      LL:
        (x: number, y: number): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          return typeof a === 'number' && typeof b === 'number' ? a - b : toNumber(a) - toNumber(b)
        },
      LE:
        (x: number, y: Closure): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y(frame)
          return typeof a === 'number' && typeof b === 'number' ? a - b : toNumber(a) - toNumber(b)
        },
      EL:
        (x: Closure, y: number): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = frame[y] as Guest
          return typeof a === 'number' && typeof b === 'number' ? a - b : toNumber(a) - toNumber(b)
        },
      EK:
        (x: Closure, y: Constant): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y
          return typeof a === 'number' && typeof b === 'number' ? a - b : toNumber(a) - toNumber(b)
        },
      EE:
        (x: Closure, y: Closure): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y(frame)
          return typeof a === 'number' && typeof b === 'number' ? a - b : toNumber(a) - toNumber(b)
        },
    },
  ],
  [
    '*',
    {
      LK:
        (x: number, y: Constant): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y
          return typeof a === 'number' && typeof b === 'number' ? a * b : toNumber(a) * toNumber(b)
        },
      LL:
        (x: number, y: number): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          return typeof a === 'number' && typeof b === 'number' ? a * b : toNumber(a) * toNumber(b)
        },
      LE:
        (x: number, y: Closure): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y(frame)
          return typeof a === 'number' && typeof b === 'number' ? a * b : toNumber(a) * toNumber(b)
        },
      EL:
        (x: Closure, y: number): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = frame[y] as Guest
          return typeof a === 'number' && typeof b === 'number' ? a * b : toNumber(a) * toNumber(b)
        },
      EK:
        (x: Closure, y: Constant): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y
          return typeof a === 'number' && typeof b === 'number' ? a * b : toNumber(a) * toNumber(b)
        },
      EE:
        (x: Closure, y: Closure): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y(frame)
          return typeof a === 'number' && typeof b === 'number' ? a * b : toNumber(a) * toNumber(b)
        },
    },
  ],
  [
    '/',
    {
      LK:
        (x: number, y: Constant): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y
          return typeof a === 'number' && typeof b === 'number' ? a / b : toNumber(a) / toNumber(b)
        },
      LL:
        (x: number, y: number): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          return typeof a === 'number' && typeof b === 'number' ? a / b : toNumber(a) / toNumber(b)
        },
      LE:
        (x: number, y: Closure): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y(frame)
          return typeof a === 'number' && typeof b === 'number' ? a / b : toNumber(a) / toNumber(b)
        },
      EL:
        (x: Closure, y: number): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = frame[y] as Guest
          return typeof a === 'number' && typeof b === 'number' ? a / b : toNumber(a) / toNumber(b)
        },
      EK:
        (x: Closure, y: Constant): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y
          return typeof a === 'number' && typeof b === 'number' ? a / b : toNumber(a) / toNumber(b)
        },
      EE:
        (x: Closure, y: Closure): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y(frame)
          return typeof a === 'number' && typeof b === 'number' ? a / b : toNumber(a) / toNumber(b)
        },
    },
  ],
  [
    '%',
    {
      LK:
        (x: number, y: Constant): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y
          return typeof a === 'number' && typeof b === 'number' ? remainder(a, b) : remainder(toNumber(a), toNumber(b))
        },
      LL:
        (x: number, y: number): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          return typeof a === 'number' && typeof b === 'number' ? remainder(a, b) : remainder(toNumber(a), toNumber(b))
        },
      LE:
        (x: number, y: Closure): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y(frame)
          return typeof a === 'number' && typeof b === 'number' ? remainder(a, b) : remainder(toNumber(a), toNumber(b))
        },
      EL:
        (x: Closure, y: number): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = frame[y] as Guest
          return typeof a === 'number' && typeof b === 'number' ? remainder(a, b) : remainder(toNumber(a), toNumber(b))
        },
      EK:
        (x: Closure, y: Constant): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y
          return typeof a === 'number' && typeof b === 'number' ? remainder(a, b) : remainder(toNumber(a), toNumber(b))
        },
      EE:
        (x: Closure, y: Closure): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y(frame)
          return typeof a === 'number' && typeof b === 'number' ? remainder(a, b) : remainder(toNumber(a), toNumber(b))
        },
    },
  ],
])
