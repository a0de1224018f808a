import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { unpacked } from './http-decoder.ts'

const text = 'words and words '.repeat(500)

async function read(bytes: Uint8Array, coding: string | null): Promise<string> {
  const halves = [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)]
  const chunks: Uint8Array[] = []
  for await (const chunk of unpacked(Readable.from(halves), coding)) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks).toString()
}

test.for([
  [null, Buffer.from(text)],
  ['identity', Buffer.from(text)],
  ['gzip', gzipSync(text)],
  ['X-GZIP', gzipSync(text)],
  ['deflate', deflateSync(text)],
  ['deflate', deflateRawSync(text)],
  ['br', brotliCompressSync(text)],
  ['gzip, br', brotliCompressSync(gzipSync(text))],
] as const)('a body that is packed as %s is read', async ([coding, bytes]) => {
  expect(await read(bytes, coding)).toBe(text)
})

test('an unknown coding leaves the body as it is; too many are refused', async () => {
  expect(await read(Buffer.from(text), 'gzip, new-thing')).toBe(text)
  await expect(read(gzipSync(text), Array(9).fill('gzip').join(','))).rejects.toThrow('packed 9 times')
})

test('a body that is not what it says is an error, and an empty one is empty', async () => {
  await expect(read(Buffer.from('no gzip at all'), 'gzip')).rejects.toThrow('header')
  expect(await read(Buffer.alloc(0), 'deflate')).toBe('')
})
