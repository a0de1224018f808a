import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ERROR_CODES } from '../src/core/index.ts'

it('every error code has exactly one row in docs/errors.md, in the order of the list', () => {
  const page = readFileSync(new URL('../docs/errors.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| <a id="([a-z-]+)"><\/a>`([A-Z_]+)` \|/gm)]
  expect(rows.map(([, , code]) => code)).toEqual([...ERROR_CODES])
  // The command links to the row of a code.
  expect(rows.map(([, anchor]) => anchor)).toEqual(ERROR_CODES.map((code) => code.toLowerCase().replaceAll('_', '-')))
})
