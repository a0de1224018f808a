import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { builtPackage } from '../built-package.ts'
import { useOwnFolder } from '../cli/mandate.fixture.ts'
import { programInTerminal, script } from '../cli/terminal.fixture.ts'
import { root } from '../tidy/sources.ts'

useOwnFolder()

const { flags } = await builtPackage()
const DEMO = join(root, 'examples/release-notes/main.ts')

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-demo-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('the demonstration tells the beginning and the end of every tool call once', () => {
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, DEMO], { cwd: ownFolder(), encoding: 'utf8' })
  const lines = stripVTControlCharacters(stdout).split('\n')
  const begun = lines.flatMap((line) => /^ {2}→ (\w+) /.exec(line)?.[1] ?? [])
  const ended = lines.flatMap((line) => /^ {2}[✓✗] (\w+) (?:ok|failed)$/.exec(line)?.[1] ?? [])
  expect(begun.length, stderr).toBeGreaterThan(4)
  expect(ended.toSorted()).toEqual(begun.toSorted())
})

test.skipIf(script === undefined)('Ctrl-C at its question ends the demonstration', async () => {
  const folder = ownFolder()
  let isAsked = false
  const { code, screen } = await programInTerminal(
    ['sh', '-c', `cd '${folder}' && exec "$0" "$@"`, process.execPath, ...flags, DEMO],
    (shown) => {
      if (isAsked || !shown.includes('Approve this call?')) return undefined
      isAsked = true
      return '\u0003'
    },
  )
  expect(code).toBe(130)
  expect(screen).not.toContain('2. The same again')
})
