import { Readable, pipeline } from 'node:stream'
import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { MandateError } from '../../core/index.ts'

/** The supported content codings. */
export const ACCEPTED = 'gzip, deflate, br'
/** More than any legitimate server uses. */
const CODINGS_MAX = 4
/** A truncated body is read as far as it goes, as in browsers. */
const FORGIVING = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }

/** The decompressed body. An unknown coding leaves it as it is. */
export function unpacked(body: Readable, coding: string | null): Readable {
  if (coding === null) return body
  const names = coding.toLowerCase().split(',')
  if (names.length > CODINGS_MAX)
    throw new MandateError('CONNECTOR_FAILED', `The answer is packed ${names.length} times. It was not read.`)
  // Decoded in the reverse order of encoding.
  const steps = names.toReversed().map((name) => decoderOf(name.trim()))
  if (steps.includes('unknown')) return body
  return steps.reduce<Readable>((packed, step) => (typeof step === 'string' ? packed : step(packed)), body)
}

type Decoder = ((packed: Readable) => Readable) | 'identity' | 'unknown'

function decoderOf(name: string): Decoder {
  switch (name) {
    case 'identity':
    case '':
      return 'identity'
    case 'gzip':
    case 'x-gzip':
      return (packed) => piped(packed, createGunzip(FORGIVING))
    case 'br':
      return (packed) =>
        piped(
          packed,
          createBrotliDecompress({
            flush: constants.BROTLI_OPERATION_FLUSH,
            finishFlush: constants.BROTLI_OPERATION_FLUSH,
          }),
        )
    case 'deflate':
      return (packed) => Readable.from(inflated(packed))
    default:
      return 'unknown'
  }
}

/** Connects streams: errors of the body become errors of the output, and destroying the output ends the transfer. */
function piped(packed: Readable, decoder: Transform): Transform {
  return pipeline(packed, decoder, () => {})
}

/** Some servers send a raw stream as `deflate`; the first byte shows which format it is. */
async function* inflated(packed: Readable): AsyncGenerator<Uint8Array> {
  const chunks = packed[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  const first = await chunks.next()
  if (first.done === true) return
  const rest = Readable.from(
    (async function* all(): AsyncGenerator<Uint8Array> {
      yield first.value
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value
    })(),
  )
  const isWrapped = (first.value[0]! & 0x0f) === 8
  try {
    yield* piped(rest, isWrapped ? createInflate(FORGIVING) : createInflateRaw(FORGIVING)) as AsyncIterable<Uint8Array>
  } finally {
    packed.destroy()
  }
}
