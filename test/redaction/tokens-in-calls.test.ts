import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentService, defineTool } from 'mandate'
import type { AgentConfig, AgentResult } from 'mandate'
import { fileTools, httpFetch, kv, shellTool, sqlOverSqlite, sqlTools } from 'mandate/connect'
import { channel, defineGraph, nodes, runGraph } from 'mandate/graph'
import { scripted, textOf } from 'mandate/model'
import { ReplSession, codeMode } from 'mandate/repl'
import { askUser } from 'mandate/tool'
import { runProgram, script } from 'mandate/vm'
import { expect, onTestFinished, test } from 'vitest'
import type { Json } from '../../src/core/index.ts'

/** A password as people choose them: only its name says what it is. */
const PASSWORD = '1j1l-2k3j'
const TOKEN = '[secret:password]'

type Service = ConstructorParameters<typeof AgentService>[0]

function serve(options: Service): AgentService {
  const service = new AgentService(options)
  onTestFinished(async () => void (await service.stop()))
  return service
}

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-token-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** A tool that keeps what it was called with. */
function keeper(got: Json[], more: object = {}): ReturnType<typeof defineTool> {
  return defineTool({
    name: 'update_password',
    risk: 'write',
    inputSchema: { type: 'object' },
    run: (input: Json) => (got.push(input), 'ok'),
    ...more,
  })
}

/** What the journal says about the calls of a run: each denied one with its rule. */
async function denials(service: AgentService, run: string): Promise<string[]> {
  const rules: string[] = []
  for await (const { type, data } of service.entries(run)) {
    const { outcome } = data as { readonly outcome?: { readonly status: string; readonly rule?: string } }
    if (type === 'effect-end' && outcome?.status === 'denied') rules.push(outcome.rule!)
  }
  return rules
}

interface Called {
  readonly service: AgentService
  readonly result: AgentResult
  /** What the model read after its call. */
  readonly told: string
}

/** An agent whose model makes one call, as it would with a value that it read in the prompt. */
async function callFrom(name: string, input: Json, agent: Partial<AgentConfig>, more: Service = {}): Promise<Called> {
  let told = ''
  const model = scripted([
    { toolCalls: [{ name, input }] },
    ({ messages }) => {
      told = JSON.stringify(messages.at(-1))
      return 'Done.'
    },
  ])
  const service = serve({ ...more, agents: [{ id: 'a', model, ...agent }] })
  const result = await service.run('a', `Set the password to '${PASSWORD}'.`)
  return { service, result, told }
}

test('a password that redaction replaced is not set to the text of its token: the call is refused, and everybody is told', async () => {
  const got: Json[] = []
  const { service, result, told } = await callFrom('update_password', { password: PASSWORD }, { tools: [keeper(got)] })
  expect(got).toEqual([])
  expect(told).toContain(`update_password would get the token ${TOKEN} (at /password)`)
  expect(await denials(service, result.id)).toEqual(['reveal/token'])
  expect(result.actions).toMatchObject([{ toolId: 'update_password', status: 'denied', performed: false }])
  expect(result.report().diagnostics.warnings).toContainEqual(expect.stringContaining('`vault`'))
  expect((await service.replay(result.id)).identical).toBe(true)
})

test('a tool that takes tokens gets the token, and with a vault and a rule the value arrives', async () => {
  const got: Json[] = []
  const input = { password: PASSWORD }
  await callFrom('update_password', input, { tools: [keeper(got, { takesTokens: true })] })
  expect(got.splice(0)).toEqual([{ password: TOKEN }])
  const reveal = [{ id: 'own', sink: 'update_password', path: '/password', labels: ['secret:password'] }]
  const vault = { current: 'k', keys: { k: new Uint8Array(32).fill(5) } }
  await callFrom('update_password', input, { tools: [keeper(got)], mandate: { reveal } }, { vault })
  expect(got).toEqual([{ password: PASSWORD }])
})

test('no connector sends, stores, writes or runs anything with a token', async () => {
  const dir = folder()
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url!)
    response.end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const file = join(dir, 'shop.db')
  const rows = new DatabaseSync(file)
  onTestFinished(() => rows.close())
  rows.exec(`create table users (name text, password text); insert into users values ('ada', 'old')`)
  const stored = new Map<string, Json>()
  const tools = [
    httpFetch({ allow: [`127.0.0.1:${port}`], methods: ['POST'] }),
    ...sqlTools({ database: sqlOverSqlite({ path: file, tables: ['users'], write: true }) }),
    ...kv({ store: stored }),
    ...fileTools({ root: dir, write: true }),
    shellTool({ root: dir, allow: ['touch'], isolation: 'none' }),
  ]
  const named = tools.map(({ name }) => name)
  const mandate = { grant: ['*'] }
  const calls: readonly (readonly [string, Json])[] = [
    ['http_fetch', { url: `${url}/reset?password=${PASSWORD}`, method: 'POST', body: `password=${PASSWORD}` }],
    ['sql_execute', { sql: `update users set password = '${PASSWORD}'` }],
    ['kv_set', { key: 'ada', value: { password: PASSWORD } }],
    ['write_file', { path: 'a.env', content: `password=${PASSWORD}` }],
    ['run_command', { argv: ['touch', `password=${PASSWORD}`] }],
  ]
  for (const [name, input] of calls) {
    expect(named).toContain(name)
    const { service, result } = await callFrom(name, input, { tools, mandate }, { mandate })
    expect([name, await denials(service, result.id)]).toEqual([name, ['reveal/token']])
  }
  expect(requests).toEqual([])
  expect(rows.prepare('select password from users').get()).toEqual({ password: 'old' })
  expect([...stored]).toEqual([])
  expect(existsSync(join(dir, 'a.env'))).toBe(false)
})

