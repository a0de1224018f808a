import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectMcp } from 'mandate/mcp'
import { expect, onTestFinished, test } from 'vitest'
import { findProgram } from '../requirements.ts'
import { REFUND, ROOT, SLOW, commandLine, environment, mandate, refunds, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

interface Served {
  readonly url: string
  readonly token: string
  readonly process: ChildProcess
  /** What it has said so far beside its data. */
  notes(): string
  stop(signal: NodeJS.Signals): Promise<number | null>
}

/** Starts the command, and waits until it says where it is. */
async function serve(...words: string[]): Promise<Served> {
  const [command, ...args] = commandLine(['serve', ...words, '--port', '0', '--json'])
  const server = spawn(command!, args, { cwd: ROOT, env: environment() })
  onTestFinished(() => void server.kill('SIGKILL'))
  let notes = ''
  server.stderr.on('data', (chunk: Buffer) => (notes += chunk.toString()))
  const line = await new Promise<string>((resolve, reject) => {
    server.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()))
    server.once('exit', () => reject(new Error(notes)))
  })
  const { url, token } = JSON.parse(line) as { url: string; token: string }
  return {
    url,
    token,
    process: server,
    notes: () => notes,
    stop: (signal) =>
      new Promise((resolve) => {
        server.once('exit', resolve)
        server.kill(signal)
      }),
  }
}

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-serve-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

const curl = findProgram({ program: 'curl', neededFor: 'the walk through the server with curl' })
const jq = findProgram({ program: 'jq', neededFor: 'the walk through the server with curl' })

test.skipIf(curl === undefined || jq === undefined)('the walk with curl works as the document has it', async () => {
  const { url, token, stop } = await serve(REFUND)
  const page = readFileSync(join(ROOT, 'docs/server.md'), 'utf8')
  const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block)
  expect(blocks.length).toBe(4)
  const script = `set -eu\nset -o pipefail\n${blocks.join('\n')}`
  const walk = spawn('bash', ['-c', script], { cwd: folder(), env: { ...process.env, URL: url, TOKEN: token } })
  let [out, errors] = ['', '']
  walk.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  walk.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  expect(await new Promise((resolve) => walk.once('close', resolve)), errors + out).toBe(0)
  const lines = out.split('\n')
  expect(lines.slice(0, 2)).toEqual(['support', 'await_user'])
  expect(lines).toContain('It is paid back.')
  expect(lines.filter((line) => line === 'true')).toHaveLength(2)
  expect(lines.at(-2)).toBe('42')
  expect(refunds()).toBe('A-17\n')
  const connection = await connectMcp(
    { url: `${url}/mcp`, headers: { authorization: `Bearer ${token}` } },
    { name: 'm' },
  )
  expect(connection.tools.map(({ name }) => name)).toContain('m__support')
  await connection.close()
  expect(await stop('SIGINT')).toBe(0)
})

test('a signal suspends what runs, says so, and the next server goes on with it', async () => {
  const { url, token, stop, notes } = await serve(SLOW)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ agent: 'waiter', prompt: 'Wait.' })
  const { id } = (await (await fetch(`${url}/api/runs`, { method: 'POST', headers, body })).json()) as { id: string }
  expect(await stop('SIGTERM')).toBe(0)
  expect(notes()).toContain(`suspended: ${id}; continue with: npx mandate resume <run>`)
  const [run] = JSON.parse((await mandate('runs', '--json')).out) as {
    run: string
    state: string
    suspendReason: string
  }[]
  expect(run).toMatchObject({ run: id, state: 'suspended', suspendReason: 'interrupt' })
  const next = await serve(SLOW)
  expect(next.notes()).toContain(`1 run of an earlier process continued: ${id}`)
  const of = (path: string): Promise<Response> =>
    fetch(`${next.url}${path}`, { headers: { authorization: `Bearer ${next.token}` } })
  const { state } = (await (await of(`/api/runs/${id}`)).json()) as { readonly state: string }
  expect(['running', 'completed']).toContain(state)
  await next.stop('SIGKILL')
})

test('tokens come from a file that others cannot read; one that is missing is made', async () => {
  const file = join(folder(), 'tokens.json')
  const first = await serve(REFUND, '--tokens', file)
  const me = async ({ url }: Served, token: string): Promise<number> =>
    (await fetch(`${url}/api/me`, { headers: { authorization: `Bearer ${token}` } })).status
  expect([await me(first, first.token), await me(first, `${first.token}0`)]).toEqual([200, 401])
  await first.stop('SIGINT')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  chmodSync(file, 0o644)
  expect(await mandate('serve', REFUND, '--tokens', file)).toMatchObject({
    code: 6,
    notes: expect.stringContaining('chmod 600'),
  })
  writeFileSync(file, '{}')
  chmodSync(file, 0o600)
  expect(await mandate('serve', REFUND, '--tokens', file)).toMatchObject({
    code: 6,
    notes: expect.stringContaining('list of tokens'),
  })
})

test('a command refuses a port that is in use, and names the fix', async () => {
  const { url } = await serve(REFUND)
  const { port } = new URL(url)
  for (const command of ['serve', 'mcp'])
    expect(await mandate(command, REFUND, '--port', port)).toMatchObject({
      code: 2,
      notes: /another program uses this port.*--port 0/,
    })
})

test('what cannot be meant is refused before anything is served', async () => {
  expect(await mandate('serve')).toMatchObject({ code: 2, notes: expect.stringContaining('mandate serve <file>') })
  expect(await mandate('serve', REFUND, '--port', 'x')).toMatchObject({
    code: 2,
    notes: expect.stringContaining('--port x'),
  })
  expect(await mandate('serve', REFUND, '--host', '0.0.0.0')).toMatchObject({
    code: 2,
    notes: expect.stringContaining('--tokens'),
  })
})

test('a configuration sets the limits of its server, and one that is none is refused', async () => {
  // In the package, so that the file can import it, and in a folder that no test reads.
  mkdirSync(join(ROOT, '.cache'), { recursive: true })
  const dir = mkdtempSync(join(ROOT, '.cache/limits-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const config = (name: string, server: string): string => {
    const file = join(dir, name)
    writeFileSync(
      file,
      `import { scripted } from 'mandate/model'\nexport default { id: 'a', model: scripted(['Hi.']) }\nexport const server = ${server}\n`,
    )
    return file
  }
  const { url, token, stop } = await serve(config('small.ts', '{ limits: { bodyBytes: 20 } }'))
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ agent: 'a', prompt: 'Hi.' })
  expect((await fetch(`${url}/api/runs`, { method: 'POST', headers, body })).status).toBe(413)
  await stop('SIGTERM')
  for (const [name, server, word] of [
    ['odd.ts', '{ limit: {} }', 'limit'],
    ['odder.ts', '{ limits: { streams: -1 } }', 'streams'],
    ['oddest.ts', '5', 'server'],
  ] as const) {
    const { code, notes } = await mandate('serve', config(name, server), '--port', '0')
    expect([code === 0, notes]).toEqual([false, expect.stringContaining(word)])
  }
})
