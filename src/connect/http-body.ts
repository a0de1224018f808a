export interface ReadBody {
  readonly body: string
  /** `base64` for what is not text. */
  readonly encoding: 'text' | 'base64'
  readonly bytes: number
  readonly truncated: boolean
}

const TEXT = /^(text\/|application\/(.*\+)?(json|xml|javascript|x-www-form-urlencoded|x-ndjson|yaml))/i

/** Reads a body up to `maxBytes` (after decompression) and then stops the transfer: what is beyond is never held. */
export async function readBody(response: Response, maxBytes: number): Promise<ReadBody> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  let truncated = false
  // Leaving the loop early cancels the transfer.
  for await (const chunk of response.body ?? []) {
    const room = maxBytes - bytes
    truncated = chunk.length > room
    chunks.push(truncated ? chunk.subarray(0, room) : chunk)
    bytes += Math.min(chunk.length, room)
    if (truncated) break
  }
  const whole = Buffer.concat(chunks)
  const type = response.headers.get('content-type') ?? 'text/plain'
  if (!TEXT.test(type)) return { body: whole.toString('base64'), encoding: 'base64', bytes, truncated }
  return { body: decoderFor(type).decode(whole), encoding: 'text', bytes, truncated }
}

function decoderFor(type: string): TextDecoder {
  try {
    return new TextDecoder(/charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8')
  } catch {
    // A server's invented charset is no reason to lose the text.
    return new TextDecoder()
  }
}
