import type { ErrorInfo } from '../../core/index.ts'
import type { VmLimit } from './limits.ts'

/** Ends an execution. It is no guest error: no guest `catch` or `finally` sees it. */
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

/** The end of an execution that went past a limit, naming the limit. */
export function limitStop(limit: VmLimit, allowed: number, detail?: string): Stop {
  const what = detail ?? ADVICE[limit] ?? 'The program asked for too much'
  const message = `${what}: limit \`${limit}\` is ${allowed}. Raise \`limits.${limit}\` or give the program less to do.`
  return new Stop({ code: limit === 'wallMs' ? 'TIMEOUT' : 'LIMIT_EXCEEDED', message, info: { limit, allowed } })
}

/** What a refusal at run time says about itself as data: the same kind as refusals before the first step. */
const REFUSED = Object.freeze({ kind: 'refused' })

/**
 * The end of a program that needs a part of JavaScript which is not here. A program that could catch it would go on with a value
 * that no other engine gives, so no `catch` sees it.
 */
export class Refusal extends Stop {
  /** Line and column, where the program has them. */
  at: readonly [number, number] | undefined
}

/** Makes what to throw for a part of JavaScript that is not here: `throw refused('…. Write instead: …')`. */
export function refused(message: string): Refusal {
  return new Refusal({ code: 'INPUT_INVALID', message, info: REFUSED })
}
