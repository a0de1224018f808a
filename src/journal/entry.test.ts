import { expect, test } from 'vitest'
import { canonical, sha256 } from '../core/index.ts'
import { tamperEntry } from '../testing/index.ts'
import { GENESIS, checkEntry, headOf, isErased, sealEntry } from './index.ts'
import type { Entry, Head } from './index.ts'

const head: Head = { seq: 4, hash: sha256('before'), at: 100 }
const entry = sealEntry(
  'run',
  head,
  { type: 'note', key: 'k', data: { name: 'n', value: [1, 'é'] }, at: 150 },
  'ab'.repeat(16),
)

test('a sealed entry is the next of its chain', () => {
  expect(entry).toMatchObject({ v: 1, run: 'run', seq: 5, at: 150, type: 'note', key: 'k', prev: head.hash })
  expect(() => checkEntry(entry, head, 'run')).not.toThrow()
  expect(headOf(entry)).toEqual({ seq: 5, hash: entry.hash, at: 150 })
})

test('the hashes are what the format says: salt and canonical data, then everything else', () => {
  expect(entry.dataHash).toBe(sha256(`${entry.salt}${canonical(entry.data)}`))
  const { hash, salt, data, ...body } = entry
  expect([typeof salt, typeof data]).toEqual(['string', 'object'])
  expect(hash).toBe(sha256(canonical(body)))
})

test('an entry without a key has none in its hash', () => {
  const plain = sealEntry('run', GENESIS, { type: 'run-resume', data: { epoch: 1 }, at: 1 }, 'aa')
  const { hash, salt: _salt, data: _data, key: _key, ...body } = plain
  expect(hash).toBe(sha256(canonical(body)))
  expect(() => checkEntry(plain, GENESIS, 'run')).not.toThrow()
})

test('time never runs backwards in a chain', () => {
  expect(sealEntry('run', head, { type: 'run-resume', data: { epoch: 1 }, at: 5 }, 'aa').at).toBe(100)
})

const flips: { readonly [K in keyof Entry]-?: Entry[K] } = {
  v: 2,
  run: 'other',
  seq: 6,
  at: 151,
  type: 'run-end',
  key: 'l',
  dataHash: sha256('x'),
  prev: sha256('y'),
  hash: sha256('z'),
  salt: 'cd'.repeat(16),
  data: { name: 'n', value: [1, 'e'] },
}

test.each(Object.keys(flips) as (keyof Entry)[])('a changed `%s` is damage, named with its number', (field) => {
  const changed = { ...entry, [field]: flips[field] }
  expect(() => checkEntry(changed, head, 'run')).toThrow(
    expect.objectContaining({ code: 'JOURNAL_DAMAGED', info: expect.objectContaining({ run: 'run', seq: 5 }) }),
  )
})

test('a missing key, or data without its salt, is damage', () => {
  expect(() => checkEntry({ ...entry, key: undefined }, head, 'run')).toThrow('does not match')
  expect(() => checkEntry(tamperEntry(entry, { salt: null }), head, 'run')).toThrow('without the salt')
})

test('an erased entry still has its place in the chain', () => {
  const erased = { ...entry, salt: null, data: null }
  expect(isErased(erased)).toBe(true)
  expect(() => checkEntry(erased, head, 'run')).not.toThrow()
  expect(() => checkEntry({ ...erased, at: 151 }, head, 'run')).toThrow('its hash')
})

test('an entry does not follow another head', () => {
  expect(() => checkEntry(entry, { ...head, hash: sha256('else') }, 'run')).toThrow('does not follow')
  expect(() => checkEntry(entry, { ...head, seq: 3 }, 'run')).toThrow('its number is 5')
})
