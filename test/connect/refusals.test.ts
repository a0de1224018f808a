import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileTools, httpFetch, kv, sqlOverSqlite, sqlTools } from 'mandate/connect'
import { readMcpConfig } from 'mandate/mcp'
import { inMemoryDatabase } from 'mandate/memory'
import type { Tool, ToolContext } from 'mandate/tool'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ConnectCheck, withoutCheck } from '../../src/connect/checks.ts'
import { questionIn } from '../../src/connect/mcp/questions.ts'
import { shellGround } from './shell-corpus.fixture.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'mandate-refusals-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

async function call(tools: readonly Tool[], name: string, input: object): Promise<unknown> {
  const tool = tools.find((one) => one.name === name)!
  const context = {
    signal: new AbortController().signal,
    idempotencyKey: 'k',
    emit: () => {},
  } as unknown as ToolContext
  return tool.run(input as never, context)
}

/** Refused with the check, and let through without it. */
async function refusedBy(check: ConnectCheck, work: () => unknown, words: string): Promise<void> {
  const attempt = async (): Promise<unknown> => work()
  await expect(attempt()).rejects.toThrow(words)
  await expect(withoutCheck(check, attempt)).resolves.not.toThrow()
}

describe('half a character is refused, never replaced by another', () => {
  const HALF = 'a\ud800b'

  it('in values and text of SQL', async () => {
    const path = join(folder(), 'shop.db')
    new DatabaseSync(path).exec('CREATE TABLE t (a TEXT)')
    const database = sqlOverSqlite({ path, write: true })
    onTestFinished(() => database.close())
    const tools = sqlTools({ database })
    await refusedBy(
      'text.whole',
      () => call(tools, 'sql_query', { sql: 'SELECT ?', params: [HALF] }),
      'half a character',
    )
    await refusedBy('text.whole', () => call(tools, 'sql_query', { sql: `SELECT '${HALF}'` }), 'half a character')
    const whole = { sql: 'SELECT ?', params: ['a😀b'] }
    expect(await call(tools, 'sql_query', whole)).toMatchObject({ rows: [['a😀b']] })
  })

  it('in files, addresses, bodies and arguments', async () => {
    const files = fileTools({ root: folder(), write: true })
    await refusedBy('text.whole', () => call(files, 'write_file', { path: 'a', content: HALF }), 'half a character')
    await expect(
      call([httpFetch({ allow: ['x.example'] })], 'http_fetch', { url: `https://x.example/${HALF}` }),
    ).rejects.toThrow('half a character')
    const posting = httpFetch({ allow: ['x.example'], methods: ['POST'] })
    await expect(
      call([posting], 'http_fetch', { url: 'https://x.example/', method: 'POST', body: HALF }),
    ).rejects.toThrow('half a character')
    const place = shellGround({ allow: ['printf'] })
    onTestFinished(() => place.end())
    await refusedBy('text.whole', () => place.call({ argv: ['printf', HALF] }), 'half a character')
  })
})

describe('one statement', () => {
  it.each(['SELECT 1;;', 'SELECT 1; ;', 'SELECT 1;\n;\n'])('%j has two ends', async (sql) => {
    const path = join(folder(), 'shop.db')
    new DatabaseSync(path).exec('CREATE TABLE t (a TEXT)')
    const database = sqlOverSqlite({ path })
    onTestFinished(() => database.close())
    const tools = sqlTools({ database })
    await expect(call(tools, 'sql_query', { sql })).rejects.toThrow('one statement')
    await expect(call(tools, 'sql_query', { sql: 'SELECT 1; /* ; */ -- ;' })).resolves.toMatchObject({ rows: [[1]] })
  })

  it('is all that a database is given, also one that would take more', async () => {
    const given: string[] = []
    const tools = sqlTools({
      database: {
        dialect: 'PostgreSQL',
        placeholders: '$1',
        query: async ({ sql }) => (given.push(sql), { columns: [], rows: [] }),
        tables: async () => [],
        close: async () => {},
      },
    })
    await refusedBy('sql.one-statement', () => call(tools, 'sql_query', { sql: 'SELECT 1; ;' }), 'one statement')
    expect(given).toHaveLength(1)
  })
})

