import { readFileSync } from 'node:fs'
import { describeSubset } from '../../src/vm/script/guide.ts'
import { expect, test } from 'vitest'

test('the page about scripts says what the table of the front end says', () => {
  const page = readFileSync(new URL('../../docs/scripts.md', import.meta.url), 'utf8')
  expect(page.endsWith(`## What there is, and what there is not\n\n${describeSubset().trim()}\n`)).toBe(true)
})
