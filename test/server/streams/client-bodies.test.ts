import { AgentService, defineTool } from 'mandate'
import { scripted } from 'mandate/model'
import { httpServer } from 'mandate/server'
import { afterAll, beforeAll, expect, test } from 'vitest'

const TOKENS = { ana: 'token-of-ana-000000000001', bob: 'token-of-bob-000000000002' }
const pick = defineTool({
  name: 'pick_colour',
  inputSchema: { type: 'object', properties: {} },
  outputSchema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
  client: true,
})
const faults: unknown[] = []
let service: AgentService
let post: (path: string, body: unknown, as?: keyof typeof TOKENS) => Promise<{ status: number; text: string }>

beforeAll(async () => {
  const model = scripted(({ messages }) =>
    JSON.stringify(messages.at(-1)).includes('Let me pick')
      ? { toolCalls: [{ name: 'pick_colour', input: {} }] }
      : 'Hello.',
  )
  const mandate = { roles: { user: ['run-agent'], helper: ['run-agent', 'approve'] } } as const
  service = new AgentService({ mandate, agents: [{ id: 'helper', model, tools: [pick] }] })
  const tokens = [
    { token: TOKENS.ana, identity: { id: 'ana', roles: ['helper'] } },
    { token: TOKENS.bob, identity: { id: 'bob', roles: ['helper'] } },
  ]
  const limits = { requestsPerMinute: 1_000_000 }
  const server = httpServer(service, { tokens, limits, onFault: (error) => faults.push(error) })
  post = async (path, body, as = 'ana') => {
    const headers = { authorization: `Bearer ${TOKENS[as]}`, 'content-type': 'application/json', host: '127.0.0.1' }
    const response = await server.fetch(
      new Request(`http://127.0.0.1${path}`, { method: 'POST', headers, body: JSON.stringify(body) ?? '' }),
    )
    return { status: response.status, text: await response.text() }
  }
})

afterAll(() => service.stop())

const call = { id: 'c', type: 'function', function: { name: 'pick_colour', arguments: '{}' } }
const pixel = 'data:image/png;base64,AAAA'
const BODIES: readonly (readonly [path: string, body: unknown])[] = [
  [
    '/v1/chat/completions',
    {
      model: 'helper',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: pixel } }] },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: 'blue' },
        { role: 'user', content: 'Hello.' },
      ],
      tools: [{ type: 'function', function: { name: 'pick_colour' } }],
      stream_options: { include_usage: true },
      metadata: { session_id: 'one' },
    },
  ],
  [
    '/v1/responses',
    {
      model: 'helper',
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: [{ type: 'input_file', filename: 'a.txt', file_data: pixel }] },
        { type: 'function_call', call_id: 'c', name: 'pick_colour', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: [{ type: 'text', text: 'blue' }] },
        { type: 'message', role: 'user', content: 'Hello.' },
      ],
      text: { format: { type: 'text' } },
    },
  ],
  ['/v1/responses', { model: 'helper', input: [{ type: 'mcp_approval_response', approval_request_id: 'x' }] }],
  [
    '/api/ag-ui/helper',
    {
      threadId: 't',
      runId: 'r',
      state: {},
      messages: [
        { role: 'user', content: [{ type: 'image', source: { type: 'url', value: 'https://example.com/a.png' } }] },
        { role: 'assistant', content: 'A picture.', toolCalls: [call] },
        { role: 'tool', toolCallId: 'c', content: 'blue', error: 'late' },
        { role: 'user', content: 'Hello.' },
      ],
      tools: [{ name: 'pick_colour' }],
    },
  ],
  [
    '/api/ag-ui/helper',
    { threadId: 't', runId: 'r', messages: [], resume: [{ interruptId: 'x-ap1', status: 'resolved', payload: {} }] },
  ],
  [
    '/api/chat/helper',
    {
      messages: [
        { id: '1', role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url: pixel, filename: 'a.png' }] },
        {
          id: '2',
          role: 'assistant',
          parts: [{ type: 'tool-pick_colour', toolCallId: 'c', state: 'output-available', input: {}, output: {} }],
        },
        { id: '3', role: 'user', parts: [{ type: 'text', text: 'Hello.' }], metadata: {} },
      ],
    },
  ],
]
const ODD: readonly unknown[] = [null, 'x', [null]]