it.each(['../a', 'd/../../a', 'd/../a.txt', 'd/..', '..'])('the path %j goes up, and is refused', async (path) => {
  const root = folder()
  mkdirSync(join(root, 'd'))
  writeFileSync(join(root, 'a.txt'), 'inside')
  await expect(call(fileTools({ root }), 'read_file', { path })).rejects.toThrow('must not go up')
})

describe('an edit that could mean two things', () => {
  it.each([
    ['a passage and the whole', { old_string: 'two', new_string: '2', content: 'x' }],
    ['a new passage and the whole', { new_str: '2', content: 'x' }],
    ['both spellings', { old_string: 'two', old_str: 'one', new_string: '2' }],
    ['no passage of a file that is not empty', { new_string: 'x' }],
    ['an empty passage of a file that is not empty', { old_string: '', new_string: 'x' }],
  ])('is refused: %s', async (_, edit) => {
    const root = folder()
    writeFileSync(join(root, 'a.txt'), 'one two three')
    const tools = fileTools({ root, write: true })
    await expect(call(tools, 'edit_file', { path: 'a.txt', ...edit })).rejects.toThrow(/Give/)
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one two three')
    await withoutCheck('files.one-edit', () => call(tools, 'edit_file', { path: 'a.txt', ...edit }))
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).not.toBe('one two three')
  })

  it('is clear for a new file, and for an empty one', async () => {
    const root = folder()
    const tools = fileTools({ root, write: true })
    writeFileSync(join(root, 'empty'), '')
    for (const path of ['new', 'empty']) await call(tools, 'edit_file', { path, old_string: '', new_string: 'x' })
    expect(readFileSync(join(root, 'empty'), 'utf8')).toBe('x')
  })
})

describe('a store of values has a size', () => {
  it.each([
    ['a map', () => new Map<string, never>()],
    ['a database', () => inMemoryDatabase()],
  ])('in keys and in characters: %s', async (_, store) => {
    const tools = kv({ store: store(), maxEntries: 3, maxTotalLength: 100 })
    const set = (key: string, value: unknown): Promise<unknown> => call(tools, 'kv_set', { key, value })
    const all = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((key) => set(key, 1)))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    await expect(set('z', 1)).rejects.toThrow('at most 3 keys')
    await expect(set('a', 'x'.repeat(100))).rejects.toThrow('100 characters in all')
    // What is there can be replaced, and what is deleted makes room.
    await set('a', 2)
    await call(tools, 'kv_delete', { key: 'b' })
    await set('z', 1)
    await expect(call(tools, 'kv_swap', { key: 'y', value: 1 })).rejects.toThrow('no room')
    await refusedBy('kv.quota', () => set('y', 1), 'no room')
  })
})

