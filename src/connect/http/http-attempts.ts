import { type Clock, MandateError, messageOf } from '../../core/index.ts'
import type { HttpAnswer } from './http-exchange.ts'
import { headerOf } from './http-transport.ts'

interface AttemptOptions {
  readonly attempts: number
  readonly backoffMs: number
  /** The request as text, for errors. */
  readonly what: string
  readonly clock: Clock
  readonly deadline: Deadline
  onRetry(note: { readonly attempt: number; readonly waitMs: number; readonly reason: string }): void
}

/** Sends until there is a final answer: neither 429 nor 5xx, nor a connection error, or no attempt or no time is left. */
export async function withAttempts(send: () => Promise<HttpAnswer>, options: AttemptOptions): Promise<HttpAnswer> {
  const { attempts, backoffMs, clock, deadline } = options
  for (let attempt = 1; ; attempt++) {
    const result = await attemptOnce(send, options.what)
    const asked = 'answer' in result ? retryAfterMs(result.answer.response, clock) : undefined
    const waitMs = asked ?? backoffMs * 2 ** (attempt - 1)
    const isOver = !isWorthAnother(result) || attempt >= attempts || clock.now() + waitMs >= deadline.at
    if (isOver && 'answer' in result) return result.answer
    if (isOver && 'failure' in result) throw result.failure
    const reason = 'answer' in result ? `status ${result.answer.response.status}` : result.failure.message
    options.onRetry({ attempt, waitMs, reason })
    await pause(clock, waitMs, deadline.signal)
  }
}

function isWorthAnother(result: Attempt): boolean {
  return 'answer' in result ? isPassing(result.answer.response.status) : result.retriable
}

function isPassing(status: number): boolean {
  return status === 429 || status >= 500
}

type Attempt = { readonly answer: HttpAnswer } | { readonly failure: MandateError; readonly retriable: boolean }

async function attemptOnce(send: () => Promise<HttpAnswer>, what: string): Promise<Attempt> {
  try {
    return { answer: await send() }
  } catch (error) {
    // The package's own errors (a refusal, the timeout, an abort) are not transient.
    if (MandateError.isInstance(error)) return { failure: error, retriable: false }
    const failure = new MandateError('CONNECTOR_FAILED', `${what} failed: ${reasonOf(error)}`, {
      info: { retriable: true },
      cause: error,
    })
    return { failure, retriable: true }
  }
}

/** The error code, which is more specific than the message, if there is one. */
function reasonOf(error: unknown): string {
  const { code } = error as { code?: unknown }
  if (typeof code === 'string') return code
  const cause = (error as { cause?: { code?: unknown; message?: unknown } }).cause
  if (typeof cause?.code === 'string') return cause.code
  return typeof cause?.message === 'string' ? cause.message : messageOf(error)
}

function retryAfterMs(response: HttpAnswer['response'], clock: Clock): number | undefined {
  const value = headerOf(response, 'retry-after')
  if (value === null) return undefined
  const seconds = Number(value)
  const ms = Number.isNaN(seconds) ? Date.parse(value) - clock.now() : seconds * 1_000
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined
}

interface DeadlineOptions {
  readonly clock: Clock
  readonly timeoutMs: number
  readonly what: string
  readonly signal: AbortSignal
}

interface Deadline {
  readonly at: number
  readonly signal: AbortSignal
}

/** Runs work that ends at the deadline, or when the caller aborts. */
export async function withDeadline<T>(
  { clock, timeoutMs, what, signal }: DeadlineOptions,
  run: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const cutter = new AbortController()
  const cut = (): void => cutter.abort(new MandateError('CANCELLED', `${what} was cut.`))
  const cancelTimer = clock.timer(timeoutMs, () => cutter.abort(tooLate(what, timeoutMs)))
  signal.addEventListener('abort', cut, { once: true })
  if (signal.aborted) cut()
  try {
    return await run({ at: clock.now() + timeoutMs, signal: cutter.signal })
  } finally {
    cancelTimer()
    signal.removeEventListener('abort', cut)
  }
}

function tooLate(what: string, timeoutMs: number): MandateError {
  return new MandateError(
    'TIMEOUT',
    `${what} took longer than ${timeoutMs} ms. Raise \`timeoutMs\` of httpFetch if that is expected.`,
  )
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      signal.removeEventListener('abort', stop)
      resolve()
    }
    const cancel = clock.timer(ms, done)
    const stop = (): void => {
      cancel()
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
}
