import { expect, test } from 'vitest'
import { knownValues } from './known-values.ts'
import { noRedaction, streamOf } from './redactor.ts'
import { rememberingRedactor } from './remembered-values.ts'
import { secretRedactor } from './secret-redactor.ts'

/** Put together here, so that no scanner takes this file for a leak. */
const TOKEN = ['ghp', '_', 'a8Kq2LmZ0pXv93TdRwYb71NcEsHfGuJo4iQe'].join('')
const PASSWORD = '1j1l-2k3j'

/** What shells and headers make of a text. */
const FORMS: readonly ((text: string) => string)[] = [
  (text) => Buffer.from(text).toString('base64'),
  (text) => Buffer.from(`user:${text}`).toString('base64'),
  (text) => Buffer.from(`x${text}, and more`).toString('base64url'),
  (text) => Buffer.from(text).toString('hex'),
  (text) => Buffer.from(text).toString('hex').toUpperCase(),
]

test.each([
  ['a token', `use ${TOKEN}`, TOKEN],
  ['a password', `password: "${PASSWORD}"`, PASSWORD],
])('%s that was found once is found in base64, base64url and hex, under the same token', (_, text, value) => {
  const redactor = rememberingRedactor(secretRedactor(), 'session')
  for (const form of FORMS) expect(redactor.text(form(value))).toBe(form(value))
  const token = /\[secret:[^\]]+\]/u.exec(redactor.text(text))![0]
  for (const form of FORMS) {
    const shown = redactor.text(`got ${form(value)} here`)
    expect(shown).toContain(token)
    expect(shown.replace(token, '').length).toBeLessThan(30)
  }
  // The value alone is found by its form, or was an ordinary text all along.
  expect(redactor.text(PASSWORD)).toBe(PASSWORD)
})

test('a child remembers what its parent has found, and another session does not', () => {
  const parent = rememberingRedactor(secretRedactor(), 'session')
  const child = rememberingRedactor(secretRedactor(), 'session', parent)
  const stranger = rememberingRedactor(secretRedactor(), 'other')
  parent.text(`use ${TOKEN}`)
  const encoded = FORMS[0]!(TOKEN)
  expect(child.text(encoded)).not.toContain(encoded)
  expect(stranger.text(encoded)).toBe(encoded)
})

test('what is remembered is bounded', () => {
  const redactor = rememberingRedactor(secretRedactor(), 'session')
  const tokens = Array.from({ length: 40 }, (_, i) => TOKEN.slice(0, -4) + String(1000 + i))
  for (const token of tokens) redactor.text(`use ${token}`)
  const found = tokens.filter((token) => redactor.text(FORMS[3]!(token)) !== FORMS[3]!(token))
  expect(found).toEqual(tokens.slice(0, 32))
})

test('a redactor without scopes stays as it is', () => {
  expect(rememberingRedactor(noRedaction, 'session')).toBe(noRedaction)
})

test('a value that becomes known while a stream is open is found across its pieces', () => {
  const known = knownValues()
  known.add('ONE', 'first-registered-value')
  const stream = streamOf(known)
  let shown = stream.push('begins with second-reg')
  known.add('TWO', 'second-registered-value')
  known.add('THREE', 'gistered-value-of-another')
  shown += stream.push(' and then first-regis')
  shown += stream.push('tered-value, second-registered')
  shown += `${stream.push('-value.')}${stream.end()}`
  expect(shown).toBe('begins with second-reg and then [secret:ONE], [secret:TWO].')
})
