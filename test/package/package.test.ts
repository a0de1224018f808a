import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { installCost } from '../../scripts/install-cost.ts'
import { bundle } from '../../scripts/package-cost.ts'
import { publishedManifest } from '../../scripts/published-manifest.ts'
import { builtPackage } from '../built-package.ts'

/** A project that has the built package; under the repository, where the package finds its dependencies. */
const userFolder = join(import.meta.dirname, '../../.cache/package-user')
const dist = join(userFolder, 'node_modules/mandate/dist')
const lists = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  exports: Record<string, string | Record<string, string>>
  dependencies: Record<string, string>
  peerDependencies: Record<string, string>
  peerDependenciesMeta: Record<string, { optional?: boolean }>
}
const doors = lists.exports
const subpaths = Object.keys(doors).filter((name) => !name.endsWith('.json'))

/** Runs a file of the user's with plain Node: no condition leads to the sources. */
function run(file: string, ...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const env = { ...process.env, NODE_OPTIONS: '' }
  return spawnSync(process.execPath, [file, ...args], { cwd: userFolder, encoding: 'utf8', env })
}

/** Puts the smallest agent into the user's project and gives its path. */
function addMinimalAgent(): string {
  const path = join(userFolder, 'agent.ts')
  cpSync(join(import.meta.dirname, 'minimal-agent.fixture.ts'), path)
  return path
}

function script(name: string, lines: readonly string[]): string {
  const path = join(userFolder, name)
  writeFileSync(path, lines.join('\n'))
  return path
}

/** Without declarations, which take most of the time of a build: they have a sweep. */
beforeAll(async () => {
  rmSync(userFolder, { recursive: true, force: true })
  cpSync((await builtPackage()).folder, userFolder, { recursive: true })
}, 120_000)

describe('the built package', () => {
  test('every subpath offers what its source offers, no more and no less', async () => {
    const names = subpaths.map((subpath) => subpath.replace('.', 'mandate'))
    // One process for all of them: starting one for each took half of the time of this file.
    const file = script('names.js', [
      `const found = {}`,
      `for (const name of ${JSON.stringify(names)}) found[name] = Object.keys(await import(name)).toSorted()`,
      `console.log(JSON.stringify(found))`,
    ])
    const { stdout, stderr } = run(file)
    expect(stdout, stderr).not.toBe('')
    const sources: Record<string, readonly string[]> = {}
    for (const name of names) sources[name] = Object.keys((await import(/* @vite-ignore */ name)) as object).toSorted()
    expect(JSON.parse(stdout)).toEqual(sources)
  })

  test('an agent runs in it, with a tool whose JSON Schema is checked', () => {
    const { stdout, stderr } = run(addMinimalAgent())
    expect(stdout, stderr).toBe('{"status":"completed","text":"It is 3."}\n')
  })

  test('a journal on disk starts its thread from the built file', () => {
    const file = script('journal.js', [
      `import { sqliteJournal } from 'mandate/sqlite'`,
      `const journal = sqliteJournal({ path: 'built.db' })`,
      `const lease = await journal.acquire({ run: 'a', owner: 'me', ttlMs: 1000, now: 0 })`,
      `await journal.close()`,
      `console.log(lease.epoch)`,
    ])
    expect(run(file)).toMatchObject({ status: 0, stdout: '1\n' })
  })

  test('the command starts', () => {
    expect(run(join(dist, 'cli/main.js'), '--help')).toMatchObject({ status: 0, stdout: /mandate run/ })
  })

  test('a live process goes on after the files of the package were removed', () => {
    const folder = join(userFolder, '../package-removed')
    rmSync(folder, { recursive: true, force: true })
    cpSync(join(userFolder, 'node_modules/mandate'), join(folder, 'node_modules/mandate'), { recursive: true })
    cpSync(join(userFolder, 'package.json'), join(folder, 'package.json'))
    cpSync(join(import.meta.dirname, 'live-process.fixture.js'), join(folder, 'live-process.js'))
    const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'live-process.js')], {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '' },
    })
    expect(JSON.parse(stdout || `"${stderr.slice(0, 2_000).replaceAll(/["\\\n]/g, ' ')}"`)).toEqual({
      denied: ['completed', 'allowlist/deny'],
      invalid: ['completed', 'schema'],
      approved: ['completed', 'sent to ana'],
      suspended: ['await_user', 'interrupt'],
      doubt: ['await_user', 'in-doubt'],
      recovered: ['completed', 'ana'],
      cancelled: 'cancelled',
    })
  })

  test('scripts load no kernel: what runs one on a kernel is given it', () => {
    const file = script('loaded.js', [
      `import { registerHooks } from 'node:module'`,
      `const loaded = []`,
      `registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })`,
      `await import('mandate/vm')`,
      `console.log(loaded.filter((url) => url.includes('/mandate/dist/')).map((url) => /\\/chunks\\/([a-z]+)-/.exec(url)?.[1]).join())`,
    ])
    const { stdout, stderr } = run(file)
    const chunks = stdout.trim().split(',')
    expect(chunks, stderr).toContain('vm')
    expect(chunks.filter((name) => ['run', 'gate', 'model', 'memory', 'journal', 'agent'].includes(name))).toEqual([])
  })

  test('a stack trace names functions as they are written, and the chunk of their room', () => {
    const file = script('stack.js', [
      `import { defineTool } from 'mandate'`,
      `try { defineTool({ name: '' }) } catch (error) { console.log(error.stack) }`,
    ])
    expect(run(file).stdout).toMatch(/ at defineTool \(.*\/mandate\/dist\/chunks\/tool-[\w-]+\.js:\d+:\d+\)/)
  })

  test('its manifest leads to built files that are there, and says nothing of the sources', () => {
    const text = readFileSync(join(userFolder, 'node_modules/mandate/package.json'), 'utf8')
    const { exports, bin } = JSON.parse(text) as { exports: typeof doors; bin: Record<string, string> }
    expect(text).not.toMatch(/mandate-source|src\//)
    expect(Object.keys(exports)).toEqual(Object.keys(doors))
    const paths = Object.values(exports).flatMap((door) => (typeof door === 'string' ? [door] : [door['default']!]))
    const missing = [...paths, ...Object.values(bin)].filter((path) => !existsSync(join(dist, '..', path)))
    expect(missing).toEqual([])
  })
})

