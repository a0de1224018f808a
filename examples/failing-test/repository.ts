import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A small repository with two tests; one of them fails, because its code ignores that February is short. */
const FILES: Readonly<Record<string, string>> = {
  'src/days.mjs': `/** How many days a month has. */
export function daysIn(month, year) {
  return month === 2 ? 29 : [4, 6, 9, 11].includes(month) ? 30 : 31
}
`,
  'test/days.test.mjs': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysIn } from '../src/days.mjs'

test('April has 30 days', () => assert.equal(daysIn(4, 2025), 30))
test('February has 28 days when the year is no leap year', () => assert.equal(daysIn(2, 2025), 28))
`,
  'README.md': '# days\n\nHow long months are.\n',
}

/** Writes the repository into a folder. */
export function makeRepository(folder: string): void {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}
