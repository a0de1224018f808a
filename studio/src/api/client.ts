import { hasLost } from './connection.ts'
import { PLACE } from './place.ts'

/** An error response of the server. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
  }
}

/** Whether the server rejected the request with a 4xx status, so that a retry would fail in the same way. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500
}

const OUTAGES: ReadonlySet<number> = new Set([0, 502, 503, 504])

/** Whether the server did not answer, or could not for now: the same request may succeed later. */
export function isOutage(error: unknown): boolean {
  return error instanceof ApiError && OUTAGES.has(error.status)
}

type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** Reads JSON from the server of this page. */
export function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return ask<T>('GET', withQuery(path, query), undefined, signal)
}

/** Posts a change and returns the response. An idempotency key lets a retry have no second effect. */
export function post<T>(path: string, body: unknown = {}, query: Query = {}): Promise<T> {
  return ask<T>('POST', withQuery(path, query), body)
}

export function put<T>(path: string, body: unknown = {}): Promise<T> {
  return ask<T>('PUT', path, body)
}

async function ask<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  let answer: Response
  try {
    answer = await fetch(`${PLACE}${path}`, {
      method,
      credentials: 'same-origin',
      headers: body === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
  } catch (error) {
    if (signal?.aborted === true) throw error
    hasLost()
    throw new ApiError(
      0,
      'UNREACHABLE',
      'The server does not answer. It may have been stopped: start it again with `mandate studio`.',
    )
  }
  const text = await answer.text()
  const value: unknown = text === '' ? undefined : readJson(text)
  if (answer.ok) return value as T
  const { code = 'FAILED', message = `The server answered ${answer.status}.` } =
    (value as { error?: { code?: string; message?: string } } | undefined)?.error ?? {}
  throw new ApiError(answer.status, code, message)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function withQuery(path: string, query: Query): string {
  const words = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') words.set(name, String(value))
  return words.size === 0 ? path : `${path}?${words}`
}

/** Returns the API path of a run. The id is escaped, because it comes from outside. */
export function runPath(runId: string, rest = ''): string {
  return `/api/runs/${encodeURIComponent(runId)}${rest}`
}