test('what is published has the fields of the manifest that users need, and none of those that only a clone needs', () => {
  const published = publishedManifest({
    name: 'a',
    exports: { '.': { 'mandate-source': './src/a.ts', types: './a.d.ts', default: './a.js' }, './x.json': './x.json' },
    scripts: { postinstall: 'x' },
    dependencies: { b: '1' },
    devDependencies: { c: '1' },
    allowScripts: {},
    publishConfig: {},
  })
  expect(published).toEqual({
    name: 'a',
    exports: { '.': { types: './a.d.ts', default: './a.js' }, './x.json': './x.json' },
    dependencies: { b: '1' },
  })
})

describe('what installing it costs', () => {
  test('fewer packages than ai, and no command but its own', () => {
    const ours = installCost(userFolder, ['mandate'])
    const theirs = installCost(userFolder, ['ai'])
    expect(ours.packages.length).toBeLessThan(theirs.packages.length)
    expect(ours.bins).toEqual(['mandate'])
  })

  test('what is built imports what is installed along, and no optional peer but the one that a subpath is about', () => {
    const files = globSync('**/*.js', { cwd: dist })
    const names = files.flatMap((file) => {
      const code = readFileSync(join(dist, file), 'utf8')
      return [...code.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)["']([^."'][^"'\s]*)["']/g)].map(([, name]) => name!)
    })
    const packages = new Set(
      names.filter((name) => !name.startsWith('node:') && !name.startsWith('mandate')).map((name) => packageIn(name)),
    )
    expect([...packages].toSorted()).toEqual([...Object.keys(lists.dependencies), '@opentelemetry/api'].toSorted())
    for (const name of Object.keys(lists.peerDependencies))
      expect(lists.peerDependenciesMeta[name]?.optional).toBe(true)
  })
})

describe('in a bundle of the user', () => {
  const source = `import { AgentService, providePackages } from 'mandate'
import { mcpServer } from 'mandate/server'
import { openStore } from 'mandate/sqlite'
if (process.argv[3] === 'provided') providePackages({ '@modelcontextprotocol/server': async () => { throw new Error('brought along') } })
const service = new AgentService({ store: await openStore({ dir: process.argv[2] }) })
const said = await mcpServer({ service, agents: [] }).then(() => 'a server', ({ message }) => message)
const runs = (await service.runs()).length
await service.stop()
console.log(JSON.stringify({ runs, said }))
process.exit()
`

  test('optional packages are neither looked for nor included, and found when they are used; a store starts its own thread', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mandate-bundle-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const said: string[] = []
    const build = await rolldown({
      input: script('bundled.js', [source]),
      platform: 'node',
      onLog: (_, { message }) => void said.push(message),
    })
    const { output } = await build.write({ dir: folder, format: 'esm', entryFileNames: 'bundle.mjs' })
    await build.close()
    expect(said).toEqual([])
    const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
    const included = modules.map((id) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? '')
    expect([...new Set(included)].filter((name) => lists.peerDependencies[name] !== undefined)).toEqual([])
    // The bundle is outside of the project, and started in it: the store's thread and the package of MCP are those of the project.
    const bundled = join(folder, 'bundle.mjs')
    expect(JSON.parse(run(bundled, join(folder, 'a')).stdout)).toEqual({ runs: 0, said: 'a server' })
    expect(JSON.parse(run(bundled, join(folder, 'b'), 'provided').stdout)).toEqual({ runs: 0, said: 'brought along' })
    const elsewhere = spawnSync(process.execPath, [bundled, join(folder, 'c')], { cwd: folder, encoding: 'utf8' })
    expect(elsewhere.stderr).toContain('Install it there: `npm install mandate@')
  })
})

function packageIn(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

describe('what a minimal agent costs', () => {
  test('bundled, minified and zipped, one run to its end prints what it loads and works', async () => {
    const { zipped: total, chunks, run: runBundle } = await bundle(addMinimalAgent())
    const { stdout, loaded, zipped } = runBundle()
    const lines = chunks.map(
      ({ file, isInitial, bytes, zipped: size }) =>
        `${isInitial ? 'at start' : 'on use  '} ${loaded.includes(file) ? 'loaded' : '      '} ${kilobytes(bytes)} KB, ${kilobytes(size)} KB zipped: ${file}`,
    )
    process.stdout.write(
      `${lines.join('\n')}\n${kilobytes(total)} KB zipped at start, ${kilobytes(zipped)} KB after a run\n`,
    )
    expect(stdout).toBe('{"status":"completed","text":"It is 3."}\n')
  })
})

function kilobytes(bytes: number): string {
  return (bytes / 1024).toFixed(1).padStart(5)
}
