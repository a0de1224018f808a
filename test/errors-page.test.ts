import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ERROR_CODES } from '../src/core/index.ts'

it('every error code has exactly one row in docs/errors.md, in the order of the list', () => {
  const page = readFileSync(new URL('../docs/errors.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code)
  expect(rows).toEqual([...ERROR_CODES])
})
