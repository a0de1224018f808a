import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isFull } from '../../test/rotation.ts'
import { SECRET_FORMATS, inScope, redactJson, secretRedactor, streamOf } from './index.ts'

/** Made here, so that no scanner of repositories trips over it. */
const KEY = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')
const OTHER = ['ghp', 'z1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R9'].join('_')
const redactor = secretRedactor()

test('the same value has the same token within a scope, another value another one, and tokens of other scopes are unrelated', () => {
  const token = (key: string, scope: string): string => inScope(redactor, scope).text(`x ${key} y`)
  expect(token(KEY, 's1')).toMatch(/^x \[secret:github-token#[0-9a-f]{6}\] y$/)
  expect(token(KEY, 's1')).toBe(token(KEY, 's1'))
  expect(token(KEY, 's1')).toBe(inScope(secretRedactor(), 's1').text(`x ${KEY} y`))
  expect(token(OTHER, 's1')).not.toBe(token(KEY, 's1'))
  expect(token(KEY, 's2')).not.toBe(token(KEY, 's1'))
})

test('a value that could be guessed gets a number only from whoever has a key', () => {
  expect(redactor.text('password: hunter2x')).toBe('password: [secret:password]')
  const keyed = secretRedactor({ key: 'k', pii: ['email'] })
  expect(keyed.text('password: hunter2x')).toMatch(/^password: \[secret:password#[0-9a-f]{6}\]$/)
  expect(keyed.text('ada@example.com')).toMatch(/^\[pii:email#[0-9a-f]{6}\]$/)
  expect(secretRedactor({ key: 'other' }).text('password: hunter2x')).not.toBe(keyed.text('password: hunter2x'))
})

test('the name of a member reveals what its value alone does not', () => {
  const hidden = redactJson(
    {
      password: 'hunter2x',
      user: 'hunter2x',
      maxTokens: '4096',
      tokens: 'abc123def456ghi7',
      $secret: 'GITHUB_TOKEN_2X9',
    },
    redactor,
  )
  expect(hidden).toEqual({
    password: '[secret:password]',
    user: 'hunter2x',
    maxTokens: '4096',
    tokens: 'abc123def456ghi7',
    $secret: 'GITHUB_TOKEN_2X9',
  })
  expect(
    redactJson(
      { apiKey: 'Zx9Kq2Lm8Pw4Rt6Y', nextPageToken: 'Zx9Kq2Lm8Pw4Rt6Y', signature: 'Zx9Kq2Lm8Pw4Rt6YZx9Kq2Lm8Pw4Rt6Y' },
      redactor,
    ),
  ).toEqual({
    apiKey: '[secret:secret]',
    nextPageToken: 'Zx9Kq2Lm8Pw4Rt6Y',
    signature: 'Zx9Kq2Lm8Pw4Rt6YZx9Kq2Lm8Pw4Rt6Y',
  })
})

test('personal data is hidden if that is configured, and other numbers stay', () => {
  const pii = secretRedactor({ pii: true })
  expect(pii.text('Mail ada.l+x@mail.example.com, call +44 20 7946 0958 or (555) 123-4567.')).toBe(
    'Mail [pii:email], call [pii:phone] or [pii:phone].',
  )
  expect(pii.text('Card 4111 1111 1111 1111, not 4111 1111 1111 1112.')).toBe(
    'Card [pii:card], not 4111 1111 1111 1112.',
  )
  expect(pii.text('IBAN DE89 3704 0044 0532 0130 00, not DE88 3704 0044 0532 0130 00.')).toBe(
    'IBAN [pii:iban], not DE88 3704 0044 0532 0130 00.',
  )
  expect(pii.text('SSN 123-45-6789 at 10.1.2.3')).toBe('SSN [pii:ssn] at [pii:ip]')
  for (const text of ['v20.20.2', '2026-11-15T01:59:25.654Z', '1234567890123456789', 'a = b @ c', '1.2.3.4.5', '+1'])
    expect(pii.text(text)).toBe(text)
  expect(secretRedactor({ pii: ['card'] }).text('ada@example.com')).toBe('ada@example.com')
  expect(redactor.text('ada@example.com 4111 1111 1111 1111')).toBe('ada@example.com 4111 1111 1111 1111')
})

test('formats can be chosen and added; an unknown name is refused with the nearest', () => {
  const own = secretRedactor({ formats: ['github-token'], prefixes: { 'acme-key': 'acme_' } })
  expect(own.text(`${KEY} password: hunter2x`)).toMatch(/^\[secret:github-token#\w+\] password: hunter2x$/)
  expect(own.text('acme_a1b2c3d4e5f6g7h8')).toMatch(/^\[secret:acme-key#\w+\]$/)
  expect(redactJson({ password: 'hunter2x' }, own)).toEqual({ password: 'hunter2x' })
  expect(() => secretRedactor({ formats: ['github-tokn'] })).toThrow(/Did you mean "github-token"/)
  expect(() => secretRedactor({ pii: ['mail' as never] })).toThrow(/not a kind of personal data/)
  expect(() => secretRedactor({ prefixes: { x: 'a' } })).toThrow(/too short/)
  expect(SECRET_FORMATS.length).toBeGreaterThan(90)
})

test('a stream, joined, is what the whole text became, and what is hidden stays hidden', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      KEY,
      OTHER,
      'password: hunter2x',
      'sk-',
      'gh',
      'ghp_',
      ' ',
      '\n',
      '"',
      'Bearer ',
      '://u:',
      '@',
      '-----BEGIN ',
      '.',
      '%2F',
    ),
    fc.string({ maxLength: 12 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(20), { maxLength: 40 }), (pieces, sizes) => {
      const text = pieces.join('')
      const stream = streamOf(redactor)
      let shown = ''
      let at = 0
      for (const size of [...sizes, text.length]) {
        shown += stream.push(text.slice(at, at + size))
        at += size
      }
      shown += stream.end()
      const whole = redactor.text(text)
      expect(redactor.text(whole)).toBe(whole)
      for (const key of [KEY, OTHER]) if (!whole.includes(key)) expect(shown).not.toContain(key.slice(8))
      if (whole === text) expect(shown).toBe(text)
    }),
    { numRuns: isFull ? 2_000 : 400 },
  )
})

test('ordinary pieces are shown at once', () => {
  const stream = streamOf(redactor)
  for (const piece of [
    'The',
    ' answer',
    ' is',
    ' 42',
    ',',
    ' and',
    ' the',
    ' file',
    ' is',
    ' at',
    ' /tmp',
    '/x.',
    '\n',
  ])
    expect(stream.push(piece)).toBe(piece)
  expect(stream.end()).toBe('')
})

test('no text makes it slow: the time grows with the length alone', { timeout: 60_000 }, () => {
  const parts = [
    'sk-',
    'password=',
    'password="',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----',
    '://a:',
    'eyJ.',
    ' eyJa.',
    'mnemonic ',
    'cookie: a=',
    'LS0tLS1CRUdJTi',
    '"d":"',
    '%73k-',
    'curl -u ',
    '.',
    'a@',
    '4 ',
    'DE12 ',
    '+1 ',
  ]
  const pii = secretRedactor({ pii: true })
  const cpu = (length: number, part: string): number => {
    const text = part.repeat(Math.ceil(length / part.length))
    const before = process.cpuUsage()
    pii.text(text)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const least = (length: number, part: string): number => Math.min(...[1, 2, 3].map(() => cpu(length, part)))
  for (const part of parts) {
    // Eight times the length may cost eight times as much, and some noise; a square would cost sixty-four times.
    const short = Math.max(least(30_000, part), 5000)
    expect(least(240_000, part), part).toBeLessThan(short * 40)
  }
})
