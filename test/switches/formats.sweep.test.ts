import { expect, test } from 'vitest'
import { SECRET_FORMATS, secretRedactor } from '../../src/redact/index.ts'
import { SECRET_CASES } from '../redaction/corpus.ts'

const hidden = SECRET_CASES.filter((one) => one.expect === 'redact')
const whole = secretRedactor()

// `formats` is the switch here: what is hidden by one format alone, or under another name, changes when it is left out.
test.each(SECRET_FORMATS)('without the format %s a case of the corpus is hidden otherwise or not at all', (format) => {
  const without = secretRedactor({ formats: SECRET_FORMATS.filter((name) => name !== format) })
  const own = hidden.filter(({ text }) => whole.text(text).includes(`[secret:${format}`))
  expect(own.some(({ text }) => without.text(text) !== whole.text(text))).toBe(true)
})
