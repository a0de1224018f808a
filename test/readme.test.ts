import { spawnSync } from 'node:child_process'
import { mkdtempSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { snippetsInMarkdown } from './docs/snippets.ts'
import { root } from './tidy/sources.ts'

test('the first example of the README runs offline after one line was changed: it waits, is approved, resumes and completes', () => {
  const [example] = snippetsInMarkdown('README.md', readFileSync(join(root, 'README.md'), 'utf8'))
  const lines = example!.code.split('\n')
  const real = lines.findIndex((line) => line.startsWith("const model = 'openai/"))
  expect(lines[real + 1]).toMatch(/^\/\/ const model = scripted\(/)
  const offline = lines.with(real, '').with(real + 1, lines[real + 1]!.replace('// ', ''))

  const folder = mkdtempSync(join(tmpdir(), 'mandate-readme-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules', 'mandate'))
  symlinkSync(join(root, 'node_modules', 'zod'), join(folder, 'node_modules', 'zod'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'refund.ts'), offline.join('\n'))
  const { OPENAI_API_KEY: _key, ...env } = process.env
  const ran = spawnSync(process.execPath, ['--conditions=mandate-source', 'refund.ts'], {
    cwd: folder,
    env: { ...env, NO_COLOR: '1' },
    encoding: 'utf8',
  })
  expect(ran.stderr).toBe('')
  expect(ran.stdout.split('\n')).toEqual(["approve? refund { order: 'A-17', amount: 80 }", 'completed Refunded.', ''])
})
