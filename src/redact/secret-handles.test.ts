import { canonical } from '../core/index.ts'
import { expect, test } from 'vitest'
import { hasSecret, isSecret, resolveSecrets, secret } from './index.ts'

test('a handle may be written down without its value', () => {
  expect(canonical({ auth: secret('TOKEN') })).toBe('{"auth":{"$secret":"TOKEN"}}')
})

test('handles are found wherever they stand, and nothing else is one', () => {
  expect(hasSecret({ a: [{ b: secret('X') }] })).toBe(true)
  expect(isSecret(JSON.parse('{"$secret":"X"}'))).toBe(true)
  for (const value of [null, 'secret', { $secret: 5 }, { $secret: 'X', more: 1 }, [], {}]) {
    expect(isSecret(value)).toBe(false)
    expect(hasSecret(value)).toBe(false)
  }
})

test('values go into a copy, and each is reported so that it can be redacted', async () => {
  const given = { headers: { auth: secret('A') }, list: [secret('B'), 'plain'], n: 1 }
  const seen: string[] = []
  const resolved = await resolveSecrets(
    given,
    async (name) => `value of ${name}`,
    (value) => seen.push(value),
  )
  expect(resolved).toEqual({ headers: { auth: 'value of A' }, list: ['value of B', 'plain'], n: 1 })
  expect(seen.toSorted()).toEqual(['value of A', 'value of B'])
  expect(given.headers.auth).toEqual({ $secret: 'A' })
})

test('a secret that is not set is an error that names it and not a value', async () => {
  for (const source of [undefined, () => undefined]) {
    await expect(resolveSecrets([secret('MISSING')], source, () => {})).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('"MISSING"'),
    })
  }
})
