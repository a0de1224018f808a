import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { shellIsolation } from 'mandate/connect'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { REFUND, ROOT, commandLine, environment, mandateIn, store, useOwnFolder } from './mandate.fixture.ts'
import type { Said } from './mandate.fixture.ts'

useOwnFolder()

/** What the model says next: a call, or a text. Each prompt begins with the name of its script, so that several runs can go on at once. */
type Step = readonly [tool: string, input: object] | string
const scripts = new Map<string, readonly Step[]>()
/** What the model was given as results of its calls, by script. */
const results = new Map<string, string>()

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
}

const server = createServer((request, response) => {
  if (request.method === 'GET') return void response.end('The kettle is back in stock.')
  let body = ''
  request.on('data', (data: Buffer) => (body += data.toString()))
  request.on('end', () => {
    const { messages } = JSON.parse(body) as Asked
    const name = /script (\w+)/.exec(JSON.stringify(messages.find(({ role }) => role === 'user')))![1]!
    const step = scripts.get(name)![messages.filter(({ role }) => role === 'assistant').length]!
    results.set(name, JSON.stringify(messages.filter(({ role }) => role === 'tool')))
    const isText = typeof step === 'string'
    const delta = isText
      ? { role: 'assistant', content: step }
      : {
          role: 'assistant',
          tool_calls: [
            {
              index: 0,
              id: `call_${messages.length}`,
              type: 'function',
              function: { name: step[0], arguments: JSON.stringify(step[1]) },
            },
          ],
        }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (choice: object, usage?: object): void =>
      void response.write(
        `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, ...choice }], usage })}\n\n`,
      )
    send({ delta, finish_reason: null })
    send(
      { delta: {}, finish_reason: isText ? 'stop' : 'tool_calls' },
      { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
    )
    response.end('data: [DONE]\n\n')
  })
})

let folder = ''
let address = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mandate-packs-'))
  const here = vi.spyOn(process, 'cwd').mockReturnValue(folder)
  return () => {
    here.mockRestore()
    rmSync(folder, { recursive: true })
  }
})

const MODEL = 'openai.chat/gpt-5-mini'

/** Runs the command in the folder, which holds no code. */
function mandate(words: readonly string[], env: Record<string, string> = {}): Promise<Said> {
  return mandateIn({ OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: `http://${address}/v1`, ...env }, ...words)
}

/** Runs it, and approves whatever it asks: what is refused even then, the tools refuse. */
async function approvingAll(...words: string[]): Promise<Said & { readonly approvals: number }> {
  const dir = ['--dir', join(folder, `store-${words.join('').length}`)]
  let said = await mandate([...words, ...dir])
  let approvals = 0
  while (said.code === 4) {
    approvals += 1
    await mandate(['approve', /mandate approve (\S+)/.exec(said.notes)![1]!, ...dir])
    said = await mandate(['resume', /mandate resume (\S+)/.exec(said.notes)![1]!, ...dir])
  }
  return { ...said, approvals }
}

it('filesystem reads the folder at once and asks before it writes; the run goes on by its id', async () => {
  mkdirSync(join(folder, 'test'))
  const file = join(folder, 'test/sum.test.js')
  writeFileSync(file, 'assert.equal(sum(2, 2), 5)\n')
  scripts.set('fix', [
    ['search_files', { text: 'assert' }],
    ['edit_file', { path: 'test/sum.test.js', old_string: '5', new_string: '4' }],
    'The test expected 5; I corrected it.',
  ])
  const words = ['run', '--pack', 'filesystem', 'script fix: find the failing test']
  const asked = await mandate(words, { MANDATE_MODEL: MODEL })
  expect([asked.code, asked.notes]).toEqual([4, expect.stringContaining('mandate approve')])
  expect(results.get('fix')).toContain('assert.equal')
  expect(readFileSync(file, 'utf8')).toContain('5')
  await mandate(['approve', /mandate approve (\S+)/.exec(asked.notes)![1]!])
  // Neither a file nor a model is named again.
  const run = /mandate resume (\S+)/.exec(asked.notes)![1]!
  expect(await mandate(['resume', run])).toMatchObject({ code: 0, out: 'The test expected 5; I corrected it.\n' })
  expect(readFileSync(file, 'utf8')).toContain('4')
  expect(await mandate(['replay', run])).toMatchObject({ code: 0, out: /identical/ })
})

