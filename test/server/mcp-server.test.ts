import { request as httpRequest } from 'node:http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { AgentService, type AgentConfig, type Json, type ServiceOptions } from 'mandate'
import { connectMcp, type McpElicit } from 'mandate/mcp'
import { inMemoryPrompts } from 'mandate/memory'
import { scripted } from 'mandate/model'
import { mcpServer, type McpServerOptions } from 'mandate/server'
import { type Tool, type ToolContext, defineTool } from 'mandate/tool'
import { program, s } from 'mandate/vm'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { offersOf } from '../../src/server/mcp/offer.ts'

const paid: Json[] = []
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  inputSchema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
  risk: 'write',
  needsApproval: true,
  run: (input: Json) => {
    paid.push(input)
    return 'paid'
  },
})
const echo = defineTool({
  name: 'echo',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  risk: 'read',
  run: (input: Json) => ({ said: (input as { text: string }).text }),
})

interface Served {
  readonly service: AgentService
  readonly url: string
  entries(run: string): Promise<string[]>
}

/** A server on loopback for the length of a test. */
async function serve(options: Partial<McpServerOptions>, host: ServiceOptions = {}): Promise<Served> {
  const service = new AgentService({ tools: [pay, echo], mandate: { grant: ['*'] }, ...host })
  const server = await mcpServer({ service, ...options })
  const { url } = await server.listen()
  onTestFinished(async () => {
    await server.close()
    await service.stop()
  })
  const entries = async (run: string): Promise<string[]> => {
    const types: string[] = []
    for await (const { type } of service.entries(run)) types.push(type)
    return types
  }
  return { service, url, entries }
}

async function callOver(url: string, name: string, input: Json, elicit?: McpElicit): Promise<unknown> {
  const connection = await connectMcp({ url }, { name: 's', ...(elicit === undefined ? {} : { elicit }) })
  try {
    const tool = connection.tools.find((one: Tool) => one.name === `s__${name}`)!
    return await tool.run(input, { signal: new AbortController().signal, emit() {} } as unknown as ToolContext)
  } finally {
    await connection.close()
  }
}

const greeter: AgentConfig = { id: 'greeter', description: 'Greets.', model: scripted(['Hello.']) }

describe('what is offered', () => {
  test('an agent is a tool that takes a prompt; its run stands in the journal under the identity that called', async () => {
    const { service, url } = await serve({ agents: ['greeter'] }, { agents: [greeter] })
    expect(await callOver(url, 'greeter', { prompt: 'Say hello.' })).toBe('Hello.')
    const [run] = await service.runs()
    expect(run).toMatchObject({ mind: 'agent', name: 'greeter', state: 'completed' })
    expect((await service.verify(run!.run)).ok).toBe(true)
  })

  test('a program is a tool with its own schema, and gives its result', async () => {
    const double = program.take(s.object({ n: s.number })).return({ value: program.args('n') })
    const { url } = await serve({
      programs: [{ name: 'same', description: 'Gives it back.', program: double.toJSON() }],
    })
    expect(await callOver(url, 'same', { n: 7 })).toBe('7')
  })

  test('a script is a tool too', async () => {
    const { url } = await serve({ programs: [{ name: 'sum', program: 'return args.a + args.b' }] })
    expect(await callOver(url, 'sum', { a: 1, b: 2 })).toBe('3')
  })

  test('a tool by itself passes the gate: what the mandate denies is an error and runs nothing', async () => {
    const { service, url, entries } = await serve({ tools: ['echo'] }, { mandate: { deny: ['echo'] } })
    await expect(callOver(url, 'echo', { text: 'x' })).rejects.toThrow('echo')
    const [run] = await service.runs()
    expect(await entries(run!.run)).not.toContain('effect-start')
  })

  test('an input that does not fit is refused by the gate, with words for the model', async () => {
    const { url } = await serve({ tools: ['echo'] })
    const client = await plainClient(url)
    const result = await client.callTool({ name: 'echo', arguments: { text: 5 } })
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('text') }] })
  })

  test('objects are given as text and as structured content, and the run is named', async () => {
    const { url } = await serve({ tools: ['echo'] })
    const client = await plainClient(url)
    expect(await client.callTool({ name: 'echo', arguments: { text: 'a' } })).toMatchObject({
      content: [{ type: 'text', text: '{"said":"a"}' }],
      structuredContent: { said: 'a' },
      _meta: { 'mandate/run': expect.stringMatching(/^run_/) },
    })
  })

  test('templates of a prompt store are prompts, and their required variables arguments', async () => {
    const prompts = inMemoryPrompts()
    await prompts.put({ id: 'welcome', text: 'Welcome {{name}}!', requiredVars: ['name'] })
    const { url } = await serve({ prompts })
    const client = await plainClient(url)
    expect((await client.listPrompts()).prompts).toMatchObject([
      { name: 'welcome', arguments: [{ name: 'name', required: true }] },
    ])
    expect(await client.getPrompt({ name: 'welcome', arguments: { name: 'Ann' } })).toMatchObject({
      messages: [{ role: 'user', content: { text: 'Welcome Ann!' } }],
    })
    await expect(client.getPrompt({ name: 'welcome', arguments: {} })).rejects.toThrow('name')
  })

  test('nothing is offered that is not named, and what is named must exist', async () => {
    const { url } = await serve({ tools: ['echo'] }, { agents: [greeter] })
    const client = await plainClient(url)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo', 'continue_run'])
    await expect(serve({ tools: ['nothing'] })).rejects.toThrow('no tool "nothing"')
    await expect(serve({ agents: ['nobody'] })).rejects.toThrow('nobody')
    await expect(serve({ tools: ['echo', 'echo'] })).rejects.toThrow('Two things')
  })
})

