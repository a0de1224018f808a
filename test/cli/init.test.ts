import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { listTemplates } from '../../src/cli/templates.ts'
import { ROOT, mandate, store, useOwnFolder } from './mandate.fixture.ts'
import { inTerminal, rendered, script, when } from './terminal.fixture.ts'

useOwnFolder()
const folder = mkdtempSync(join(tmpdir(), 'mandate-init-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Manifest {
  readonly name: string
  readonly version: string
  readonly scripts: Record<string, string>
  readonly dependencies: Record<string, string>
  readonly devDependencies: Record<string, string>
}

const manifest = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8')) as Manifest
const own = manifest(join(ROOT, 'package.json'))
const names = listTemplates().map(({ name }) => name)

test.each(names)('makes a project from %s: typed, tested, linted, with notes for coding assistants', async (name) => {
  const target = join(folder, `My ${name}`)
  const { code, out, notes } = await mandate('init', target, '--template', name, '--json')
  expect([code, notes]).toEqual([0, expect.stringContaining('npm install')])
  // As a shell takes it: the name has a space.
  expect(notes).toMatch(new RegExp(`cd ".*My ${name}"\n`))
  const { files, next } = JSON.parse(out) as { files: string[]; next: string[] }
  // A server on stdio would wait for its clients without a word.
  expect(next.at(-1)).toBe(name === 'mcp' ? 'npm run try' : 'npm start')
  expect(readdirSync(target, { recursive: true })).toEqual(expect.arrayContaining(files))
  expect(files).toEqual(
    expect.arrayContaining(['.gitignore', 'AGENTS.md', 'README.md', 'package.json', 'tsconfig.json']),
  )
  expect(files.some((file) => file.endsWith('.test.ts'))).toBe(true)
  const made = manifest(join(target, 'package.json'))
  expect(made).toMatchObject({ name: `my-${name}`, scripts: { test: 'node --test', check: 'tsc', lint: 'oxlint' } })
  expect(made.dependencies['mandate']).toBe(`^${own.version}`)
  expect(readFileSync(join(target, 'README.md'), 'utf8')).toMatch(new RegExp(`^# my-${name}\n[^]*MANDATE_MODEL`))
  // The versions that this repository is tested with.
  const tested: Record<string, string> = { ...own.devDependencies, mandate: own.version }
  for (const [dependency, version] of Object.entries({ ...made.dependencies, ...made.devDependencies }))
    expect([dependency, version]).toEqual([dependency, `^${tested[dependency]}`])
})

test('overwrites nothing: where one file exists, none is written', async () => {
  const target = join(folder, 'taken')
  mkdirSync(target)
  writeFileSync(join(target, 'tsconfig.json'), 'mine')
  expect(await mandate('init', target)).toMatchObject({
    code: 2,
    notes: /already has tsconfig\.json\. Nothing was written/,
  })
  expect(readdirSync(target)).toEqual(['tsconfig.json'])
  expect(readFileSync(join(target, 'tsconfig.json'), 'utf8')).toBe('mine')
})

test('names the template that was meant, and writes nothing', async () => {
  const target = join(folder, 'typo')
  expect(await mandate('init', target, '--template', 'analist')).toMatchObject({
    code: 2,
    notes: /Did you mean "analyst"\?/,
  })
  expect(await mandate('init', target, 'more')).toMatchObject({ code: 2, notes: /one word too many/ })
  expect(existsSync(target)).toBe(false)
})

test('says which file cannot be used, and why, in words', async () => {
  const file = join(folder, 'a-file')
  writeFileSync(file, '')
  const said = await mandate('init', join(file, 'inside'), '--json')
  expect(said).toMatchObject({ code: 6, notes: /CONFIG_INVALID\].*a-file.*no folder/ })
  expect(JSON.parse(said.out)).toMatchObject({ error: { code: 'CONFIG_INVALID' } })
})

test.skipIf(script === undefined)(
  'asks within 80 columns; Ctrl-C there is an interruption, and writes nothing',
  async () => {
    const target = join(folder, 'interrupted')
    const { code, screen } = await inTerminal(['init', target], when(/Template: /, '\u0003'))
    expect(code).toBe(130)
    expect(rendered(screen).filter((line) => line.length > 80)).toEqual([])
    expect(screen).toMatch(/\(agent\)[^\n]*\n[^\n]*Nothing was done/)
    expect(existsSync(target)).toBe(false)
  },
)

test('create-mandate asks for the version of mandate that it belongs to', () => {
  const { version, dependencies } = manifest(join(ROOT, 'packages/create-mandate/package.json'))
  expect([version, dependencies['mandate']]).toEqual([own.version, own.version])
})

test('the help and the completion of init name every template', async () => {
  const { out } = await mandate('help', 'init')
  for (const name of names) expect(out).toContain(name)
  const { out: words } = await mandate('completion', 'words', '--dir', store(), '--', 'init', '--template', '')
  expect(words.trim().split(/\s+/)).toEqual(names.toSorted())
})
