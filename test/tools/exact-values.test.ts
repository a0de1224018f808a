import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Agent, AgentService, defineTool } from 'mandate'
import { scripted } from 'mandate/model'
import type { ModelRequest } from 'mandate/model'
import { ReplSession } from 'mandate/repl'
import { openStore } from 'mandate/sqlite'
import { runProgram, script } from 'mandate/vm'

const rows = defineTool({
  name: 'rows',
  description: 'Lists customers, in the order of the column names that the file has.',
  inputSchema: {
    type: 'object',
    properties: { zone: { type: 'string' }, area: { type: 'string' } },
    additionalProperties: false,
  },
  risk: 'read',
  run: (input) => [{ rank: 1, name: 'Ana', amount: 5, city: 'Berlin', asked: Object.keys(input as object).join() }],
})
const ROWS = '[{"rank":1,"name":"Ana","amount":5,"city":"Berlin","asked":"zone,area"}]'
const ASK = { zone: 'north', area: 'b' }

/** A list that has more than `maxResultBytes`. */
const numbers = defineTool({
  name: 'numbers',
  description: 'Lists numbers.',
  inputSchema: { type: 'object', properties: { to: { type: 'number' } } },
  risk: 'read',
  maxResultBytes: 2_000,
  run: ({ to }: { readonly to?: number }) => Array.from({ length: to ?? 2_000 }, (_, index) => index),
})
const mandate = { allow: ['rows', 'numbers'] }

async function storeOf() {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-exact-'))
  const opened = await openStore({ dir })
  onTestFinished(async () => {
    await opened.close()
    rmSync(dir, { recursive: true })
  })
  return opened
}

test('a model, the journal and a replay get the members of a tool result and of a call in the order in which they were given', async () => {
  const requests: ModelRequest[] = []
  const model = scripted([
    { toolCalls: [{ name: 'rows', input: ASK }] },
    (request) => {
      requests.push(request)
      return 'Done.'
    },
  ])
  const agent = new Agent({ id: 'a', model, tools: [rows], mandate }, { store: await storeOf() })
  const { id } = await agent.run('List them.')
  const [, call, result] = requests[0]!.messages
  expect(JSON.stringify(call!.content)).toContain('"input":{"zone":"north","area":"b"}')
  expect(JSON.stringify(result!.content)).toContain(`"value":${ROWS}`)
  expect((await agent.service.replay(id)).identical).toBe(true)
  await agent.stop()
})

test('cells, scripts and later cells in another process see the order that the tool gave', async () => {
  const store = await storeOf()
  const code = `const list = await tools.rows(${JSON.stringify(ASK)}); const own = { z: 1, a: { y: 1, b: 2 } }`
  for (const source of [code, '1', 'print(Object.keys(list[0]).join()); own']) {
    // A new service for each cell: its variables come from the journal.
    const service = new AgentService({ store })
    const session = await ReplSession.open(service, { sessionId: 'analysis', tools: [rows], mandate })
    const cell = await session.evalCell(source)
    expect(cell.error).toBeUndefined()
    if (source.startsWith('print')) {
      expect(cell.stdout).toBe('rank,name,amount,city,asked\n')
      expect(JSON.stringify(cell.value)).toBe('{"z":1,"a":{"y":1,"b":2}}')
    }
  }
  const service = new AgentService({ store, tools: [rows], mandate })
  const run = await runProgram(service, script(`return await tools.rows(${JSON.stringify(ASK)})`), {})
  expect(run).toMatchObject({ state: 'completed' })
  expect(JSON.stringify((run as { readonly output?: unknown }).output)).toContain(`"result":${ROWS}`)
})

test('a result above its limit is never a shorter value in a variable: the call fails, says how to go on, and can be caught', async () => {
  const service = new AgentService({ store: await storeOf(), tools: [numbers], mandate })
  const session = await ReplSession.open(service, { tools: [numbers], mandate })
  const cell = await session.evalCell('const all = await tools.numbers({}); all.length')
  expect(cell.error?.message).toMatch(/numbers has 8891 bytes .* `maxResultBytes`.*in parts/)
  const caught = await session.evalCell(`
    let list = []
    try { list = await tools.numbers({}) } catch { list = await tools.numbers({ to: 200 }) }
    list.length`)
  expect(caught.value).toBe(200)
  await session.close()
  const run = await runProgram(service, script('const all = await tools.numbers({})\nreturn all.length'), {})
  expect(run).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('numbers has 8891 bytes') } })
})

test('a model sees where a result above its limit was cut', async () => {
  const model = scripted([
    { toolCalls: [{ name: 'numbers', input: {} }] },
    ({ messages }) => JSON.stringify(messages.at(-1)!.content),
  ])
  const agent = new Agent({ id: 'a', model, tools: [numbers], mandate })
  expect((await agent.run('Which?')).text).toMatch(/\[cut: \d+ more items\]/)
  await agent.stop()
})
