import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../tidy/sources.ts'
import { atomTables } from './atom-table.ts'

const text = readFileSync(join(root, 'docs/programs.md'), 'utf8')

test('docs/programs.md lists every operation with its cost, as the registry has it', () => {
  const [, written] = /<!-- atoms -->\n([^]*?)<!-- end -->/.exec(text) ?? []
  expect(written?.trim()).toBe(atomTables().trim())
})
