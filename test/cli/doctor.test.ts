import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { COMMAND, ROOT } from './mandate.fixture.ts'

/** A project of its own, because the doctor looks at the folder it is called in. */
function project(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-doctor-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

interface Check {
  readonly check: string
  readonly ok: boolean
  readonly review?: boolean
  readonly detail: string
}

function doctor(
  cwd: string,
  words: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): { code: number | null; checks: Check[] } {
  const [program, ...args] = [...COMMAND, 'doctor', '--json', ...words]
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const inherited = { PATH, HOME, NODE_COMPILE_CACHE }
  const { status, stdout } = spawnSync(program!, args, { cwd, env: { ...inherited, ...env }, encoding: 'utf8' })
  return { code: status, checks: JSON.parse(stdout) as Check[] }
}

const named = (checks: readonly Check[], name: string): Check | undefined => checks.find(({ check }) => check === name)

test('a sound project is told so: machine, keys, store, configuration', () => {
  const folder = project({ 'mandate.config.mjs': 'export default { agents: [{ id: "a", model: "openai/gpt-5" }] }' })
  const { code, checks } = doctor(folder, [], { OPENAI_API_KEY: 'sk-test' })
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
  expect(code).toBe(0)
  expect(checks.map(({ check }) => check)).toEqual([
    'node',
    'sandbox',
    'keys',
    'store',
    'mandate.config.mjs',
    'model openai/gpt-5',
  ])
})

test('a model whose key is missing, and a configuration that cannot be loaded, are named with their fix', () => {
  const noKey = doctor(
    project({ 'mandate.config.mjs': 'export default { agents: [{ id: "a", model: "openai/gpt-5" }] }' }),
  )
  expect(noKey.code).toBe(6)
  expect(named(noKey.checks, 'mandate.config.mjs')).toMatchObject({ ok: true })
  expect(named(noKey.checks, 'model openai/gpt-5')).toMatchObject({
    ok: false,
    detail: expect.stringContaining('OPENAI_API_KEY'),
  })
  const broken = doctor(project({ 'mandate.config.mjs': 'export default {' }))
  expect(named(broken.checks, 'mandate.config.mjs')).toMatchObject({
    ok: false,
    detail: expect.stringContaining('cannot be loaded'),
  })
})

test('keys that cannot be used are named', () => {
  const { code, checks } = doctor(project({}), [], { MANDATE_KEYS: 'k1:short' })
  expect(code).toBe(6)
  expect(named(checks, 'keys')).toMatchObject({ ok: false, detail: expect.stringContaining('MANDATE_KEYS') })
})

test('servers of .mcp.json are started only when that is asked for', () => {
  const server = { command: process.execPath, args: [join(ROOT, 'test/mcp/stdio-server.fixture.ts')] }
  const missing = { command: join(ROOT, 'no-such-program') }
  const folder = project({ '.mcp.json': JSON.stringify({ mcpServers: { good: server, bad: missing } }) })
  expect(named(doctor(folder).checks, '.mcp.json')?.detail).toContain('not tried')
  const { code, checks } = doctor(folder, ['--servers'])
  expect(code).toBe(6)
  expect(named(checks, 'server good')).toMatchObject({ ok: true, detail: '4 tools' })
  expect(named(checks, 'server bad')).toMatchObject({ ok: false })
})

test('a name of graphs that stands for nothing is named; a configuration whose setup fails is one that cannot be used', () => {
  const setup = (work: string): string =>
    `import { graphRegistry } from 'mandate/graph'\nexport default { tools: [] }\nexport const setup = (service) => { ${work} }`
  const dangling = project({ 'mandate.config.mjs': setup("graphRegistry(service).alias('tool', 'find', 'search')") })
  const { code, checks } = doctor(dangling)
  expect(code).not.toBe(0)
  expect(named(checks, 'names')).toMatchObject({ ok: false, detail: expect.stringContaining('"search", which is not') })
  const failing = project({ 'mandate.config.mjs': setup("throw new Error('no model today')") })
  expect(named(doctor(failing).checks, 'mandate.config.mjs')).toMatchObject({ ok: false, detail: 'no model today' })
})

test('names in mandates that nothing has are shown, without being a fault; a misspelt one is', () => {
  const config = (name: string): string =>
    `const pay = { name: 'pay', risk: 'write', run: () => 1 }
    export default { agents: [{ id: 'a', model: 'openai/gpt-5', tools: [pay], mandate: { deny: ['${name}', 'shell*'] } }] }`
  const shared = doctor(project({ 'mandate.config.mjs': config('transfer') }), [], { OPENAI_API_KEY: 'sk-test' })
  expect(shared.checks.filter(({ check }) => check === 'agent a')).toEqual([
    {
      check: 'agent a',
      ok: true,
      review: true,
      detail: expect.stringContaining('names "transfer", and no tool here has that name'),
    },
  ])
  expect(shared.code).toBe(0)
  expect(shared.checks.filter(({ check }) => check !== 'agent a').every((one) => !('review' in one))).toBe(true)
  const slip = doctor(project({ 'mandate.config.mjs': config('payy') }), [], { OPENAI_API_KEY: 'sk-test' })
  expect(named(slip.checks, 'mandate.config.mjs')).toMatchObject({
    ok: false,
    detail: expect.stringContaining('Did you mean "pay"?'),
  })
})

test('what a person should look at is not printed as ok', () => {
  const config = `const read_all = { name: 'delete_all', risk: 'read', run: () => 1 }
    export default { agents: [{ id: 'a', model: 'openai/gpt-5', tools: [read_all], mandate: { deny: ['transfer'] } }] }`
  const [program, ...args] = [...COMMAND, 'doctor']
  const { stdout } = spawnSync(program, args, {
    cwd: project({ 'mandate.config.mjs': config }),
    encoding: 'utf8',
    env: { PATH: process.env.PATH, OPENAI_API_KEY: 'sk-test' },
  })
  expect(stdout).toMatch(/^review agent a: `mandate\.deny\[0\]` names "transfer"/mu)
  expect(stdout).toMatch(/^review tool delete_all: /mu)
  expect(stdout).toMatch(/^ok {5}mandate\.config\.mjs: agents a$/mu)
})
