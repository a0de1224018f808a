import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Seals, replaceTokens, secretRedactor, tokensIn } from './index.ts'

const key = new Uint8Array(32).fill(9)

test('what was sealed opens for its run, its place and its key, and for nothing else', async () => {
  const seals = await Seals.for(key, 'run')
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string(), async (text, place) => {
      const sealed = await seals.seal(place, text)
      expect(sealed).toMatch(/^[a-p]+$/u)
      // UTF-8 has no lone surrogates.
      expect(await seals.open(place, sealed)).toBe(text.toWellFormed())
      expect(await seals.open(`${place}!`, sealed)).toBeUndefined()
    }),
    { numRuns: 100 },
  )
  const sealed = await seals.seal('p', 'value')
  expect(await (await Seals.for(key, 'other')).open('p', sealed)).toBeUndefined()
  expect(await (await Seals.for(new Uint8Array(32), 'run')).open('p', sealed)).toBeUndefined()
  for (const broken of [
    '',
    'aa',
    'xyz',
    sealed.slice(2),
    `${sealed}aa`,
    sealed.replace(/.$/u, (last) => (last === 'a' ? 'b' : 'a')),
  ])
    expect(await seals.open('p', broken)).toBeUndefined()
})

test('no nonce is used for two texts, and the same text seals the same', async () => {
  const seals = await Seals.for(key, 'run')
  const texts = Array.from({ length: 500 }, (_, index) => `value ${index}`)
  const nonces = new Set((await Promise.all(texts.map((text) => seals.seal('p', text)))).map((one) => one.slice(0, 24)))
  expect(nonces.size).toBe(texts.length)
  expect(await seals.seal('p', 'value')).toBe(await seals.seal('p', 'value'))
})

test('what is sealed is never taken for a secret or for personal data', async () => {
  const seals = await Seals.for(key, 'run')
  const redactor = secretRedactor({ pii: true })
  for (let index = 0; index < 200; index++) {
    const sealed = await seals.seal(`place ${index}`, `text ${index}`.repeat(index % 20))
    expect(redactor.text(sealed)).toBe(sealed)
    expect(redactor.member?.('sealed', sealed)).toBe(sealed)
  }
})

test('tags tell values apart within a scope, and nothing without the key', async () => {
  const [one, other] = [await Seals.for(key, 'a'), await Seals.for(new Uint8Array(32), 'a')]
  expect(one.tag('s', 'value')).toMatch(/^[0-9a-f]{12}$/u)
  expect(one.tag('s', 'value')).toBe((await Seals.for(key, 'b')).tag('s', 'value'))
  expect(
    new Set([one.tag('s', 'value'), one.tag('t', 'value'), one.tag('s', 'other'), other.tag('s', 'value')]).size,
  ).toBe(4)
})

test('tokens are found in texts with their places, and replaced there and nowhere else', () => {
  const token = '[secret:x#0123456789ab]'
  const value = { a: [`${token} and ${token}`], 'b/c': { [token]: token }, d: 1 }
  expect(tokensIn(value).map(({ pointer }) => pointer)).toEqual(['/a/0', '/a/0', '/b~1c/[secret:x#0123456789ab]'])
  expect(replaceTokens(value, (_, pointer) => (pointer === '/a/0' ? '$&' : undefined))).toEqual({
    ...value,
    a: ['$& and $&'],
  })
})
