import { MandateError, errorInfo } from '../../core/index.ts'
import type { ErrorCode, ErrorInfo } from '../../core/index.ts'

/**
 * The HTTP status of each error code. Codes that are not listed occur inside a run and are reported in its result; as the answer to a request they are server
 * errors.
 */
const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  INPUT_INVALID: 400,
  ID_INVALID: 400,
  JSON_INVALID: 400,
  SCHEMA_INVALID: 400,
  EXPR_INVALID: 400,
  CONFIG_INVALID: 400,
  SCHEMA_FAILED: 422,
  OUTPUT_INVALID: 422,
  NOT_FOUND: 404,
  TOOL_UNKNOWN: 404,
  DENIED: 403,
  APPROVAL_REQUIRED: 403,
  APPROVAL_REFUSED: 403,
  CONTENT_BLOCKED: 403,
  INTENT_MISSING: 403,
  KILLED: 403,
  DURABILITY_REFUSED: 400,
  VERSION_UNSUPPORTED: 409,
  DUPLICATE: 409,
  JOURNAL_CONFLICT: 409,
  LEASE_HELD: 409,
  LEASE_LOST: 409,
  APPROVAL_STALE: 409,
  RUN_STATE: 409,
  PHASE_ILLEGAL: 409,
  REPLAY_DIVERGED: 409,
  EXPIRED: 410,
  JOURNAL_ERASED: 410,
  LIMIT_EXCEEDED: 413,
  RATE_LIMITED: 429,
  STORE_FAILED: 503,
  DISK_FULL: 503,
  CLOSED: 503,
  TIMEOUT: 504,
}

const INTERNAL = 500

/** A request that is refused before it reaches an operation, with its own status. */
export class Refusal extends Error {
  readonly status: number
  readonly info: ErrorInfo
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, code: ErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.info = { code, message }
    this.headers = headers
  }
}

/**
 * Converts an error to the common error response. Only a `Refusal` or `MandateError` is meant for callers; other errors may contain anything, so their
 * messages are not sent.
 */
export function errorAnswer(error: unknown): Response {
  if (error instanceof Refusal)
    return Response.json({ error: error.info }, { status: error.status, headers: error.headers })
  if (!MandateError.isInstance(error))
    return errorJson(INTERNAL, { code: 'INTERNAL', message: 'The server failed at this request.' })
  return errorJson(STATUS[error.code] ?? INTERNAL, errorInfo(error))
}

function errorJson(status: number, error: ErrorInfo): Response {
  return Response.json({ error }, { status })
}

/** Returns whether an error is a fault of the server rather than of the request. */
export function isFault(error: unknown, { signal }: Request): boolean {
  if (error instanceof Refusal) return false
  // The body of a request whose client disconnected cannot be read to its end.
  if (signal.aborted && (error as { readonly code?: unknown } | null)?.code === 'ECONNRESET') return false
  return !MandateError.isInstance(error) || STATUS[error.code] === undefined
}
