import type { ErrorInfo } from '../../core/index.ts'
import type { VmLimit } from './limits.ts'

/** Stops an execution. Not visible to `catch` and `finally` of the program. */
export class Stop extends Error {
  readonly reason: ErrorInfo
  constructor(reason: ErrorInfo) {
    super(reason.message)
    this.name = 'Stop'
    this.reason = reason
  }
}

const ADVICE: Partial<Record<VmLimit, string>> = {
  fuel: 'The program computed too much',
  memoryBytes: 'The program held too much memory',
  wallMs: 'The program ran too long',
  callDepth: 'Functions called one another too deep',
}

/** The stop of an execution that exceeded a limit; names the limit. */
export function limitStop(limit: VmLimit, allowed: number, detail?: string): Stop {
  const what = detail ?? ADVICE[limit] ?? 'The program asked for too much'
  const message = `${what}: limit \`${limit}\` is ${allowed}. Raise \`limits.${limit}\` or give the program less to do.`
  return new Stop({ code: limit === 'wallMs' ? 'TIMEOUT' : 'LIMIT_EXCEEDED', message, info: { limit, allowed } })
}

/** The data of a refusal at run time, in the form of refusals at compile time. */
const REFUSED = Object.freeze({ kind: 'refused' })

/**
 * The stop of a program that uses an unsupported part of JavaScript. If a program could catch it, it would continue with a value that no other engine
 * produces.
 */
export class Refusal extends Stop {
  /** Line and column, if known. */
  at: readonly [number, number] | undefined
}

/** The stop for an unsupported part of JavaScript: `throw refused('…. Write instead: …')`. */
export function refused(message: string): Refusal {
  return new Refusal({ code: 'INPUT_INVALID', message, info: REFUSED })
}
