import { describe, expect, test } from 'vitest'
import { type Redactor, knownValues, redactJson, secretRedactor, streamOf } from '../../src/redact/index.ts'
import { isFull, shareOf } from '../rotation.ts'
import { REGISTERED, SECRET_CASES, longestLeak, secretOf } from './corpus.ts'

const redactor = secretRedactor()
const known = knownValues()
known.add('REGISTERED', REGISTERED)

/** A token holds letters and digits too, and some of them will be the same. */
const LEAK_MAX = 5

function streamed(text: string, cuts: readonly number[], by: Redactor): string {
  const stream = streamOf(by)
  const pieces = [...cuts, text.length].map((cut, i) => text.slice(i === 0 ? 0 : cuts[i - 1], cut))
  return pieces.map((piece) => stream.push(piece)).join('') + stream.end()
}

describe('what looks like a secret', () => {
  const cases = SECRET_CASES.filter((one) => one.expect === 'redact')

  test.each(cases)('$id $kind is hidden', (one) => {
    const hidden = redactor.text(one.text)
    expect(longestLeak(hidden, secretOf(one))).toBeLessThanOrEqual(LEAK_MAX)
    expect(redactor.text(hidden)).toBe(hidden)
  })

  test.each(cases)('$id $kind is hidden in a sentence, in JSON, and in JSON inside JSON', (one) => {
    const sentence = `See this: ${one.text} and tell nobody.`
    for (const text of [
      sentence,
      JSON.stringify({ a: sentence }),
      JSON.stringify(JSON.stringify([`x\n${one.text}\ny`])),
    ]) {
      const secret = text === sentence ? secretOf(one) : JSON.stringify(secretOf(one)).slice(1, -1)
      expect(longestLeak(redactor.text(text), secret)).toBeLessThanOrEqual(LEAK_MAX + 3)
    }
  })

  test.each(cases)('$id $kind is hidden as a value and as a key', (one) => {
    const hidden = JSON.stringify(redactJson({ a: [one.text], [one.text]: 1 }, redactor))
    expect(longestLeak(hidden, JSON.stringify(secretOf(one)).slice(1, -1))).toBeLessThanOrEqual(LEAK_MAX)
  })

  // The sweep has the other cases of this one, which takes most of the time.
  test.each(shareOf(cases, 4))('$id $kind is never shown in part, wherever a stream is cut', (one) => {
    const text = `Here: ${one.text} .`
    const step = Math.max(1, Math.floor(text.length / (isFull ? 400 : 80)))
    for (let cut = 1; cut < text.length; cut += step) {
      const shown = streamed(text, [cut], redactor)
      expect(longestLeak(shown, secretOf(one)), `cut at ${cut}: ${shown}`).toBeLessThanOrEqual(8)
    }
    const letters = streamed(
      text,
      Array.from({ length: text.length - 1 }, (_, i) => i + 1),
      redactor,
    )
    expect(longestLeak(letters, secretOf(one)), letters).toBeLessThanOrEqual(8)
  })
})