describe('approvals', () => {
  for (const revision of ['2026-07-28', '2025-11-25']) {
    test(`a call that needs approval is put to the person behind the client (${revision}), once, and then made`, async () => {
      paid.length = 0
      const { url } = await serve({ tools: ['pay'] })
      const asked: string[] = []
      const client = await plainClient(url, revision, ({ message }) => {
        asked.push(message)
        return { action: 'accept', content: { decision: 'approve' } }
      })
      expect(await client.callTool({ name: 'pay', arguments: { to: 'Ann' } })).toMatchObject({
        content: [{ text: 'paid' }],
      })
      expect(asked).toEqual([expect.stringContaining('"to": "Ann"')])
      expect(paid).toEqual([{ to: 'Ann' }])
    })
  }

  test('a refusal on the form runs nothing, and the caller is told why', async () => {
    paid.length = 0
    const { url } = await serve({ tools: ['pay'] })
    const no = (): object => ({ action: 'accept', content: { decision: 'reject', reason: 'too much' } })
    const client = await plainClient(url, '2026-07-28', no)
    const result = await client.callTool({ name: 'pay', arguments: { to: 'Ann' } })
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('too much') }] })
    const declined = await plainClient(url, '2026-07-28', () => ({ action: 'decline' }))
    expect(await declined.callTool({ name: 'pay', arguments: { to: 'Ann' } })).toMatchObject({ isError: true })
    expect(paid).toEqual([])
  })

  test('a form that is closed decides nothing: the run waits, and continue_run goes on with it', async () => {
    paid.length = 0
    const { service, url } = await serve({ tools: ['pay'] })
    const client = await plainClient(url, '2026-07-28', () => ({ action: 'cancel' }))
    const waiting = await client.callTool({ name: 'pay', arguments: { to: 'Bob' } })
    expect(waiting).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('continue_run') }] })
    const [request] = await service.approvals()
    await service.approve(request!.id)
    const runId = request!.run
    const result = await client.callTool({ name: 'continue_run', arguments: { runId } })
    expect(result).toMatchObject({ content: [{ text: 'paid' }] })
    expect(paid).toEqual([{ to: 'Bob' }])
    expect(await client.callTool({ name: 'continue_run', arguments: { runId: 'run_of-others' } })).toMatchObject({
      isError: true,
    })
  })

  test('a client without forms is told who must answer, and the approval is in the inbox', async () => {
    const { service, url } = await serve({ tools: ['pay'] })
    const client = await plainClient(url)
    const result = await client.callTool({ name: 'pay', arguments: { to: 'Eve' } })
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('mandate approve') }] })
    expect(await service.approvals()).toHaveLength(1)
  })

  test('an identity without the right to approve cannot approve by its form', async () => {
    paid.length = 0
    const roles = { caller: ['run-agent' as const] }
    const { service, url } = await serve(
      { tools: ['pay'], identify: () => ({ id: 'caller', roles: ['caller'] }) },
      {
        mandate: {
          grant: ['*'],
          roles: { ...roles, owner: ['run-agent', 'approve', 'read-journal', 'register-tool'] },
        },
      },
    )
    const client = await plainClient(url, '2026-07-28', () => ({ action: 'accept', content: { decision: 'approve' } }))
    expect(await client.callTool({ name: 'pay', arguments: { to: 'Eve' } })).toMatchObject({ isError: true })
    expect(paid).toEqual([])
    expect(await service.approvals()).toHaveLength(1)
  })

  test('a run of someone else is not continued, shown or cut by whoever knows its id', async () => {
    paid.length = 0
    const { service, url } = await serve(
      {
        tools: ['pay'],
        identify: (request) => {
          const id = request?.headers.get('x-user') ?? 'none'
          return { id, roles: [id === 'auditor' ? 'auditor' : 'caller'] }
        },
      },
      {
        mandate: {
          grant: ['*'],
          roles: {
            caller: ['run-agent'],
            auditor: ['run-agent', 'read-journal'],
          },
        },
      },
    )
    const [ann, bob, auditor] = await Promise.all(['ann', 'bob', 'auditor'].map((user) => clientOf(url, user)))
    await ann!.callTool({ name: 'pay', arguments: { to: 'Eve' } })
    const { run } = (await service.runs())[0]!
    const again = { name: 'continue_run', arguments: { runId: run } }
    const foreign = { isError: true, content: [{ text: expect.stringContaining('There is no run') }] }
    expect(await bob!.callTool(again)).toMatchObject(foreign)
    const [request] = await service.approvals(run)
    await service.approve(request!.id)
    await expect.poll(() => paid).toEqual([{ to: 'Eve' }])
    expect(await bob!.callTool(again)).toMatchObject(foreign)
    expect(await ann!.callTool(again)).toMatchObject({ content: [{ text: 'paid' }] })
    expect(await auditor!.callTool(again)).toMatchObject({ content: [{ text: 'paid' }] })
  })

  test('cutting a call that continues the run of someone else does not cancel that run', async () => {
    const service = new AgentService({
      tools: [pay],
      mandate: { grant: ['*'], roles: { auditor: ['run-agent', 'read-journal'], caller: ['run-agent'] } },
    })
    onTestFinished(async () => void (await service.stop()))
    const [offer] = (await offersOf({ service, tools: ['pay'] })).values()
    const { signal } = new AbortController()
    await offer!.start({ to: 'Eve' }, { runId: 'r', identity: { id: 'ann', roles: ['caller'] }, signal })
    const cut = AbortSignal.abort()
    expect(
      await offer!.resume({ runId: 'r', identity: { id: 'auditor', roles: ['auditor'] }, signal: cut }),
    ).toMatchObject({ state: 'waiting' })
    await expect(
      offer!.resume({ runId: 'r', identity: { id: 'bob', roles: ['caller'] }, signal: cut }),
    ).rejects.toMatchObject({ code: 'DENIED' })
    expect((await service.runs())[0]).toMatchObject({ state: 'suspended' })
    // Whoever started it may end it.
    await offer!.resume({ runId: 'r', identity: { id: 'ann', roles: ['caller'] }, signal: cut })
    await expect.poll(async () => (await service.runs())[0]!.state).toBe('cancelled')
  })

  test('a state that was changed on its way is refused', async () => {
    const { url } = await serve({ tools: ['pay'] })
    const ask = (params: object): Promise<{ result?: { requestState?: string }; error?: { code: number } }> =>
      post(url, {
        name: 'pay',
        arguments: { to: 'Ann' },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
        },
        ...params,
      })
    const { result } = await ask({})
    expect(result?.requestState).toEqual(expect.any(String))
    const changed = `${result!.requestState!.slice(0, -2)}xx`
    expect(await ask({ requestState: changed, inputResponses: {} })).toMatchObject({ error: { code: -32_602 } })
  })
})

