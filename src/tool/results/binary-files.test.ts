import { describe, expect, it } from 'vitest'
import { replaceMedia } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { capResult } from './capped-result.ts'
import { filesFromBytes, sniffedType } from './binary-files.ts'

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
const BASE64 = 'iVBORw0KGgo='
const image = { type: 'image', mediaType: 'image/png', data: BASE64 }

describe('bytes in the result of a tool become a file', () => {
  it.each([
    ['a Uint8Array', PNG],
    ['a Buffer', Buffer.from(PNG)],
    ['an ArrayBuffer', PNG.buffer],
    ['a Blob', new Blob([PNG])],
    ['a Blob with its type', new Blob([PNG], { type: 'image/png' })],
  ])('%s', async (_, given) => {
    expect(await filesFromBytes(given)).toEqual(image)
    expect(await filesFromBytes({ page: 1, shots: [given] })).toEqual({ page: 1, shots: [image] })
    expect(await filesFromBytes(new Map([['a', new Set([given])]]))).toEqual({ a: [image] })
  })

  it('with its name, and as text where it says that it is text', async () => {
    const file = new File([Uint8Array.of(1)], 'a.bin', { type: 'application/zip' })
    expect(await filesFromBytes(file)).toEqual({
      type: 'file',
      mediaType: 'application/zip',
      data: 'AQ==',
      filename: 'a.bin',
    })
    expect(await filesFromBytes(new Blob(['héllo'], { type: 'text/plain;charset=utf-8' }))).toBe('héllo')
  })

  it.each([
    { type: 'image', mediaType: 'image/webp', data: PNG },
    { type: 'image', mimeType: 'image/webp', data: new Blob([PNG]) },
    { type: 'image', source: { type: 'base64', media_type: 'image/webp', data: PNG } },
    { type: 'file', mediaType: 'image/webp', data: { type: 'data', data: PNG } },
  ])('as the data of one, under the type that is given: %j', async (given) => {
    const found: unknown[] = []
    replaceMedia((await filesFromBytes(given)) as Json, (media) => (found.push(media), null))
    expect(found).toMatchObject([{ mediaType: 'image/webp', data: BASE64 }])
  })
})

it.each([
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ffe000104a46', 'image/jpeg'],
  ['474946383961', 'image/gif'],
  ['524946460000000057454250', 'image/webp'],
  ['255044462d312e37', 'application/pdf'],
  ['524946460000000057415645', 'audio/wav'],
  ['4944330300', 'audio/mpeg'],
  ['fffb9064', 'audio/mpeg'],
  ['fffe6800', 'application/octet-stream'],
  ['52494646', 'application/octet-stream'],
  ['', 'application/octet-stream'],
])('the first bytes %s show %s', (hex, mediaType) => {
  expect(sniffedType(Buffer.from(hex, 'hex'))).toBe(mediaType)
})

it('a result without bytes is the same object, without a promise; what cannot be walked is left to the copy', () => {
  const plain = { a: [1, { b: null }] }
  expect(filesFromBytes(plain)).toBe(plain)
  const cycle: Record<string, unknown> = { bytes: PNG }
  cycle['self'] = cycle
  expect(capResult(filesFromBytes(cycle), 10_000).value).toMatchObject({ bytes: image })
  const hostile = Object.defineProperty({ bytes: PNG }, 'bad', {
    enumerable: true,
    get: () => {
      throw new Error('no')
    },
  })
  expect(filesFromBytes(hostile)).toBe(hostile)
})
