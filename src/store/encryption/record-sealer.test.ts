import { expect, test } from 'vitest'
import { keyRing, newKey, recordSealer, rekey } from './index.ts'
import type { WrappedKey } from './index.ts'

const store = { id: 'store-1', name: 'a store' }

function shelfOf(keys = new Map<string, WrappedKey>()) {
  return {
    read: async () => [...keys.values()],
    write: async (fresh: readonly WrappedKey[]) => fresh.forEach((key) => keys.set(key.id, key)),
  }
}

test('a record opens where it was sealed and nowhere else', async () => {
  const sealer = recordSealer({ encryption: keyRing(`a:${newKey()}`), store, shelf: shelfOf() })
  const place = ['memory:x', 'notes', 'k\0ey']
  const sealed = await sealer.seal('{"secret":1}', place)
  expect(sealed).not.toContain('secret')
  expect(await sealer.open(sealed, place)).toBe('{"secret":1}')
  for (const other of [
    ['memory:y', 'notes', 'k\0ey'],
    ['memory:x', 'notes', 'key'],
    ['memory:x', 'notes', 'k', 'ey'],
  ])
    await expect(sealer.open(sealed, other)).rejects.toMatchObject({ code: 'SEAL_BROKEN' })
  await expect(sealer.open('{"secret":1}', place)).rejects.toMatchObject({ code: 'SEAL_BROKEN' })
})

test('a record under a data key that was added elsewhere opens, and keys that could not be fetched are asked for again', async () => {
  const ring = keyRing(`a:${newKey()}`)
  const shelf = shelfOf()
  let isDown = true
  const encryption = (): typeof ring => {
    if (isDown) throw new Error('down')
    return ring
  }
  const here = recordSealer({ encryption, store, shelf })
  await expect(here.seal('x', ['p'])).rejects.toThrow('down')
  isDown = false
  await here.seal('x', ['p'])
  await rekey({ encryption: ring, store, shelf, now: 2 ** 52 })
  const there = recordSealer({ encryption: ring, store, shelf })
  expect(await here.open(await there.seal('y', ['p']), ['p'])).toBe('y')
})
