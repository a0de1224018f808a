import { MandateError, toBase64 } from '../../../core/index.ts'

/** The part of `Response` that is read. */
interface Answer {
  readonly ok?: boolean
  readonly status?: number
  readonly statusText?: string
  readonly headers?: { get?(name: string): string | null }
  text?(): Promise<string>
  json?(): Promise<unknown>
  arrayBuffer?(): Promise<ArrayBuffer>
}

/** Reads a fetch result: plain data unchanged, a `Response` by its content type. */
export async function readAnswer(given: unknown, responseType?: unknown): Promise<unknown> {
  const answer = given as Answer | null
  if (typeof answer !== 'object' || answer === null) return given
  if (typeof answer.text !== 'function' && typeof answer.json !== 'function') return given
  if (answer.ok === false)
    throw new MandateError('CONNECTOR_FAILED', `HTTP ${answer.status ?? 'error'} ${answer.statusText ?? ''}`.trim())
  const type = answer.headers?.get?.('content-type') ?? ''
  if (responseType === 'dataUrl' && answer.arrayBuffer !== undefined) {
    const bytes = new Uint8Array(await answer.arrayBuffer())
    return `data:${type};base64,${toBase64(bytes)}`
  }
  const isJson =
    responseType === 'json' || (responseType === undefined && (type.includes('json') || answer.text === undefined))
  return isJson && answer.json !== undefined ? answer.json() : answer.text?.()
}
