import { NEXT } from '../../machine/activation.ts'
import { live } from '../../meter/live.ts'
import type { Guest } from '../../value/guest.ts'
import type { Frame } from '../../value/guest-function.ts'
import { atLeastSlow, atMostSlow, lessSlow, moreSlow, strictEquals } from '../../value/operators.ts'
import type { Constant } from './arithmetic.ts'

type Run = (frame: Frame) => unknown

/** A branch on a comparison in one closure: both sides with their costs. */
interface Choice {
  readonly x: never
  readonly y: never
  readonly then: Run
  readonly thenCost: number
  /** Absent for an `if` without `else`. */
  readonly otherwise: Run | undefined
  readonly otherwiseCost: number
}

type ChoiceForms = Readonly<Record<'LK' | 'LL' | 'EK' | 'EE', (choice: Choice) => Run>>

/**
 * Branches on a comparison, by operator and form of the operands. Function literals of their own for the reason given in `arithmetic.ts`;
 * moving only the taking of the branch into a shared function makes `fib25` 13 % and `array1e5` 24 % slower.
 */
export const CHOICES: ReadonlyMap<string, ChoiceForms> = new Map<string, ChoiceForms>([
  [
    '<',
    {
      LK: (choice: Choice): Run => {
        const x = choice.x as number
        const y = choice.y as Constant
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y
          if (typeof a === 'number' && typeof b === 'number' ? a < b : lessSlow(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
      LL: (choice: Choice): Run => {
        const x = choice.x as number
        const y = choice.y as number
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          if (typeof a === 'number' && typeof b === 'number' ? a < b : lessSlow(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
      EK: (choice: Choice): Run => {
        const x = choice.x as (frame: Frame) => Guest
        const y = choice.y as Constant
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y
          if (typeof a === 'number' && typeof b === 'number' ? a < b : lessSlow(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
      EE: (choice: Choice): Run => {
        const x = choice.x as (frame: Frame) => Guest
        const y = choice.y as (frame: Frame) => Guest
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y(frame)
          if (typeof a === 'number' && typeof b === 'number' ? a < b : lessSlow(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
    },
  ],
  [
    '>',
    {
      LK: (choice: Choice): Run => {
        const x = choice.x as number
        const y = choice.y as Constant
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y
          if (typeof a === 'number' && typeof b === 'number' ? a > b : moreSlow(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
      LL: (choice: Choice): Run => {
        const x = choice.x as number
        const y = choice.y as number
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          if (typeof a === 'number' && typeof b === 'number' ? a > b : moreSlow(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
      EK: (choice: Choice): Run => {
        const x = choice.x as (frame: Frame) => Guest
        const y = choice.y as Constant
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y
          if (typeof a === 'number' && typeof b === 'number' ? a > b : moreSlow(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
      EE: (choice: Choice): Run => {
        const x = choice.x as (frame: Frame) => Guest
        const y = choice.y as (frame: Frame) => Guest
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y(frame)
          if (typeof a === 'number' && typeof b === 'number' ? a > b : moreSlow(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
    },
  ],
  [
    '<=',
    {
      LK: (choice: Choice): Run => {
        const x = choice.x as number
        const y = choice.y as Constant
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y
          if (typeof a === 'number' && typeof b === 'number' ? a <= b : atMostSlow(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
      LL: (choice: Choice): Run => {
        const x = choice.x as number
        const y = choice.y as number
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          if (typeof a === 'number' && typeof b === 'number' ? a <= b : atMostSlow(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
      EK: (choice: Choice): Run => {
        const x = choice.x as (frame: Frame) => Guest
        const y = choice.y as Constant
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y
          if (typeof a === 'number' && typeof b === 'number' ? a <= b : atMostSlow(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
      EE: (choice: Choice): Run => {
        const x = choice.x as (frame: Frame) => Guest
        const y = choice.y as (frame: Frame) => Guest
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y(frame)
          if (typeof a === 'number' && typeof b === 'number' ? a <= b : atMostSlow(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
    },
  ],
  [
    '>=',
    {
      LK: (choice: Choice): Run => {
        const x = choice.x as number
        const y = choice.y as Constant
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y
          if (typeof a === 'number' && typeof b === 'number' ? a >= b : atLeastSlow(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
      LL: (choice: Choice): Run => {
        const x = choice.x as number
        const y = choice.y as number
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          if (typeof a === 'number' && typeof b === 'number' ? a >= b : atLeastSlow(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
      EK: (choice: Choice): Run => {
        const x = choice.x as (frame: Frame) => Guest
        const y = choice.y as Constant
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y
          if (typeof a === 'number' && typeof b === 'number' ? a >= b : atLeastSlow(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
      EE: (choice: Choice): Run => {
        const x = choice.x as (frame: Frame) => Guest
        const y = choice.y as (frame: Frame) => Guest
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y(frame)
          if (typeof a === 'number' && typeof b === 'number' ? a >= b : atLeastSlow(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
    },
  ],
  [
    '===',
    {
      LK: (choice: Choice): Run => {
        const x = choice.x as number
        const y = choice.y as Constant
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y
          if (strictEquals(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
      LL: (choice: Choice): Run => {
        const x = choice.x as number
        const y = choice.y as number
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          if (strictEquals(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
      EK: (choice: Choice): Run => {
        const x = choice.x as (frame: Frame) => Guest
        const y = choice.y as Constant
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y
          if (strictEquals(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
      EE: (choice: Choice): Run => {
        const x = choice.x as (frame: Frame) => Guest
        const y = choice.y as (frame: Frame) => Guest
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y(frame)
          if (strictEquals(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
    },
  ],
  [
    '!==',
    {
      LK: (choice: Choice): Run => {
        const x = choice.x as number
        const y = choice.y as Constant
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = y
          if (!strictEquals(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
      LL: (choice: Choice): Run => {
        const x = choice.x as number
        const y = choice.y as number
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = frame[x] as Guest
          const b: Guest = frame[y] as Guest
          if (!strictEquals(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
      EK: (choice: Choice): Run => {
        const x = choice.x as (frame: Frame) => Guest
        const y = choice.y as Constant
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y
          if (!strictEquals(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
      EE: (choice: Choice): Run => {
        const x = choice.x as (frame: Frame) => Guest
        const y = choice.y as (frame: Frame) => Guest
        const { then, thenCost, otherwise, otherwiseCost } = choice
        return (frame) => {
          const a: Guest = x(frame)
          const b: Guest = y(frame)
          if (!strictEquals(a, b)) {
            live.fuel -= thenCost
            return then(frame)
          }
          live.fuel -= otherwiseCost
          return otherwise === undefined ? NEXT : otherwise(frame)
        }
      },
    },
  ],
])
