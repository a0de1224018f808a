import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ROOT, commandLine, environment, mandate, store, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

const SLOW_MODEL = 'test/cli/fixtures/slow-model-agent.ts'
const HANGING_TOOL = 'test/cli/fixtures/hanging-agent.ts'
const STREAMING_MODEL = 'test/cli/fixtures/streaming-model-agent.ts'

interface Started {
  readonly child: ChildProcessWithoutNullStreams
  readonly code: Promise<number | null>
  notes(): string
}

function started(words: readonly string[], env: NodeJS.ProcessEnv = {}): Started {
  const [program, ...args] = commandLine(words)
  const child = spawn(program!, args, { cwd: ROOT, env: { ...environment(), WORLD_LOG: log(), ...env } })
  onTestFinished(() => void child.kill('SIGKILL'))
  let notes = ''
  child.stderr.on('data', (data: Buffer) => (notes += data.toString()))
  child.stdout.resume()
  child.stdin.on('error', () => {})
  return { child, code: new Promise((resolve) => child.on('close', resolve)), notes: () => notes }
}

function log(): string {
  return join(store(), '..', 'world.log')
}

function world(): string {
  return existsSync(log()) ? readFileSync(log(), 'utf8') : ''
}

async function until(isReady: () => boolean): Promise<void> {
  for (let tries = 0; !isReady() && tries < 2_500; tries++) await new Promise((resolve) => setTimeout(resolve, 20))
  expect(isReady()).toBe(true)
}

const states = async (): Promise<string[]> =>
  (JSON.parse((await mandate('runs', '--json')).out) as { state: string }[]).map(({ state }) => state)

/** Says what a client says up to its first call. */
function callAgent({ child }: Started, name: string): void {
  const say = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'c', version: '1' }
  say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } })
  say({ method: 'notifications/initialized' })
  say({ id: 2, method: 'tools/call', params: { name, arguments: { prompt: 'Go.' } } })
}

describe('mandate mcp over stdio, with a model call of ten minutes under way', () => {
  const ends: readonly (readonly [string, (server: Started) => unknown])[] = [
    ['SIGTERM', ({ child }) => child.kill('SIGTERM')],
    ['the end of its input', ({ child }) => child.stdin.end()],
  ]
  test.each(ends)('%s ends the process and suspends the run', async (_, end) => {
    const server = started(['mcp', SLOW_MODEL], { MODEL_MS: '600000' })
    callAgent(server, 'slow')
    await until(() => world().includes('asked'))
    end(server)
    expect(await server.code).toBe(0)
    expect(world()).toBe('asked\naborted\n')
    expect(await states()).toEqual(['suspended'])
  })

  test('a call that the client cancels is cancelled', async () => {
    const server = started(['mcp', SLOW_MODEL], { MODEL_MS: '600000' })
    callAgent(server, 'slow')
    await until(() => world().includes('asked'))
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }
    server.child.stdin.write(`${JSON.stringify(cancel)}\n`)
    await until(() => world().includes('aborted'))
    server.child.stdin.end()
    expect(await server.code).toBe(0)
    expect(await states()).toEqual(['cancelled'])
  })
})

test('mandate mcp does not wait for a tool that does not end when its input ends', async () => {
  const server = started(['mcp', HANGING_TOOL])
  callAgent(server, 'hanging')
  await until(() => server.notes().includes('hang'))
  server.child.stdin.end()
  expect(await server.code).toBe(0)
  expect(await states()).toEqual(['suspended'])
})

test('mandate mcp ends when its input ends before anything was said', async () => {
  const server = started(['mcp', SLOW_MODEL])
  server.child.stdin.end()
  expect(await server.code).toBe(0)
})

/** A model on this machine that sends a piece of text every quarter of a second, for a minute. */
async function modelServer(): Promise<{ url: string; pieces(): number; cut: Promise<void> }> {
  let sent = 0
  const cut = Promise.withResolvers<void>()
  const server = createServer((_request, answer) => {
    const timer = setInterval(() => {
      answer.write(`piece ${++sent} `)
      if (sent === PIECES) answer.end()
    }, PIECE_MS)
    answer.on('close', () => {
      clearInterval(timer)
      if (sent < PIECES) cut.resolve()
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, pieces: () => sent, cut: cut.promise }
}

const PIECE_MS = 250
const PIECES = 240

test('Ctrl-C closes the connection to a model that streams, and the process ends long before the model would', async () => {
  const server = await modelServer()
  const run = started(['run', STREAMING_MODEL, 'Go.'], { MODEL_URL: server.url })
  await until(() => server.pieces() >= 2)
  const before = server.pieces()
  run.child.kill('SIGINT')
  await server.cut
  // Four pieces are a second; a loaded machine gets five seconds of the minute.
  expect(server.pieces() - before).toBeLessThanOrEqual(20)
  expect(await run.code).toBe(130)
  expect(await states()).toEqual(['suspended'])
})
