import { MandateError, toBase64 } from '../../core/index.ts'
import type { MediaPart } from '../message.ts'
import type { SpecVersion } from './spec.ts'

const DATA_URL = /^data:[^,]*;base64,/

/** An image or file for a provider: tagged since v4, bare before. */
export function sentFile(part: MediaPart, version: SpecVersion): object {
  const content = part.data ?? dataIn(part.url)
  const tagged = content === undefined ? { type: 'url', url: addressOf(part) } : { type: 'data', data: content }
  return {
    type: 'file',
    mediaType: part.mediaType,
    data: version === 'v4' ? tagged : (content ?? tagged.url),
    ...(part.filename === undefined ? {} : { filename: part.filename }),
  }
}

function dataIn(url: string | undefined): string | undefined {
  const head = url === undefined ? undefined : DATA_URL.exec(url)?.[0]
  return head === undefined ? undefined : url!.slice(head.length)
}

function addressOf({ url, mediaType }: MediaPart): URL {
  if (url !== undefined && URL.canParse(url)) return new URL(url)
  const given =
    url === undefined ? 'neither `data` nor `url`' : `the url "${url.slice(0, 100)}", which is not an address`
  throw new MandateError('INPUT_INVALID', `A ${mediaType} part has ${given}. Give base64 \`data\` or a whole \`url\`.`)
}

/** A file created by a provider, in any of its forms. */
export function receivedFile(data: unknown): { readonly data?: string; readonly url?: string } {
  if (typeof data === 'string') return { data }
  if (data instanceof URL) return { url: data.href }
  if (data instanceof Uint8Array) return { data: toBase64(data) }
  if (typeof data !== 'object' || data === null) return {}
  const tagged = data as { readonly data?: unknown; readonly url?: unknown }
  return receivedFile(tagged.data ?? (typeof tagged.url === 'string' ? new URL(tagged.url) : tagged.url))
}