describe('a package of no certain version', () => {
  const read = (command: string, args: readonly string[], more: object = {}): unknown =>
    readMcpConfig(JSON.stringify({ mcpServers: { s: { command, args, ...more } } }), { env: {} })

  it.each([
    ['npx', '-y', 'package'],
    ['npx', '-y', '@scope/package'],
    ['npx', 'package@latest'],
    ['npx', 'package@^1.2.3'],
    ['npx', 'package@1'],
    ['npx', '-y', '-p', 'package', 'program'],
    ['npx', '--yes', '--package=package', 'program'],
    ['/usr/bin/npx', '-y', 'package'],
    ['env', 'npx', '-y', 'package'],
    ['npx.cmd', '-y', 'package'],
    ['npx', '-y', 'github:someone/package'],
    ['npx', '-y', 'https://example.com/package.tgz'],
    ['npm', 'exec', '-y', 'package'],
    ['npm', 'exec', '--', 'package'],
    ['bunx', 'package'],
    ['bun', 'x', 'package'],
    ['pnpm', 'dlx', 'package'],
    ['yarn', 'dlx', 'package'],
    ['uvx', 'package'],
    ['uvx', '--from', 'git+https://example.com/x', 'package'],
    ['uvx', 'package>=1.0'],
    ['uv', 'tool', 'run', 'package'],
    ['pipx', 'run', 'package'],
    ['docker', 'run', '-i', '--rm', 'image'],
    ['docker', 'run', 'image:1.2.3'],
    ['podman', 'run', 'image:latest'],
    ['deno', 'run', '-A', 'npm:package'],
    ['deno', 'run', 'https://example.com/x.js?a'],
    ['go', 'run', 'example.com/x@latest'],
  ])('is not started: %s %s %s %s', async (command, ...args) => {
    await refusedBy('mcp.pinned-packages', () => read(command, args), 'exact version')
    expect(() => read(command, args, { allowUnpinned: true })).not.toThrow()
  })

  it.each([
    ['npx', '-y', 'package@1.2.3'],
    ['npx', '-y', '@scope/package@1.2.3-beta.1'],
    ['npx', '--no-install', 'package'],
    ['npx', './server.js'],
    ['npx', '-y', 'github:someone/package#0123456789abcdef0123456789abcdef01234567'],
    ['uvx', 'package==1.2.3'],
    ['uvx', '--from', 'package[extra]==1.2.3', 'program'],
    ['pipx', 'run', '--spec', 'package==1.2', 'program'],
    ['docker', 'run', '-i', `image@sha256:${'0'.repeat(64)}`],
    ['docker', 'ps'],
    ['npm', 'run', 'server'],
    ['node', 'server.js'],
    ['deno', 'run', 'server.ts'],
    ['go', 'run', 'example.com/x@v1.2.3'],
  ])('is not what this is: %s %s %s %s', (command, ...args) => {
    expect(() => read(command, args)).not.toThrow()
  })
})

describe('a form of a server', () => {
  const form = (properties: object, message = 'Fill this in'): unknown =>
    questionIn({ message, requestedSchema: { type: 'object', properties } }, 's')

  it.each([
    { password: { type: 'string' } },
    { userPassword: { type: 'string' } },
    { value: { type: 'string', title: 'Your passphrase' } },
    { value: { type: 'string', description: 'Paste the API key here' } },
    { apiKey: { type: 'string' } },
    { access_token: { type: 'string' } },
    { a: { type: 'string', format: 'password' } },
    { otp: { type: 'string' } },
    { card_number: { type: 'string' } },
    { ok: { type: 'boolean' }, client_secret: { type: 'string' } },
  ])('is not put to anybody where it asks for a secret: %j', async (properties) => {
    expect(form(properties)).toBeUndefined()
    expect(await withoutCheck('mcp.secret-forms', () => form(properties))).toBeDefined()
  })

  it('is put where it does not, and marked where its words speak of one', () => {
    expect(form({ name: { type: 'string' }, tokens: { type: 'number', title: 'How many' } })).not.toHaveProperty(
      'sensitive',
    )
    expect(form({ value: { type: 'string' } }, 'Type your password')).toMatchObject({ sensitive: true })
  })
})

it('output beyond the cap leaves its size and digest', async () => {
  const place = shellGround({ allow: ['head'], maxBytes: 1_000 })
  onTestFinished(() => place.end())
  writeFileSync(join(place.root, 'big'), 'x'.repeat(5_000))
  const { stdout, cut } = await place.call({ argv: ['head', '-c', '5000', 'big'] })
  expect(stdout).toHaveLength(1_000)
  // How much arrived before the program was ended differs; the digest is of that.
  const rest = 'x'.repeat(cut!.bytes)
  expect(rest.length).toBeGreaterThan(0)
  expect(cut!.sha256).toBe(createHash('sha256').update(rest).digest('hex'))
})

it('a file larger than the limit is not written', async () => {
  const root = folder()
  const files = fileTools({ root, write: true, maxFileBytes: 10 })
  await expect(call(files, 'write_file', { path: 'a', content: 'é'.repeat(6) })).rejects.toThrow('maxFileBytes')
  await call(files, 'write_file', { path: 'a', content: 'é'.repeat(5) })
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('é'.repeat(5))
})