/** As RFC 4648 writes it, without padding. */
function base32(value: string): string {
  const bits = [...Buffer.from(value)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replaceAll(/.{1,5}/g, (five) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt(parseInt(five.padEnd(5, '0'), 2)),
  )
}

describe('a value that is known', () => {
  const cases = SECRET_CASES.filter((one) => one.kind.startsWith('registered') && one.expect.startsWith('redact'))

  test.each(cases)('$id $kind is hidden, also from a stream', (one) => {
    const text = `a ${one.sample} b`
    expect(known.text(text)).toBe('a [secret:REGISTERED] b')
    for (let cut = 1; cut < text.length; cut++) expect(streamed(text, [cut], known)).toBe('a [secret:REGISTERED] b')
    expect(
      streamed(
        text,
        Array.from({ length: text.length - 1 }, (_, i) => i + 1),
        known,
      ),
    ).toBe('a [secret:REGISTERED] b')
    for (const cut of one.chunks ?? []) expect(streamed(one.sample, [cut], known)).toBe('[secret:REGISTERED]')
  })

  test('in base64 at every alignment, in hex, in a URL and in JSON', () => {
    for (const before of ['', 'x', 'xy', 'xyz']) {
      for (const after of ['', 'x', 'xy']) {
        const bytes = Buffer.from(`${before}${REGISTERED}${after}`)
        for (const text of [
          bytes.toString('base64'),
          bytes.toString('base64url'),
          bytes.toString('hex'),
          bytes.toString('hex').toUpperCase(),
        ]) {
          const hidden = known.text(text)
          expect(hidden).toContain('[secret:REGISTERED]')
          expect(longestLeak(hidden, text)).toBeLessThanOrEqual(8)
        }
      }
    }
    const odd = knownValues()
    odd.add('ODD', 'p&ss "w\\rd"/é')
    for (const text of [JSON.stringify('p&ss "w\\rd"/é'), encodeURIComponent('p&ss "w\\rd"/é')])
      expect(odd.text(text)).toContain('[secret:ODD]')
  })

  test.each([
    ['in capitals', REGISTERED.toUpperCase()],
    ['in small letters', REGISTERED.toLowerCase()],
    ['in base32', base32(REGISTERED)],
    ['in base32 in small letters', base32(REGISTERED).toLowerCase()],
    ['as a list of bytes', [...Buffer.from(REGISTERED)].join(', ')],
    [
      'in hex with colons',
      Buffer.from(REGISTERED)
        .toString('hex')
        .replaceAll(/..(?=.)/g, '$&:'),
    ],
    ['in hex of UTF-16', Buffer.from(REGISTERED, 'utf16le').toString('hex')],
    ['in base64 of UTF-16', Buffer.from(REGISTERED, 'utf16le').toString('base64').replace(/=+$/, '')],
  ])('%s', (_, written) => {
    const hidden = known.text(`a ${written} b`)
    expect(hidden).toContain('[secret:REGISTERED]')
    expect(longestLeak(hidden, written)).toBeLessThanOrEqual(8)
  })

  test.each(['base64', 'base64url'] as const)('what is left of %s around it says nothing of the value', (encoding) => {
    // Their first and last characters differ in every bit that a neighbouring character of base64 can hold.
    const left = (value: string, before: string, after: string): string => {
      const values = knownValues()
      values.add('KEY', value)
      return values.text(Buffer.from(`${before}${value}${after}`).toString(encoding))
    }
    for (const before of ['', 'x', 'xy', 'xyz'])
      for (const after of ['', 'x', 'xy']) {
        const shown = left('0-shared-middle-0', before, after)
        expect(shown).toContain('[secret:KEY]')
        expect(left('O-shared-middle-O', before, after)).toBe(shown)
      }
  })
})

describe('what is no secret', () => {
  const cases = SECRET_CASES.filter((one) => one.expect === 'keep')

  test.each(cases)('$id $kind stays', (one) => {
    expect(redactor.text(one.text)).toBe(one.text)
    expect(secretRedactor({ pii: ['card', 'phone', 'iban', 'ssn'] }).text(one.text)).toBe(one.text)
    const letters = Array.from({ length: one.text.length - 1 }, (_, i) => i + 1)
    expect(streamed(one.text, letters, redactor)).toBe(one.text)
  })
})

test('every case is expected to come to something that is looked at here, or in its place', () => {
  const looked = new Set(['redact', 'keep', 'partial', 'miss-ok'])
  const left = SECRET_CASES.filter(({ expect: wanted }) => !looked.has(wanted))
  expect(left.filter((one) => one.expect !== 'redact-known' || !one.kind.startsWith('registered'))).toEqual([])
})

test('what remains: beginnings of known values stay, and transformations that labels must stop are not found', () => {
  // The corpus leaves both to policy: a beginning is not the value, and a text that was spelt backwards or compressed can be anything.
  for (const one of SECRET_CASES.filter(({ expect: wanted }) => wanted === 'partial' || wanted === 'miss-ok'))
    expect(known.text(one.sample)).toBe(one.sample)
})
