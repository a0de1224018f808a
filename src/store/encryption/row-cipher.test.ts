import { expect, test } from 'vitest'
import { RowCipher, keyRing, newDataKey, newKey, openCipher, placeOf, rekey, rewrap } from './index.ts'
import type { KeyRing, KeyShelf, WrappedKey } from './index.ts'

const store = { id: 'store-1', name: 'a store' }
const at = placeOf('entries', 'run_1', 3)

function cipherOf(ring: KeyRing, keys: readonly WrappedKey[] = [newDataKey(ring, store, 1)]): RowCipher {
  return new RowCipher({ ring, store, keys })
}

function shelfOf(): KeyShelf & { keys: WrappedKey[] } {
  const keys: WrappedKey[] = []
  return {
    keys,
    read: async () => [...keys],
    async write(fresh) {
      for (const key of fresh) {
        const index = keys.findIndex(({ id }) => id === key.id)
        keys.splice(index < 0 ? keys.length : index, 1, key)
      }
    },
  }
}

test('any encrypted value can be decrypted at its place', () => {
  const cipher = cipherOf(keyRing(`a:${newKey()}`))
  for (const text of ['', 'x', 'naïve 🙂', '\0', 'y'.repeat(100_000)])
    expect(cipher.openText(at, cipher.seal(at, text))).toBe(text)
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  expect(new Uint8Array(cipher.open(at, cipher.seal(at, bytes)))).toEqual(bytes)
})

test('the same text is never sealed into the same bytes, also by another opening of the store', () => {
  const ring = keyRing(`a:${newKey()}`)
  const keys = [newDataKey(ring, store, 1)]
  const seals = [cipherOf(ring, keys), cipherOf(ring, keys)].flatMap((cipher) =>
    Array.from({ length: 200 }, () => Buffer.from(cipher.seal(at, 'same')).toString('hex')),
  )
  expect(new Set(seals).size).toBe(400)
})

test('a row that was moved to another run, seq, table or store does not open', () => {
  const ring = keyRing(`a:${newKey()}`)
  const keys = [newDataKey(ring, store, 1)]
  const cipher = cipherOf(ring, keys)
  const sealed = cipher.seal(at, 'text')
  for (const place of [placeOf('entries', 'run_1', 4), placeOf('entries', 'run_2', 3), placeOf('signals', 'run_1', 3)])
    expect(() => cipher.open(place, sealed)).toThrow(expect.objectContaining({ code: 'SEAL_BROKEN' }))
  expect(() => new RowCipher({ ring, store: { ...store, id: 'store-2' }, keys })).toThrow(
    expect.objectContaining({ code: 'KEY_WRONG' }),
  )
})

test('no two places have the same name, also as bytes', () => {
  const parts = [['a\0b'], ['a', 'b'], ['"a\\u0000b"'], ['a\\u0000b'], ['\uD800'], ['\uD801'], ['\uFFFD'], ['1'], [11]]
  const places = parts.map((part) => Buffer.from(placeOf('t', ...part)).toString('hex'))
  expect(new Set(places).size).toBe(parts.length)
})

test('any changed byte is noticed', () => {
  const cipher = cipherOf(keyRing(`a:${newKey()}`))
  const sealed = cipher.seal(at, 'text')
  for (let index = 0; index < sealed.length; index++) {
    const changed = Uint8Array.from(sealed)
    changed[index]! ^= 1
    expect(() => cipher.open(at, changed)).toThrow(/changed|not encrypted|data key/u)
  }
  expect(() => cipher.open(at, sealed.subarray(0, 40))).toThrow('not encrypted')
  expect(() => cipher.open(at, Buffer.from('plain text that nobody ever sealed, long enough to be a row'))).toThrow(
    'not encrypted',
  )
})

test('a missing key is named with the fix; a wrong one under the right id is distinguished', () => {
  const ring = keyRing(`2026-11:${newKey()}`)
  const keys = [newDataKey(ring, store, 1)]
  expect(() => cipherOf(keyRing(`2026-12:${newKey()}`), keys)).toThrow(
    expect.objectContaining({ code: 'KEY_MISSING', message: expect.stringMatching(/a store.*"2026-11".*Add it/u) }),
  )
  expect(() => cipherOf(keyRing(`2026-11:${newKey()}`), keys)).toThrow(
    expect.objectContaining({ code: 'KEY_WRONG', message: expect.stringContaining('"2026-11"') }),
  )
})

test('a wrapped key that is given the name of another does not open', () => {
  const ring = keyRing(`a:${newKey()}`)
  const [one, two] = [newDataKey(ring, store, 1), newDataKey(ring, store, 2)]
  expect(() => cipherOf(ring, [{ ...one, wrapped: two.wrapped }])).toThrow(
    expect.objectContaining({ code: 'KEY_WRONG' }),
  )
})

test('rotation re-encrypts data keys, and every row can still be decrypted', async () => {
  const [first, second] = [newKey(), newKey()]
  const shelf = shelfOf()
  const options = { store, shelf, now: 1 }
  const before = await openCipher({ ...options, encryption: keyRing(`k1:${first}`) })
  const sealed = before.seal(at, 'old row')
  const report = await rekey({ ...options, now: 2, encryption: keyRing(`k2:${second},k1:${first}`) })
  expect(report).toMatchObject({ hostKey: 'k2', rewrapped: 1 })
  expect(shelf.keys.map((key) => key.hostKey)).toEqual(['k2', 'k2'])
  // The old key of the host is not needed any more.
  const after = await openCipher({ ...options, now: 3, encryption: () => keyRing(`k2:${second}`) })
  expect(after.openText(at, sealed)).toBe('old row')
  const fresh = after.seal(at, 'new row')
  expect(Buffer.from(fresh).toString('hex', 1, 9)).toBe(report.dataKey)
  expect(rewrap(keyRing(`k2:${second}`), store, shelf.keys)).toEqual([])
})

test('with a new current key, new rows are sealed with a data key under it at once', async () => {
  const [first, second] = [newKey(), newKey()]
  const shelf = shelfOf()
  const old = await openCipher({ store, shelf, now: 1, encryption: keyRing(`k1:${first}`) })
  const both = await openCipher({ store, shelf, now: 2, encryption: keyRing(`k2:${second},k1:${first}`) })
  const sealed = both.seal(at, 'x')
  expect(shelf.keys.map((key) => key.hostKey)).toEqual(['k1', 'k2'])
  expect(old.knows(sealed)).toBe(false)
  expect(() => old.open(at, sealed)).toThrow(expect.objectContaining({ code: 'KEY_MISSING' }))
})

test('a data key that another process added is learned when it is met', async () => {
  const ring = keyRing(`a:${newKey()}`)
  const shelf = shelfOf()
  const here = await openCipher({ store, shelf, now: 1, encryption: ring })
  const sync = new RowCipher({ ring, store, keys: [...shelf.keys], reload: () => shelf.keys })
  await rekey({ store, shelf, now: 2, encryption: ring })
  const there = await openCipher({ store, shelf, now: 3, encryption: ring })
  const sealed = there.seal(at, 'x')
  expect(sync.openText(at, sealed)).toBe('x')
  expect(here.knows(sealed)).toBe(false)
  here.learn(await shelf.read())
  expect(here.openText(at, sealed)).toBe('x')
})
