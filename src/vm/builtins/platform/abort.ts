import { burn, charge } from '../../meter/live.ts'
import type { BuiltinFunction } from '../../value/builtin-function.ts'
import type { Receiver } from '../../value/builtin-table.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestAbortController, GuestAbortSignal } from '../../value/native/guest-abort.ts'
import { carry, newError, thrown } from '../../value/thrown.ts'
import { functions, global } from '../constructors.ts'

function controllerOf(receiver: Guest, method: string): GuestAbortController {
  if (receiver instanceof GuestAbortController) return receiver
  throw thrown('TypeError', `AbortController.${method} is called on something that is no AbortController`)
}

function signalOf(receiver: Guest, method: string): GuestAbortSignal {
  if (receiver instanceof GuestAbortSignal) return receiver
  throw thrown('TypeError', `AbortSignal.${method} is called on something that is no AbortSignal`)
}

/** Aborts a signal. Only the first call has an effect. */
function abort(signal: GuestAbortSignal, reason: Guest): void {
  if (signal.isAborted) return
  signal.isAborted = true
  signal.reason = reason === undefined ? newError('AbortError', 'This operation was aborted') : reason
}

function notMade(name: string): never {
  throw thrown('TypeError', name === 'AbortSignal' ? 'Illegal constructor' : `Constructor ${name} requires 'new'`)
}

/** `AbortController` and `AbortSignal`. */
export const abortGlobals: ReadonlyMap<string, BuiltinFunction> = new Map([
  [
    'AbortController',
    global('AbortController', {
      arity: 0,
      call: () => notMade('AbortController'),
      construct: () => {
        charge(160)
        return new GuestAbortController()
      },
    }),
  ],
  [
    'AbortSignal',
    global('AbortSignal', {
      arity: 0,
      call: () => notMade('AbortSignal'),
      construct: () => notMade('AbortSignal'),
      members: functions('AbortSignal', {
        abort: [
          0,
          (_, [reason]) => {
            charge(96)
            const signal = new GuestAbortSignal()
            abort(signal, reason)
            return signal
          },
        ],
      }),
    }),
  ],
])

/** Methods of controllers and signals. */
export const abortMethods: readonly (readonly [Receiver, ReadonlyMap<string, BuiltinFunction>])[] = [
  [
    'abortcontroller',
    functions('abortcontroller', {
      abort: [
        0,
        (receiver, [reason]) => {
          abort(controllerOf(receiver, 'abort').signal, reason)
          return undefined
        },
      ],
    }),
  ],
  [
    'abortsignal',
    functions('abortsignal', {
      throwIfAborted: [
        0,
        (receiver) => {
          const { isAborted, reason } = signalOf(receiver, 'throwIfAborted')
          if (!isAborted) return undefined
          // About the time that the platform needs to throw and catch.
          burn(2_000)
          throw carry(reason)
        },
      ],
    }),
  ],
]

type Getter = (receiver: never) => Guest

/** Properties of controllers and signals. */
export const abortGetters: readonly (readonly [Receiver, ReadonlyMap<string, Getter>])[] = [
  ['abortcontroller', new Map<string, Getter>([['signal', ({ signal }: GuestAbortController) => signal]])],
  [
    'abortsignal',
    new Map<string, Getter>([
      ['aborted', ({ isAborted }: GuestAbortSignal) => isAborted],
      ['reason', ({ reason }: GuestAbortSignal) => reason],
    ]),
  ],
]
