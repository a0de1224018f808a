import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { ROOT, commandLine, environment, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

const AGENT = 'test/cli/fixtures/openai-agent.ts'

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
}

let url = ''
const asked: Asked[] = []
const ADD = { name: 'add', arguments: '{"a":2,"b":3}' }
/** The call that the model makes. */
let answer = ADD
/** Speaks the wire of a chat completions API: first a call of the tool, then what the tool gave. */
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (data: Buffer) => (body += data.toString()))
  request.on('end', () => {
    const question = JSON.parse(body) as Asked
    asked.push(question)
    const result = question.messages.find(({ role }) => role === 'tool')
    const call = { index: 0, id: 'call_1', type: 'function', function: answer }
    const delta =
      result === undefined
        ? { role: 'assistant', tool_calls: [call] }
        : { role: 'assistant', content: `It is ${String(result.content)}.` }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (choice: object, usage?: object): void => {
      response.write(
        `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'gpt-5', choices: [{ index: 0, ...choice }], usage })}\n\n`,
      )
    }
    send({ delta, finish_reason: null })
    send(
      { delta: {}, finish_reason: result === undefined ? 'tool_calls' : 'stop' },
      { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
    )
    response.end('data: [DONE]\n\n')
  })
})

beforeEach(async () => {
  asked.length = 0
  answer = ADD
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
afterEach(() => new Promise((resolve) => server.close(resolve)))

function mandate(
  words: readonly string[],
  env: Record<string, string>,
): Promise<{ code: number; out: string; notes: string }> {
  const [program, ...args] = commandLine(words)
  const { OPENAI_API_KEY: _key, OPENAI_BASE_URL: _url, ...rest } = environment()
  return new Promise((resolve) =>
    execFile(program!, args, { cwd: ROOT, env: { ...rest, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), out: stdout, notes: stderr }),
    ),
  )
}

it('a new user with a key, a file and one command gets an agent with a tool', async () => {
  const said = await mandate(['run', AGENT, 'What is 2 + 3?'], { OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: url })
  expect(said).toMatchObject({ code: 0, out: 'It is 5.\n' })
  expect(asked).toHaveLength(2)
})

it('the agent that docs/cli.md shows runs with one command', async () => {
  const page = readFileSync(join(ROOT, 'docs/cli.md'), 'utf8')
  const [, source = ''] = /```ts\n((?:(?!```)[^])*export default agent\n)```/.exec(page)!
  const folder = mkdtempSync(join(tmpdir(), 'mandate-cli-page-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  // A project that has installed the two packages.
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(ROOT, join(folder, 'node_modules', 'mandate'))
  symlinkSync(join(ROOT, 'node_modules', '@ai-sdk'), join(folder, 'node_modules', '@ai-sdk'))
  const file = join(folder, 'weather.ts')
  // The server here speaks the older of the two APIs.
  writeFileSync(file, source.replace('openai/gpt-5-mini', 'openai.chat/gpt-5-mini'))
  answer = { name: 'weather', arguments: '{"city":"Oslo"}' }
  const said = await mandate(['run', file, 'How warm is it in Oslo?'], {
    OPENAI_API_KEY: 'test-key',
    OPENAI_BASE_URL: url,
  })
  expect(said).toMatchObject({ code: 0, out: expect.stringContaining('21') })
  expect(asked).toHaveLength(2)
})

it('without the key the error names the variable to set', async () => {
  const said = await mandate(['run', AGENT, 'What is 2 + 3?'], {})
  expect(said).toMatchObject({ code: 6, notes: expect.stringContaining('OPENAI_API_KEY') })
})
