import { MandateError } from '../../core/index.ts'

interface Shape {
  /** A description for the error message. */
  readonly what: string
  readonly methods: readonly string[]
  /** The property that identifies it, if it has one. */
  readonly named?: string | undefined
}

/** Throws on an object that lacks methods when it is passed in, rather than in the middle of a run. */
export function checkShape(given: unknown, { what, methods, named }: Shape): void {
  const members = (typeof given === 'object' && given !== null ? given : {}) as Record<string, unknown>
  const missing = methods.filter((name) => typeof members[name] !== 'function')
  if (named !== undefined && typeof members[named] !== 'string') missing.push(named)
  if (missing.length === 0) return
  throw new MandateError(
    'CONFIG_INVALID',
    `This is no ${what}: it has no ${missing.map((name) => `\`${name}\``).join(' and no ')}. Give the object that the provider's own package makes.`,
  )
}

/** Returns the answer if it is an object with these lists. An answer of another shape is a failed call, not a crash. */
export function answerWith<T>(answer: T, lists: readonly (keyof T & string)[], provider: string): T {
  const members = (typeof answer === 'object' && answer !== null ? answer : {}) as Partial<T>
  const missing = lists.filter((name) => !Array.isArray(members[name]))
  if (members === answer && missing.length === 0) return answer
  throw badAnswer(provider, missing.length === 0 ? 'nothing' : `no list of \`${missing.join('` and `')}\``)
}

/** The error for an answer that cannot be read. */
export function badAnswer(provider: string, given: string): MandateError {
  const info = { retriable: false }
  return new MandateError('MODEL_FAILED', `"${provider}" answered with ${given}, so its answer cannot be read.`, {
    info,
  })
}
