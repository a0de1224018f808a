import fc from 'fast-check'
import { expect, test } from 'vitest'
import { composeRedactors, knownValues, noRedaction, redactJson } from './index.ts'

test('every string is redacted, keys and nested ones included', () => {
  const known = knownValues()
  known.add('TOKEN', 's3cr3t')
  expect(redactJson({ a: 'x s3cr3t y', s3cr3t: [{ deep: 's3cr3ts3cr3t' }], n: 5, z: null }, known)).toEqual({
    a: 'x [secret:TOKEN] y',
    '[secret:TOKEN]': [{ deep: '[secret:TOKEN][secret:TOKEN]' }],
    n: 5,
    z: null,
  })
})

test('no secret survives anywhere in any value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.stringMatching(/^[a-z]{8}$/), (value, secret) => {
      const known = knownValues()
      known.add('S', secret)
      const planted = { before: secret, [secret]: value, after: [`<${secret}>`, value] }
      expect(JSON.stringify(redactJson(planted as never, known))).not.toContain(secret)
    }),
  )
})

test('what needed no redaction is the same object', () => {
  const known = knownValues()
  known.add('S', 'absent')
  const value = { a: [1, { b: 'text' }] }
  expect(redactJson(value, known)).toBe(value)
  expect(redactJson(value, noRedaction)).toBe(value)
})

test('values too short to mean anything are left alone', () => {
  const known = knownValues()
  known.add('PIN', '123')
  expect(known.text('123')).toBe('123')
})

test('redactors work one after the other, and none of them is none', () => {
  const [a, b] = [knownValues(), knownValues()]
  a.add('A', 'aaaa')
  b.add('B', 'bbbb')
  expect(composeRedactors(noRedaction, a, b).text('aaaa bbbb')).toBe('[secret:A] [secret:B]')
  expect(composeRedactors(noRedaction, noRedaction)).toBe(noRedaction)
})

test('a key named __proto__ stays a key', () => {
  const known = knownValues()
  known.add('S', 'secret-value')
  const redacted = redactJson(JSON.parse('{"__proto__":{"x":"secret-value"}}'), known)
  expect(JSON.stringify(redacted)).toBe('{"__proto__":{"x":"[secret:S]"}}')
})

test('a secret that begins with another one leaves nothing of itself behind', () => {
  const known = knownValues()
  known.add('SHORT', 'abcd1234')
  known.add('LONG', 'abcd1234-and-more')
  expect(known.text('use abcd1234-and-more, not abcd1234')).toBe('use [secret:LONG], not [secret:SHORT]')
})