test('a client that carries out a tool is not asked to do it with a token', async () => {
  const fill = { name: 'fill', inputSchema: { type: 'object', properties: { password: { type: 'string' } } } }
  const { service, result } = await callFrom('fill', { password: PASSWORD }, { tools: [fill] })
  expect(result.pending).toEqual([])
  expect(await denials(service, result.id)).toEqual(['reveal/token'])
})

test('a cell whose text held a secret says so, and neither it nor what it makes of the token reaches a tool', async () => {
  const got: Json[] = []
  const service = serve({ tools: [keeper(got)] })
  const session = await ReplSession.open(service)
  const cell = await session.evalCell(`const password = "${PASSWORD}"; await tools.update_password({ password })`)
  expect(cell.error).toMatchObject({ code: 'DENIED' })
  expect(cell.warnings).toEqual([expect.stringContaining(`The source of the cell holds ${TOKEN}`)])
  const encoded = await session.evalCell('await tools.update_password({ header: `Basic ${btoa("me:" + password)}` })')
  expect(encoded.error).toMatchObject({ code: 'DENIED' })
  const escaped = await session.evalCell('await tools.update_password({ url: "/?p=" + encodeURIComponent(password) })')
  expect(escaped.error).toMatchObject({ code: 'DENIED' })
  expect((await session.evalCell('1 + 1')).warnings).toEqual([])
  expect(got).toEqual([])
})

test('the run says that a value in an answer of a person was redacted', async () => {
  const model = scripted([{ toolCalls: [{ name: 'ask_user', input: { question: 'How do I log in?' } }] }, 'Done.'])
  const service = serve({ agents: [{ id: 'a', model, tools: [askUser()] }] })
  const asked = await service.run('a', 'Log in.')
  await service.answer(asked.pending[0]!.approvalId!, `With password: "${PASSWORD}".`)
  const result = await service.resume(asked.id)
  expect(result.report().diagnostics.warnings).toEqual([expect.stringContaining(`An answer holds ${TOKEN}`)])
})

test('the model that wrote such a cell reads the warning', async () => {
  const seen: string[] = []
  const model = scripted([
    `\`\`\`js\nconst password = "${PASSWORD}"\n\`\`\``,
    ({ messages }) => {
      seen.push(textOf(messages.at(-1)!))
      return '```js\nanswer("done")\n```'
    },
  ])
  const service = serve({ agents: [{ id: 'a', model, mode: codeMode() }] })
  await service.run('a', 'Begin.')
  expect(seen.join()).toContain(`Warning: The source of the cell holds ${TOKEN}`)
})

test('programs, graphs and other agents do not carry a token to a tool', async () => {
  const got: Json[] = []
  const tools = [keeper(got)]
  const service = serve({
    tools,
    agents: [
      {
        id: 'inner',
        model: scripted([{ toolCalls: [{ name: 'update_password', input: { password: PASSWORD } }] }, 'Tried.']),
        tools,
      },
      {
        id: 'outer',
        model: scripted([{ toolCalls: [{ name: 'inner', input: { prompt: 'Go.' } }] }, 'Done.']),
        agents: ['inner'],
      },
    ],
  })
  const source = 'return await tools.update_password({ password: args.user.password })'
  const ran = await runProgram(service, script(source), { user: { password: PASSWORD } })
  expect(ran).toMatchObject({ state: 'failed', error: { code: 'DENIED' } })
  const blueprint = defineGraph({ name: 'set', state: { user: channel.last<{ password: string }>() }, input: ['user'] })
    .node('act', nodes.tool(keeper(got), { input: (state: { user: Json }) => state.user }))
    .start('act')
  await expect(runGraph(service, blueprint, { user: { password: PASSWORD } }).result()).rejects.toMatchObject({
    code: 'DENIED',
  })
  const outer = await service.run('outer', 'Begin.')
  expect(outer.status).toBe('completed')
  expect(got).toEqual([])
})
