import { fromBase64, toBase64 } from '../../core/index.ts'

/** The run that waits for the result of a call, and the effect key of the call. */
export interface CallMark {
  readonly run: string
  readonly key: string
}

const PREFIX = 'call_m'
const encoder = new TextEncoder()

/**
 * Returns the id under which a client gets a call that it must perform. The id contains the run that waits for the result, because clients of these protocols
 * send back only the id.
 */
export function wireCallId(toolCallId: string, mark: CallMark | undefined): string {
  if (mark === undefined) return toolCallId
  const text = toBase64(encoder.encode(JSON.stringify([mark.run, mark.key, toolCallId])))
  return PREFIX + text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Decodes an id of `wireCallId`. Any other id is returned unchanged, without a mark. */
export function readCallId(id: string): { readonly toolCallId: string; readonly mark?: CallMark } {
  if (!id.startsWith(PREFIX)) return { toolCallId: id }
  try {
    const text = id.slice(PREFIX.length).replaceAll('-', '+').replaceAll('_', '/')
    const padded = text.padEnd(Math.ceil(text.length / 4) * 4, '=')
    const parts: unknown = JSON.parse(new TextDecoder().decode(fromBase64(padded)))
    if (!Array.isArray(parts) || parts.length !== 3 || !parts.every((part) => typeof part === 'string'))
      return { toolCallId: id }
    const [run, key, toolCallId] = parts as [string, string, string]
    return { toolCallId, mark: { run, key } }
  } catch {
    return { toolCallId: id }
  }
}

/** Returns the mark of a stream part if it is a call that the client performs. */
export function markOf(part: { readonly providerMetadata?: object | undefined }): CallMark | undefined {
  const { mandate } = (part.providerMetadata ?? {}) as { readonly mandate?: Partial<CallMark> }
  return typeof mandate?.run === 'string' && typeof mandate.key === 'string'
    ? { run: mandate.run, key: mandate.key }
    : undefined
}
