import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkRing, keyRing, keyRingFromEnvironment, keyRingFromFile, newKey, readRing } from './index.ts'

const hex = 'ab'.repeat(32)

function keyFile(text: string, mode = 0o600): string {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-keys-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'keys')
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

test('a ring is read from lines or a list, in base64 or hex, and its first key is the current one', () => {
  const base64 = newKey()
  const ring = keyRing(`# keys of the house\n2026-11:${base64}\n\n2026-05:${hex} # the old one\n`)
  expect(ring.current).toBe('2026-11')
  expect(Object.keys(ring.keys)).toEqual(['2026-11', '2026-05'])
  expect(ring.keys['2026-05']).toEqual(new Uint8Array(32).fill(0xab))
  expect(keyRing(`2026-11:${base64},2026-05:${hex}`)).toEqual(ring)
})

test('every key is another one', () => {
  expect(new Set(Array.from({ length: 50 }, newKey)).size).toBe(50)
})

test.for([
  ['', 'empty'],
  ['# nothing', 'empty'],
  [hex, 'no id'],
  [':abc', 'no id'],
  ['a:abc', '32 bytes'],
  [`a:${hex}00`, '32 bytes'],
  [`a b:${hex}`, 'id of a key'],
  [`a:${hex},a:${hex}`, 'twice'],
])('the ring %j is refused, and the key is not told', ([text, why]) => {
  expect(() => keyRing(text!)).toThrow(why)
  expect(() => keyRing(text!)).not.toThrow(hex)
})

test('the environment names the keys or their file, not both; without either there is no ring', () => {
  const path = keyFile(`a:${hex}`)
  expect(keyRingFromEnvironment({})).toBeUndefined()
  expect(keyRingFromEnvironment({ MANDATE_KEYS: '' })).toBeUndefined()
  expect(keyRingFromEnvironment({ MANDATE_KEYS: `a:${hex}` })).toEqual(keyRing(`a:${hex}`))
  expect(keyRingFromEnvironment({ MANDATE_KEY_FILE: path })).toEqual(keyRing(`a:${hex}`))
  expect(() => keyRingFromEnvironment({ MANDATE_KEYS: `a:${hex}`, MANDATE_KEY_FILE: path })).toThrow('both set')
})

test('a key file that others may read, or that is not there, is refused', () => {
  expect(() => keyRingFromFile(keyFile(`a:${hex}`, 0o644))).toThrow('others may read it')
  expect(() => keyRingFromFile(join(tmpdir(), 'no-such-key-file'))).toThrow('cannot be used')
})

test('what a callback gives is looked at before it is used', async () => {
  const ring = keyRing(`a:${hex}`)
  expect(await readRing(async () => ring)).toEqual(ring)
  for (const wrong of [
    undefined,
    {},
    { current: 'b', keys: ring.keys },
    { current: 'a', keys: { a: 'text' } },
    { current: 'toString', keys: ring.keys },
  ])
    expect(() => checkRing(wrong as never)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
})
