import { fromBase64, toBase64 } from '../../core/index.ts'

/** Which run waits for the result of a call, and under which key. */
export interface CallMark {
  readonly run: string
  readonly key: string
}

const PREFIX = 'call_m'
const encoder = new TextEncoder()

/**
 * The id under which a client gets a call that it is to make itself. It names the run that waits for the result, because clients of these protocols send
 * nothing back but the id.
 */
export function wireCallId(toolCallId: string, mark: CallMark | undefined): string {
  if (mark === undefined) return toolCallId
  const text = toBase64(encoder.encode(JSON.stringify([mark.run, mark.key, toolCallId])))
  return PREFIX + text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** What such an id says; any other is the id of a call and nothing else. */
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

/** The mark of a part of an agent's stream, where the call is one that the client makes. */
export function markOf(part: { readonly providerMetadata?: object | undefined }): CallMark | undefined {
  const { mandate } = (part.providerMetadata ?? {}) as { readonly mandate?: Partial<CallMark> }
  return typeof mandate?.run === 'string' && typeof mandate.key === 'string'
    ? { run: mandate.run, key: mandate.key }
    : undefined
}
