import type { Readable } from 'node:stream'
import { isChecked } from '../checks.ts'
import { type HttpResponse, headerOf } from './http-transport.ts'

export interface ReadBody {
  readonly body: string
  /** `base64` for binary content. */
  readonly encoding: 'text' | 'base64'
  readonly bytes: number
  readonly truncated: boolean
}

const TEXT = /^(text\/|application\/(.*\+)?(json|xml|javascript|x-www-form-urlencoded|x-ndjson|yaml))/i

/** Reads a body up to `maxBytes` (after decompression) and then ends the transfer, without buffering the rest. */
export async function readBody(response: HttpResponse, maxBytes: number): Promise<ReadBody> {
  const { chunks, bytes, truncated } = await collect(response.body, maxBytes)
  const whole =
    chunks.length === 1 ? Buffer.from(chunks[0]!.buffer, chunks[0]!.byteOffset, bytes) : Buffer.concat(chunks)
  const type = headerOf(response, 'content-type') ?? 'text/plain'
  if (!TEXT.test(type)) return { body: whole.toString('base64'), encoding: 'base64', bytes, truncated }
  return { body: textOf(whole, type), encoding: 'text', bytes, truncated }
}

interface Collected {
  readonly chunks: Uint8Array[]
  bytes: number
  truncated: boolean
}

/** By events: an async loop over the stream would cost several promises per chunk. */
function collect(body: Readable, maxBytes: number): Promise<Collected> {
  return new Promise((resolve, reject) => {
    const read: Collected = { chunks: [], bytes: 0, truncated: false }
    body.on('data', (chunk: Uint8Array) => {
      if (read.truncated) return
      const room = maxBytes - read.bytes
      read.truncated = chunk.length > room && isChecked('http.body-cap')
      read.chunks.push(read.truncated ? chunk.subarray(0, room) : chunk)
      read.bytes += read.truncated ? room : chunk.length
      if (!read.truncated) return
      resolve(read)
      body.destroy()
    })
    body.on('end', () => resolve(read))
    body.on('error', reject)
    body.on('close', () => {
      if (!body.readableEnded && !read.truncated)
        reject(new Error('the connection was closed in the middle of the body'))
    })
  })
}

function textOf(bytes: Buffer, type: string): string {
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    try {
      return new TextDecoder(charset).decode(bytes)
    } catch {
      // An unknown charset is no reason to lose the text.
    }
  }
  const text = bytes.toString('utf8')
  // The byte order mark is not part of the text.
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}
