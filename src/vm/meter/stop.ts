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