describe('who may reach it', () => {
  test('names and pages that are not allowed are refused', async () => {
    let at = new URL((await serve({ tools: ['echo'] })).url)
    const status = (headers: Record<string, string>): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const sent = httpRequest(
          { host: at.hostname, port: at.port, path: '/mcp', method: 'POST', headers },
          (answer) => {
            answer.resume()
            resolve(answer.statusCode)
          },
        )
        sent.on('error', reject)
        sent.end('{}')
      })
    expect(await status({ host: 'evil.example' })).toBe(403)
    expect(await status({ host: 'localhost.evil.example' })).toBe(403)
    expect(await status({ origin: 'https://evil.example' })).toBe(403)
    expect(await status({ origin: 'null' })).toBe(403)
    const json = { 'content-type': 'application/json' }
    expect(await status({ origin: `http://localhost:${at.port}`, ...json })).not.toBe(403)
    // A page of another port is of another program: it has to be allowed by name.
    expect(await status({ origin: 'http://localhost:3000', ...json })).toBe(403)
    at = new URL((await serve({ tools: ['echo'], allowedOrigins: ['localhost'] })).url)
    expect(await status({ origin: 'http://localhost:3000', ...json })).not.toBe(403)
  })

  test('whom `identify` does not know gets 401, and nothing is run', async () => {
    const { service, url } = await serve({
      tools: ['echo'],
      identify: (request) =>
        request?.headers.get('authorization') === 'Bearer t' ? { id: 'ann', roles: ['owner'] } : undefined,
    })
    await expect(plainClient(url)).rejects.toThrow(/401|Unauthorized/i)
    expect(await service.runs()).toEqual([])
  })

  test('a session of the older revisions belongs to whoever opened it', async () => {
    const { url } = await serve({
      tools: ['echo'],
      identify: (request) => ({ id: request?.headers.get('x-user') ?? 'none', roles: ['owner'] }),
    })
    const send = (user: string, body: object, session?: string): Promise<Response> =>
      fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'x-user': user,
          ...(session === undefined ? {} : { 'mcp-session-id': session }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
      })
    const opened = await send('ann', {
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
    })
    const session = opened.headers.get('mcp-session-id')!
    expect(session.length).toBeGreaterThan(40)
    expect((await send('ann', { method: 'tools/list', params: {} }, session)).status).toBe(200)
    expect((await send('bob', { method: 'tools/list', params: {} }, session)).status).toBe(404)
  })

  test('it does not listen beyond this machine without knowing who calls', async () => {
    const service = new AgentService()
    const server = await mcpServer({ service })
    await expect(server.listen({ host: '0.0.0.0' })).rejects.toThrow('identify')
    await service.stop()
  })
})