it('filesystem gives no secrets and nothing outside of the folder, also where a person agrees', async () => {
  writeFileSync(join(folder, '.env'), 'TOKEN=opensesame\n')
  scripts.set('leak', [['read_file', { path: '.env' }], ['read_file', { path: '../../etc/passwd' }], 'I cannot.'])
  expect(await approvingAll('run', '--pack', 'filesystem', '--model', MODEL, 'script leak')).toMatchObject({ code: 0 })
  expect(results.get('leak')).not.toMatch(/opensesame|root:/)
  expect(results.get('leak')).toContain('closed to these tools')
})

it('sql reads the database that was named, and asks before it changes it', async () => {
  const path = join(folder, 'shop.db')
  const database = new DatabaseSync(path)
  database.exec("CREATE TABLE orders (id TEXT, paid REAL); INSERT INTO orders VALUES ('A-17', 80)")
  database.close()
  scripts.set('sql', [
    ['sql_query', { sql: 'SELECT paid FROM orders' }],
    ['sql_execute', { sql: 'UPDATE orders SET paid = 0' }],
    'Done.',
  ])
  const said = await approvingAll('run', '--pack', 'sql=shop.db', '--model', MODEL, 'script sql')
  expect(said).toMatchObject({ code: 0, approvals: 1 })
  expect(results.get('sql')).toContain('80')
})

it('web fetches pages, of this machine only what was named', async () => {
  scripts.set('web', [['http_fetch', { url: `http://${address}/stock` }], 'Done.'])
  await approvingAll('run', '--pack', 'web', '--model', MODEL, 'script web')
  expect(results.get('web')).not.toContain('back in stock')
  await approvingAll('run', '--pack', `web=${address}`, '--model', MODEL, 'script web')
  expect(results.get('web')).toContain('back in stock')
})

it('mcp offers the tools of .mcp.json, which ask', async () => {
  const [command, ...args] = commandLine(['mcp', join(ROOT, REFUND), '--dir', store()])
  const shop = { command, args, cwd: folder, env: { REFUNDS: environment()['REFUNDS'] } }
  writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { shop } }))
  scripts.set('mcp', [['shop__continue_run', { runId: 'none' }], 'Done.'])
  const asked = await mandate(['run', '--pack', 'mcp', '--model', MODEL, 'script mcp'])
  expect([asked.code, asked.notes]).toEqual([4, expect.stringContaining('? shop__continue_run')])
})

it('shell is off unless it is named, and then every command asks', async () => {
  scripts.set('ls', [['run_command', { argv: ['ls'] }], 'Done.'])
  const without = await mandate(['run', '--pack', 'filesystem', '--model', MODEL, 'script ls'])
  expect([without.code, without.notes]).toEqual([0, expect.stringContaining('There is no tool "run_command"')])
  const named = await mandate(['run', '--pack', 'shell', '--model', MODEL, 'script ls'])
  const isIsolated = shellIsolation().isolation === 'bubblewrap'
  expect(named).toMatchObject(isIsolated ? { code: 4, notes: /mandate approve/ } : { code: 6, notes: /bubblewrap/ })
})

it('says what is missing: a model, a prompt, a database; and which pack was meant', async () => {
  const model = await mandate(['run', '--pack', 'filesystem', 'script x'])
  const prompt = await mandate(['run', '--pack', 'filesystem', '--model', MODEL])
  const database = await mandate(['run', '--pack', 'sql', '--model', MODEL, 'script x'])
  const meant = await mandate(['run', '--pack', 'filesistem', '--model', MODEL, 'script x'])
  expect(model).toMatchObject({ code: 2, notes: /--model <provider\/model>, or MANDATE_MODEL/ })
  expect(prompt).toMatchObject({ code: 2, notes: /run --pack <name> <prompt>/ })
  expect(database).toMatchObject({ code: 2, notes: /--pack sql=<file>/ })
  expect(meant).toMatchObject({ code: 2, notes: /Did you mean "filesystem"\?/ })
  expect(existsSync(join(folder, '.mandate'))).toBe(false)
})
