import type { Guest } from '../../value/guest.ts'
import type { Closure } from '../../value/guest-function.ts'
import { atLeastSlow, atMostSlow, lessSlow, moreSlow, strictEquals } from '../../value/operators.ts'
import type { Constant, Forms } from './arithmetic.ts'

type Make = (x: never, y: never) => Closure

function sameValue(a: Guest, b: Guest): boolean {
  return typeof a === 'string' && typeof b === 'string' ? strictEquals(a, b) : a === b
}

/** Comparisons. */
export const COMPARISONS: ReadonlyMap<string, Forms<Make>> = new Map<string, Forms<Make>>([
  [
    '<',
    {
      LK:
        (x: number, y: Constant): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y
          return typeof a === 'number' && typeof b === 'number' ? a < b : lessSlow(a, b)
        },
      LL:
        (x: number, y: number): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          return typeof a === 'number' && typeof b === 'number' ? a < b : lessSlow(a, b)
        },
      LE:
        (x: number, y: Closure): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y(frame)
          return typeof a === 'number' && typeof b === 'number' ? a < b : lessSlow(a, b)
        },
      EL:
        (x: Closure, y: number): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = frame[y] as Guest
          return typeof a === 'number' && typeof b === 'number' ? a < b : lessSlow(a, b)
        },
      EK:
        (x: Closure, y: Constant): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y
          return typeof a === 'number' && typeof b === 'number' ? a < b : lessSlow(a, b)
        },
      EE:
        (x: Closure, y: Closure): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y(frame)
          return typeof a === 'number' && typeof b === 'number' ? a < b : lessSlow(a, b)
        },
    },
  ],
  [
    '>',
    {
      LK:
        (x: number, y: Constant): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y
          return typeof a === 'number' && typeof b === 'number' ? a > b : moreSlow(a, b)
        },
      LL:
        (x: number, y: number): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          return typeof a === 'number' && typeof b === 'number' ? a > b : moreSlow(a, b)
        },
      LE:
        (x: number, y: Closure): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y(frame)
          return typeof a === 'number' && typeof b === 'number' ? a > b : moreSlow(a, b)
        },
      EL:
        (x: Closure, y: number): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = frame[y] as Guest
          return typeof a === 'number' && typeof b === 'number' ? a > b : moreSlow(a, b)
        },
      EK:
        (x: Closure, y: Constant): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y
          return typeof a === 'number' && typeof b === 'number' ? a > b : moreSlow(a, b)
        },
      EE:
        (x: Closure, y: Closure): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y(frame)
          return typeof a === 'number' && typeof b === 'number' ? a > b : moreSlow(a, b)
        },
    },
  ],
  [
    '<=',
    {
      LK:
        (x: number, y: Constant): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y
          return typeof a === 'number' && typeof b === 'number' ? a <= b : atMostSlow(a, b)
        },
      LL:
        (x: number, y: number): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          return typeof a === 'number' && typeof b === 'number' ? a <= b : atMostSlow(a, b)
        },
      LE:
        (x: number, y: Closure): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y(frame)
          return typeof a === 'number' && typeof b === 'number' ? a <= b : atMostSlow(a, b)
        },
      EL:
        (x: Closure, y: number): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = frame[y] as Guest
          return typeof a === 'number' && typeof b === 'number' ? a <= b : atMostSlow(a, b)
        },
      EK:
        (x: Closure, y: Constant): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y
          return typeof a === 'number' && typeof b === 'number' ? a <= b : atMostSlow(a, b)
        },
      EE:
        (x: Closure, y: Closure): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y(frame)
          return typeof a === 'number' && typeof b === 'number' ? a <= b : atMostSlow(a, b)
        },
    },
  ],
  [
    '>=',
    {
      LK:
        (x: number, y: Constant): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y
          return typeof a === 'number' && typeof b === 'number' ? a >= b : atLeastSlow(a, b)
        },
      LL:
        (x: number, y: number): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          return typeof a === 'number' && typeof b === 'number' ? a >= b : atLeastSlow(a, b)
        },
      LE:
        (x: number, y: Closure): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y(frame)
          return typeof a === 'number' && typeof b === 'number' ? a >= b : atLeastSlow(a, b)
        },
      EL:
        (x: Closure, y: number): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = frame[y] as Guest
          return typeof a === 'number' && typeof b === 'number' ? a >= b : atLeastSlow(a, b)
        },
      EK:
        (x: Closure, y: Constant): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y
          return typeof a === 'number' && typeof b === 'number' ? a >= b : atLeastSlow(a, b)
        },
      EE:
        (x: Closure, y: Closure): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y(frame)
          return typeof a === 'number' && typeof b === 'number' ? a >= b : atLeastSlow(a, b)
        },
    },
  ],
  [
    '===',
    {
      LK:
        (x: number, y: Constant): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y
          return sameValue(a, b)
        },
      LL:
        (x: number, y: number): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          return sameValue(a, b)
        },
      LE:
        (x: number, y: Closure): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y(frame)
          return sameValue(a, b)
        },
      EL:
        (x: Closure, y: number): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = frame[y] as Guest
          return sameValue(a, b)
        },
      EK:
        (x: Closure, y: Constant): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y
          return sameValue(a, b)
        },
      EE:
        (x: Closure, y: Closure): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y(frame)
          return sameValue(a, b)
        },
    },
  ],
  [
    '!==',
    {
      LK:
        (x: number, y: Constant): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y
          return !sameValue(a, b)
        },
      LL:
        (x: number, y: number): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          return !sameValue(a, b)
        },
      LE:
        (x: number, y: Closure): Closure =>
        (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y(frame)
          return !sameValue(a, b)
        },
      EL:
        (x: Closure, y: number): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = frame[y] as Guest
          return !sameValue(a, b)
        },
      EK:
        (x: Closure, y: Constant): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y
          return !sameValue(a, b)
        },
      EE:
        (x: Closure, y: Closure): Closure =>
        (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y(frame)
          return !sameValue(a, b)
        },
    },
  ],
])
