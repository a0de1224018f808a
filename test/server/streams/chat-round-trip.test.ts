import { AgentService, defineTool } from 'mandate'
import type { AgentConfig } from 'mandate'
import { scripted } from 'mandate/model'
import type { ScriptedStep } from 'mandate/model'
import { httpServer } from 'mandate/server'
import { onTestFinished, expect, test } from 'vitest'

const withPath = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const tools = [
  defineTool({
    name: 'look',
    risk: 'read',
    inputSchema: withPath,
    run: ({ path }: { path: string }) => `seen ${path}`,
  }),
  defineTool({ name: 'nothing', risk: 'read', run: () => undefined }),
  defineTool({
    name: 'fail',
    risk: 'read',
    run: () => {
      throw new Error('It broke.')
    },
  }),
  defineTool({ name: 'erase', risk: 'write', needsApproval: true, inputSchema: withPath, run: () => 'erased' }),
  defineTool({ name: 'forbidden', risk: 'destructive', run: () => 'done' }),
  defineTool({ name: 'pick', inputSchema: { type: 'object' }, outputSchema: { type: 'string' }, client: true }),
]

interface Scene {
  readonly service: AgentService
  readonly say: (parts: readonly object[]) => Promise<{ status: number; text: string }>
  readonly messages: () => Promise<readonly Record<string, unknown>[]>
}

function scene(script: readonly ScriptedStep[], more: Partial<AgentConfig> = {}): Scene {
  const clerk = { id: 'clerk', model: scripted([{ toolCalls: [{ name: 'pick', input: {} }] }, 'Asked.']), tools }
  // In the order of the calls, whatever the conversation holds.
  const left = [...script]
  const model = scripted(() => left.shift() as never)
  const helper = { id: 'helper', model, tools, ...more }
  const mandate = { deny: ['forbidden'] }
  const service = new AgentService({ mandate, agents: [clerk, helper] })
  const token = 'token-of-ana-000000000001'
  const server = httpServer(service, { tokens: [{ token, identity: { id: 'ana', roles: ['owner'] } }] })
  onTestFinished(async () => {
    await server.close()
    await service.stop()
  })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', host: '127.0.0.1' }
  const fetched = async (end: string, body?: object): Promise<Response> =>
    server.fetch(
      new Request(`http://127.0.0.1/api/chat/helper${end}`, {
        headers,
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      }),
    )
  const messages: Scene['messages'] = async () =>
    ((await (await fetched('/chat-1')).json()) as { messages: Record<string, unknown>[] }).messages
  return {
    service,
    messages,
    async say(parts) {
      const before = await messages()
      const message = { id: `u${before.length}`, role: 'user', parts }
      const response = await fetched('', { id: 'chat-1', messages: [...before, message] })
      return { status: response.status, text: await response.text() }
    },
  }
}

const text = (said: string): object => ({ type: 'text', text: said })
const call = (name: string, input: object = {}): ScriptedStep => ({ toolCalls: [{ name, input: input as never }] })

const ANSWERS: readonly (readonly [what: string, script: readonly ScriptedStep[], more?: Partial<AgentConfig>])[] = [
  ['an answer with thoughts', [{ reasoning: 'Well.', text: 'Yes.' }]],
  ['a call and its result', [call('look', { path: '/' }), 'Seen.']],
  ['a call without a value', [call('nothing'), 'Done.']],
  ['a call that failed', [call('fail'), 'It broke.']],
  ['an input that does not fit', [call('look', { path: 1 }), 'A mistake.']],
  ['arguments that are no JSON', [{ toolCalls: [{ name: 'look', input: '{"pa' }] }, 'A mistake.']],
  ['a tool that does not exist', [call('unheard', {}), 'A mistake.']],
  ['a call that the gate denied', [call('forbidden'), 'Not allowed.']],
  [
    'several calls at once',
    [{ toolCalls: [{ name: 'look', input: { path: 'a' } }, { name: 'forbidden' }, { name: 'fail' }] }, 'So.'],
  ],
  ['a call that waits for an approval', [call('erase', { path: '/' })]],
  ['a call that waits for the page', [call('pick')]],
  ['a sub-agent that asks', [call('clerk', { prompt: 'Ask.' })], { agents: ['clerk'] }],
  ['a model that failed', [{ error: 'no credit' }]],
  ['a refusal', [{ text: '', finishReason: 'content-filter' } as never]],
]

test.each(ANSWERS.map(([what, ...given]) => [what, given] as const))(
  'what a page reads of %s is what it can go on with',
  async (_what, [script, more]) => {
    const { say, messages, service } = scene([...script, 'And on.', 'And on.'], more)
    const file = { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA', filename: 'a.png' }
    expect((await say([text('Begin.'), file])).status).toBe(200)
    for (const said of ['Go on.', 'And then?']) {
      const { status, text: answer } = await say([text(said)])
      expect([status, answer.slice(0, 2_000)]).toEqual([200, expect.stringContaining('"finishReason":"stop"')])
    }
    expect((await service.runs()).filter(({ parent }) => parent === undefined)).toHaveLength(3)
    expect((await messages()).at(-1)).toMatchObject({
      role: 'assistant',
      parts: expect.arrayContaining([expect.objectContaining({ text: 'And on.' })]),
    })
  },
)

test.each(['approve', 'reject'] as const)(
  'what a page reads of a call after someone else said %s is what it can go on with',
  async (what) => {
    const { say, messages, service } = scene([call('erase', { path: '/' }), 'So be it.', 'And on.'])
    await say([text('Erase it.')])
    const [request] = await service.approvals()
    await (what === 'approve' ? service.approve(request!.id) : service.reject(request!.id, 'Not on a Friday.'))
    await service.resume(request!.run)
    const part = ((await messages()).at(-1)!['parts'] as { type: string }[]).find(({ type }) => type === 'tool-erase')
    expect(part).toMatchObject(
      what === 'approve'
        ? { state: 'output-available' }
        : {
            state: 'output-denied',
            approval: { approved: false, reason: expect.stringContaining('Not on a Friday.') },
          },
    )
    expect(await say([text('Go on.')])).toMatchObject({
      status: 200,
      text: expect.stringContaining('"finishReason":"stop"'),
    })
  },
)
