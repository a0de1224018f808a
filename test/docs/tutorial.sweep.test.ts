import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { builtPackage } from '../built-package.ts'
import { root } from '../tidy/sources.ts'
import { filesIn, playSteps, stepsIn } from './transcripts.ts'

test('every command of the tutorial gives what the tutorial shows, without a network', async () => {
  const page = readFileSync(join(root, 'docs/tutorial.md'), 'utf8')
  const built = await builtPackage()
  const folder = mkdtempSync(join(tmpdir(), 'mandate-tutorial-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  // What `npm install` of the page brings, and `npx mandate`.
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(built.folder, 'node_modules/mandate'), join(folder, 'node_modules/mandate'))
  symlinkSync(join(root, 'node_modules/zod'), join(folder, 'node_modules/zod'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const command = `#!/bin/sh\nshift\nexec "${process.execPath}" "${built.main}" "$@"\n`
  writeFileSync(join(folder, 'npx'), command, { mode: 0o755 })
  for (const { name, code } of filesIn(page)) writeFileSync(join(folder, name), code)
  const steps = stepsIn(page)
  expect(steps.length).toBeGreaterThan(12)
  const env = {
    PATH: [folder, dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
    NO_COLOR: '1',
    HOME: folder,
    HTTPS_PROXY: 'http://127.0.0.1:9',
  }
  expect(playSteps(steps, folder, env).join('\n\n')).toBe('')
}, 240_000)
