import { toNumber } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import type { Closure } from '../../value/guest-function.ts'
import { addSlow } from '../../value/operators.ts'
import { remainder } from '../../value/remainder.ts'
import type { Constant } from './arithmetic.ts'

type Make = (x: never, y: never) => Closure

/** `local op= operand` for an uncaptured local. Function literals of their own for the reason given in `arithmetic.ts`. */
export const ASSIGNMENTS: ReadonlyMap<string, Readonly<Record<'L' | 'K' | 'E', Make>>> = new Map<
  string,
  Readonly<Record<'L' | 'K' | 'E', Make>>
>([
  [
    '+',
    {
      L:
        (x: number, y: number): Closure =>
        (frame) => {
          const a = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          return (frame[x] = typeof a === 'number' && typeof b === 'number' ? a + b : addSlow(a, b))
        },
      K:
        (x: number, y: Constant): Closure =>
        (frame) => {
          const a = frame[x] as Guest
          const b: Guest = y
          return (frame[x] = typeof a === 'number' && typeof b === 'number' ? a + b : addSlow(a, b))
        },
      E:
        (x: number, y: Closure): Closure =>
        (frame) => {
          const a = frame[x] as Guest
          const b: Guest = y(frame)
          return (frame[x] = typeof a === 'number' && typeof b === 'number' ? a + b : addSlow(a, b))
        },
    },
  ],
  [
    '-',
    {
      L:
        (x: number, y: number): Closure =>
        (frame) => {
          const a = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          return (frame[x] = typeof a === 'number' && typeof b === 'number' ? a - b : toNumber(a) - toNumber(b))
        },
      K:
        (x: number, y: Constant): Closure =>
        (frame) => {
          const a = frame[x] as Guest
          const b: Guest = y
          return (frame[x] = typeof a === 'number' && typeof b === 'number' ? a - b : toNumber(a) - toNumber(b))
        },
      E:
        (x: number, y: Closure): Closure =>
        (frame) => {
          const a = frame[x] as Guest
          const b: Guest = y(frame)
          return (frame[x] = typeof a === 'number' && typeof b === 'number' ? a - b : toNumber(a) - toNumber(b))
        },
    },
  ],
  [
    '*',
    {
      L:
        (x: number, y: number): Closure =>
        (frame) => {
          const a = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          return (frame[x] = typeof a === 'number' && typeof b === 'number' ? a * b : toNumber(a) * toNumber(b))
        },
      K:
        (x: number, y: Constant): Closure =>
        (frame) => {
          const a = frame[x] as Guest
          const b: Guest = y
          return (frame[x] = typeof a === 'number' && typeof b === 'number' ? a * b : toNumber(a) * toNumber(b))
        },
      E:
        (x: number, y: Closure): Closure =>
        (frame) => {
          const a = frame[x] as Guest
          const b: Guest = y(frame)
          return (frame[x] = typeof a === 'number' && typeof b === 'number' ? a * b : toNumber(a) * toNumber(b))
        },
    },
  ],
  [
    '/',
    {
      L:
        (x: number, y: number): Closure =>
        (frame) => {
          const a = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          return (frame[x] = typeof a === 'number' && typeof b === 'number' ? a / b : toNumber(a) / toNumber(b))
        },
      K:
        (x: number, y: Constant): Closure =>
        (frame) => {
          const a = frame[x] as Guest
          const b: Guest = y
          return (frame[x] = typeof a === 'number' && typeof b === 'number' ? a / b : toNumber(a) / toNumber(b))
        },
      E:
        (x: number, y: Closure): Closure =>
        (frame) => {
          const a = frame[x] as Guest
          const b: Guest = y(frame)
          return (frame[x] = typeof a === 'number' && typeof b === 'number' ? a / b : toNumber(a) / toNumber(b))
        },
    },
  ],
  [
    '%',
    {
      L:
        (x: number, y: number): Closure =>
        (frame) => {
          const a = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          return (frame[x] =
            typeof a === 'number' && typeof b === 'number' ? remainder(a, b) : remainder(toNumber(a), toNumber(b)))
        },
      K:
        (x: number, y: Constant): Closure =>
        (frame) => {
          const a = frame[x] as Guest
          const b: Guest = y
          return (frame[x] =
            typeof a === 'number' && typeof b === 'number' ? remainder(a, b) : remainder(toNumber(a), toNumber(b)))
        },
      E:
        (x: number, y: Closure): Closure =>
        (frame) => {
          const a = frame[x] as Guest
          const b: Guest = y(frame)
          return (frame[x] =
            typeof a === 'number' && typeof b === 'number' ? remainder(a, b) : remainder(toNumber(a), toNumber(b)))
        },
    },
  ],
])
