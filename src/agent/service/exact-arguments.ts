import { MandateError } from '../../core/index.ts'

/** The names of the methods of a class. */
type MethodOf<C> = { [M in keyof C]: C[M] extends (...args: never[]) => unknown ? M : never }[keyof C] & string

/** The most arguments that each method takes. */
export type ArgumentCounts<C> = Readonly<Record<MethodOf<C>, number>>

/**
 * Lets the methods of a class refuse arguments that they do not take. JavaScript drops them silently, and an identity that is dropped lets the owner act
 * in its place: `service.reject(id, reason, identity)`. Methods named in `direct` throw, the others reject.
 */
export function refuseExtraArguments<C extends object>(
  prototype: C,
  counts: Partial<ArgumentCounts<C>>,
  direct: readonly string[],
): void {
  for (const [name, most] of Object.entries<number | undefined>(counts)) {
    const method = prototype[name as keyof C] as (...args: unknown[]) => unknown
    const exact = function exact(this: C, ...args: unknown[]): unknown {
      if (most === undefined || args.length <= most) return method.apply(this, args)
      const error = extraArguments(name, most, args.length)
      if (direct.includes(name)) throw error
      return Promise.reject(error)
    }
    Object.defineProperty(exact, 'name', { value: name })
    Object.defineProperty(prototype, name, { value: exact, writable: true, configurable: true })
  }
}

function extraArguments(name: string, most: number, given: number): MandateError {
  const takes = most === 0 ? 'no argument' : most === 1 ? 'one argument' : `at most ${most} arguments`
  return new MandateError(
    'INPUT_INVALID',
    `\`${name}\` takes ${takes}, and was given ${given}. It acts in the name of the service: for another identity, call it on \`service.as(identity)\`.`,
  )
}
