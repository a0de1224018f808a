import type { Guest } from '../../value/guest.ts'
import type { Closure } from '../../value/guest-function.ts'
import { toNumber } from '../../value/convert.ts'
import { addSlow } from '../../value/operators.ts'
import { remainder } from '../../value/remainder.ts'

/**
 * One function literal for every operator and form of operands: `L` a plain local, `K` a constant, `E` anything else.
 * Closures of one literal share what the platform learnt about types, so a literal for all would be slow for all.
 */
export type Constant = number | string
export type Forms<F> = Readonly<Record<'LK' | 'LL' | 'LE' | 'EL' | 'EK' | 'EE', F>>

type Make = (x: never, y: never) => Closure

/** Arithmetic. */
export const ARITHMETIC: ReadonlyMap<string, Forms<Make>> = new Map<string, Forms<Make>>([
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
