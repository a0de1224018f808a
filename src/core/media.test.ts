import { expect, it } from 'vitest'
import { fromBase64, replaceMedia, toBase64 } from './media.ts'

it('bytes survive base64, and are written as every other encoder writes them', () => {
  for (let length = 0; length < 70; length++) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 37 + length * 101) & 255)
    expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'))
    expect(fromBase64(toBase64(bytes))).toEqual(bytes)
    expect(fromBase64(Buffer.from(bytes).toString('base64url'))).toEqual(bytes)
  }
  expect(() => fromBase64('not base64!')).toThrow(/invalid/i)
})

it('a reference to content that is kept elsewhere is a file, and nothing that only looks like one', () => {
  const found: unknown[] = []
  const look = (blob: unknown): void =>
    void replaceMedia({ type: 'file', mediaType: 'a/b', blob } as never, (media) => (found.push(media.blob), null))
  look({ hash: 'a'.repeat(64), bytes: 3 })
  look({ hash: 'a'.repeat(63), bytes: 3 })
  look({ hash: 'a'.repeat(64), bytes: '3' })
  look('a'.repeat(64))
  expect(found).toEqual([{ hash: 'a'.repeat(64), bytes: 3 }])
})
