import { MandateError } from '../../core/index.ts'
import type { ErrorCode } from '../../core/index.ts'

/** Details of a provider's failure. */
interface ProviderFailure {
  readonly code?: ErrorCode | undefined
  readonly info?: unknown
  readonly cause?: unknown
}

/**
 * An error of an agent's provider: its network, its service or its answer. `retriable` is true if a retry may succeed.
 *
 * @example
 * ```ts
 * import { Atlas, ProviderError, agent } from 'mandate/chat'
 * import { scripted } from 'mandate/model'
 * const atlas = new Atlas({ agents: [agent({ id: 'helper', model: scripted([{ error: 'overloaded', status: 400 }]) })] })
 * atlas.on('error', (error) => console.log(error instanceof ProviderError, error.message))
 * await atlas.ask('Hello.').catch(() => {})
 * ```
 */
export class ProviderError extends MandateError {
  /** The HTTP status, if there was one. */
  readonly status: number | undefined
  readonly retriable: boolean

  constructor(message: string, { code = 'MODEL_FAILED', info, cause }: ProviderFailure = {}) {
    super(code, message, { info, cause })
    this.name = 'ProviderError'
    const { status, retriable } = (info ?? {}) as { readonly status?: unknown; readonly retriable?: unknown }
    this.status = typeof status === 'number' ? status : undefined
    this.retriable = retriable === true
  }
}

/** Converts the error of a turn; to a `ProviderError` if its model failed. */
export function turnError(error: {
  readonly code: string
  readonly message: string
  readonly info?: unknown
}): MandateError {
  const code = error.code as ErrorCode
  const isProvider = code === 'MODEL_FAILED' || code === 'MODEL_TIMEOUT'
  if (isProvider) return new ProviderError(error.message, { code, info: error.info })
  return new MandateError(code, error.message, { info: error.info })
}