test('a call that the client cuts cancels its run', async () => {
  let begun: () => void
  const started = new Promise<void>((resolve) => (begun = resolve))
  const slow = defineTool({
    name: 'slow',
    inputSchema: { type: 'object' },
    risk: 'read',
    run: (_input: Json, { signal }: ToolContext) =>
      new Promise((_resolve, reject) => {
        begun()
        signal.addEventListener('abort', () => reject(new Error('cut')))
      }),
  })
  const { service, url } = await serve({ tools: ['slow'] }, { tools: [slow] })
  const client = await plainClient(url)
  const cut = new AbortController()
  const call = client.callTool({ name: 'slow', arguments: {} }, { signal: cut.signal })
  await started
  cut.abort()
  await expect(call).rejects.toThrow(/abort/i)
  await expect.poll(async () => (await service.runs())[0]?.state).toMatch(/cancelled|failed/)
})

describe('a tool that the client of an agent carries out', () => {
  const outputSchema = z.object({ city: z.string().transform((city) => city.trim()) })
  const locate = { name: 'locate', description: 'Finds the user.', inputSchema: z.object({}), outputSchema }
  const page = (): AgentConfig => ({
    id: 'page',
    model: scripted([{ toolCalls: [{ name: 'locate', input: {} }] }, 'You are in Oslo.']),
    tools: [locate],
  })

  test.each(['2026-07-28', '2025-06-18'])('is a form, whose fields are its result (%s)', async (revision) => {
    const { service, url } = await serve({ agents: ['page'] }, { agents: [page()] })
    const forms: { message: string; requestedSchema?: object }[] = []
    const client = await plainClient(url, revision, (form) => {
      forms.push(form)
      return { action: 'accept', content: { city: ' Oslo ' } }
    })
    const called = await client.callTool({ name: 'page', arguments: { prompt: 'Where am I?' } })
    expect(called.content).toEqual([{ type: 'text', text: 'You are in Oslo.' }])
    expect(forms).toMatchObject([
      {
        message: 'Carry out "locate" (Finds the user.) and give its result. Input: {}',
        requestedSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    ])
    const [run] = await service.runs()
    expect(JSON.stringify(await service.messages(run!.run))).toContain('"value":{"city":"Oslo"}')
  })

  test('says how to answer where no form can be shown, and goes on afterwards', async () => {
    const { service, url } = await serve({ agents: ['page'] }, { agents: [page()] })
    const client = await plainClient(url)
    const waiting = await client.callTool({ name: 'page', arguments: { prompt: 'Where am I?' } })
    const [question] = await service.approvals()
    expect(JSON.stringify(waiting.content)).toContain(`\`mandate answer ${question!.id} <value>\``)
    expect(JSON.stringify(waiting.content)).not.toContain('mandate approve')
    await service.answer(question!.id, { city: 'Oslo' })
    const done = await client.callTool({ name: 'continue_run', arguments: { runId: question!.run } })
    expect(done.content).toEqual([{ type: 'text', text: 'You are in Oslo.' }])
  })
})

/** A client on the protocol's own package, that can show forms where it is given how. */
async function plainClient(
  url: string,
  revision = '2026-07-28',
  fill?: (form: { message: string }) => object,
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: fill === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: revision === '2026-07-28' ? { pin: revision } : 'legacy' },
    },
  )
  if (fill !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => fill(params as { message: string }) as never)
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  onTestFinished(() => client.close())
  return client
}

/** A client that says whose it is. */
async function clientOf(url: string, user: string): Promise<Client> {
  const client = new Client({ name: user, version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  const requestInit = { headers: { 'x-user': user } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  onTestFinished(() => client.close())
  return client
}

async function post(url: string, params: object): Promise<never> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': (params as { name: string }).name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  return (await response.json()) as never
}
