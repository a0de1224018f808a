import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CONFIG_EXPORTS, configured } from './load-module.ts'

const before = process.cwd()
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mandate-config-'))
  process.chdir(folder)
})
afterEach(() => {
  process.chdir(before)
  rmSync(folder, { recursive: true })
})

test.each(CONFIG_EXPORTS)('a configuration that exports `%s` with a letter twice is refused, unread', async (name) => {
  const wrong = `${name.slice(0, 2)}${name.slice(1)}`
  writeFileSync('mandate.config.js', `throw new Error('was run')\nexport const ${wrong} = 1\n`)
  await expect(configured('store', /no such word/u)).rejects.toThrow(
    `exports \`${wrong}\`, which is not read. Did you mean \`${name}\`?`,
  )
})

test('a configuration may export what is its own', async () => {
  writeFileSync(
    'mandate.config.js',
    "export const store = './here'\nexport const agentsOfMine = []\nconst stores = 1\n",
  )
  expect(await configured('store', /\bstore\b/u)).toBe('./here')
})