/** A body, and the same with something odd at each of its places. */
function* variants(body: unknown): Generator<readonly [what: string, body: unknown]> {
  yield ['as it is', body]
  for (const path of placesIn(body))
    for (const odd of ODD) {
      const copy = structuredClone(body) as Record<string, unknown>
      const within = path.slice(0, -1).reduce((at, name) => at[name] as Record<string, unknown>, copy)
      within[path.at(-1)!] = odd
      yield [`${path.join('.')} is ${JSON.stringify(odd)}`, copy]
    }
}

function placesIn(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [[name], ...placesIn(member).map((path) => [name, ...path])])
}

test.each(BODIES)(
  '%s: whatever stands in a body, it is answered or refused, and no fault of the server',
  async (path, body) => {
    const failed: unknown[] = []
    for (const [what, variant] of variants(body)) {
      const { status, text } = await post(path, variant)
      if (status >= 500 || faults.length > 0) failed.push({ what, status, text, faults: faults.splice(0) })
    }
    expect(failed).toEqual([])
  },
)

test('an answer to an approval that is not there is told as an error, and the server goes on', async () => {
  const input = [{ type: 'mcp_approval_response', approval_request_id: 'run_none-ap1', approve: true }]
  expect(await post('/v1/responses', { model: 'helper', input })).toMatchObject({ status: 404 })
  const resume = [{ interruptId: 'run_none-ap1', status: 'resolved', payload: { approved: true } }]
  const { text } = await post('/api/ag-ui/helper', { threadId: 't', runId: 'r', messages: [], resume })
  expect(text).toContain('RUN_ERROR')
  // Whatever is not handled ends the process a moment later.
  await new Promise((resolve) => setImmediate(resolve))
  expect(await post('/v1/responses', { model: 'helper', input: 'Hello.' })).toMatchObject({ status: 200 })
})

test('a client learns nothing of the run of another through a protocol, and answers nothing in it', async () => {
  const { status, text } = await post('/api/runs?wait=30', { agent: 'helper', prompt: 'Let me pick.' })
  expect(status).toBe(201)
  const { id: run, pending } = JSON.parse(text) as { id: string; pending: { approvalId: string; key: string }[] }
  const { approvalId, key } = pending[0]!
  const mark = Buffer.from(JSON.stringify([run, key, 'c'])).toString('base64url')
  const bodies = (id: string, approval: string, answered: string): readonly (readonly [string, unknown])[] => [
    ...['{}', '{"colour":"red"}'].map((content): readonly [string, unknown] => [
      '/v1/chat/completions',
      {
        model: 'helper',
        messages: [
          { role: 'assistant', tool_calls: [{ ...call, id }] },
          { role: 'tool', tool_call_id: id, content },
        ],
      },
    ]),
    [
      '/v1/responses',
      { model: 'helper', input: [{ type: 'mcp_approval_response', approval_request_id: approval, approve: true }] },
    ],
    ['/v1/responses', { model: 'helper', input: 'Go on.', previous_response_id: `resp_${answered}` }],
  ]
  const plain = (answer: { status: number; text: string }): unknown => [
    answer.status,
    JSON.parse(answer.text.replaceAll(approvalId, 'run_none').replaceAll(run, 'run_none')).error,
  ]
  const real = bodies(`call_m${mark}`, approvalId, run)
  const none = bodies('call_none', 'run_none', 'run_none')
  for (const [index, [path, body]] of real.entries())
    expect(plain(await post(path, body, 'bob')), path).toEqual(plain(await post(path, none[index]![1], 'bob')))
  expect((await service.approvals(run)).map(({ id }) => id)).toEqual([approvalId])
})
