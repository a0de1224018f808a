import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT, commandLine, environment, mandate, mandateIn, store, useOwnFolder } from './mandate.fixture.ts'
import type { Said } from './mandate.fixture.ts'

useOwnFolder()

const CATALOGUE = {
  openai: {
    id: 'openai',
    models: {
      'gpt-5': { cost: { input: 9, output: 99, cache_read: 0.9 }, limit: { context: 400_000, output: 128_000 } },
      'gpt-9': { cost: { input: 3, output: 30, context_over_200k: { input: 6, output: 45 } } },
      'gpt-free': { cost: { input: 0, output: 0 } },
    },
  },
}

/** The command beside a server in this process. */
async function ask(...words: string[]): Promise<Said> {
  const [program, ...args] = commandLine(words)
  const child = spawn(program!, args, { cwd: ROOT, env: environment() })
  let [out, notes] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (notes += chunk.toString()))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, out, notes }
}

async function serve(body: string, status = 200): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api.json`
}

test('prices are refreshed from an address, kept beside the runs with their day, and hold from then on', async () => {
  const before = await mandate('prices', 'show', 'openai/gpt-5', '--json')
  expect(JSON.parse(before.out)).toMatchObject({ inputPerMillion: 1.25, asOf: '2026-03' })
  const done = await ask('prices', 'refresh', '--from', await serve(JSON.stringify(CATALOGUE)), '--json')
  const today = new Date().toISOString().slice(0, 10)
  expect(JSON.parse(done.out)).toEqual({
    file: join(store(), 'prices.json'),
    date: today,
    models: 2,
    skipped: { 'its price is given as 0': 1 },
  })
  expect(done.notes).toContain('left out 1 model')
  const after = JSON.parse((await mandate('prices', 'show', 'openai/gpt-5', '--json')).out) as object
  expect(after).toMatchObject({ inputPerMillion: 9, outputPerMillion: 99, asOf: today })
  expect((await mandate('prices', 'show', 'openai/gpt-9')).out).toContain('above 200000 input tokens')
  const listed = JSON.parse((await mandate('prices', 'list', 'openai/gpt-', '--json')).out) as { model: string }[]
  expect(listed.map(({ model }) => model)).toEqual(expect.arrayContaining(['openai/gpt-9', 'openai/gpt-4o']))
})

test('prices are refreshed from a file, and a run pays by them', async () => {
  const file = join(store(), '..', 'prices-source.json')
  const agent = join(store(), '..', 'agent.mjs')
  const models = { canned: { cost: { input: 1_000_000, output: 1_000_000 } } }
  writeFileSync(file, JSON.stringify({ acme: { id: 'acme', models } }))
  writeFileSync(
    agent,
    `export default { id: 'a', budget: { money: 1 }, model: { id: 'acme/canned', provider: 'acme', modelId: 'canned',
      async *stream() { yield { type: 'text-delta', text: 'Hi.' }; yield { type: 'finish', reason: 'stop' } } } }`,
  )
  const refused = await mandate('run', agent, 'Go.', '--json')
  expect(refused).toMatchObject({ code: 5 })
  expect(refused.out + refused.notes).toContain('PRICE_UNKNOWN')
  expect(await mandate('prices', 'refresh', '--from', file)).toMatchObject({ code: 0 })
  const paid = await mandate('run', agent, 'Go.', '--json')
  expect(paid.out + paid.notes).toContain('LIMIT_EXCEEDED')
  const elsewhere = await mandateIn({ MANDATE_PRICES: join(store(), 'prices.json') }, 'prices', 'show', 'acme/canned')
  expect(elsewhere.out).toContain('1000000')
})

test('what gives no prices is refused, and the kept ones stay as they are', async () => {
  await ask('prices', 'refresh', '--from', await serve(JSON.stringify(CATALOGUE)))
  const kept = readFileSync(join(store(), 'prices.json'), 'utf8')
  const cases: [string, number, RegExp][] = [
    [await serve('{"openai":{"models":{}}}'), 2, /has no price/],
    [await serve('not json'), 2, /JSON/],
    [await serve('[]'), 6, /no price data/],
    [await serve('', 503), 1, /answered 503/],
    [join(store(), 'missing.json'), 2, /cannot be read/],
  ]
  for (const [from, code, message] of cases) {
    const said = await ask('prices', 'refresh', '--from', from)
    expect(said.notes, from).toMatch(message)
    expect(said.code, said.notes).toBe(code)
  }
  expect(readFileSync(join(store(), 'prices.json'), 'utf8')).toBe(kept)
})

test('an unknown price, a verb that is none and a missing source are told', async () => {
  for (const typed of ['gpt-5', 'gpt5'])
    expect((await mandate('prices', 'show', typed)).notes).toMatch(/Did you mean openai\/gpt-5\?/)
  expect((await mandate('prices', 'show', 'openai/gpt-51')).notes).toMatch(/not known.*Did you mean openai\/gpt-5/)
  expect(await mandate('prices', 'update')).toMatchObject({ code: 2 })
  expect((await mandate('prices', 'refresh')).notes).toContain('--from https://models.dev/api.json')
})

test('kept prices that are damaged are named with the way out', async () => {
  writeFileSync(join(store(), '..', 'bad.json'), '{')
  const said = await mandateIn({ MANDATE_PRICES: join(store(), '..', 'bad.json') }, 'prices', 'list')
  expect(said).toMatchObject({ code: 6, notes: expect.stringMatching(/bad\.json.*refresh/s) })
})
