// A server on this machine that pretends to be a model provider, so that the examples run without a key and without a network.
// It calls the tool `weather` once and then repeats what the tool said.
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Speak = (said: string | undefined) => readonly (readonly [event: string, payload: object])[]

const input = JSON.stringify({ city: 'Oslo' })

/** The responses API of OpenAI. */
const responses: Speak = (said) => {
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'pretended', output: [] }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', content: [] }
  const call = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'weather', arguments: input }
  const item = said === undefined ? call : message
  const delta = { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: said }
  const usage = { input_tokens: 20, output_tokens: 10, total_tokens: 30 }
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress' } },
    { type: 'response.output_item.added', output_index: 0, item },
    ...(said === undefined ? [] : [delta]),
    { type: 'response.output_item.done', output_index: 0, item: { ...item, status: 'completed' } },
    { type: 'response.completed', response: { ...response, status: 'completed', usage } },
  ].map((payload) => [payload.type, payload] as const)
}

/** The messages API of Anthropic. */
const messages: Speak = (said) => {
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'pretended',
    content: [],
    stop_reason: null,
  }
  const call = { type: 'tool_use', id: 'call_1', name: 'weather', input: {} }
  const piece =
    said === undefined ? { type: 'input_json_delta', partial_json: input } : { type: 'text_delta', text: said }
  return [
    { type: 'message_start', message: { ...message, usage: { input_tokens: 20, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: said === undefined ? call : { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: piece },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: said === undefined ? 'tool_use' : 'end_turn' },
      usage: { output_tokens: 10 },
    },
    { type: 'message_stop' },
  ].map((payload) => [payload.type, payload] as const)
}

/** Chat completions, which nearly every local server speaks. */
const chat: Speak = (said) => {
  const base = { id: 'chat_1', object: 'chat.completion.chunk', created: 1, model: 'pretended' }
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: input } }
  const delta = said === undefined ? { tool_calls: [call] } : { content: said }
  const reason = said === undefined ? 'tool_calls' : 'stop'
  const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 }
  return [
    { ...base, choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }] },
    { ...base, choices: [{ index: 0, delta: {}, finish_reason: reason }], usage },
  ].map((payload) => ['', payload] as const)
}

const speakers: Readonly<Record<string, Speak>> = { responses, messages, 'chat/completions': chat }

function answer(path: string, body: string, response: ServerResponse): void {
  const speak = Object.entries(speakers).find(([api]) => path.endsWith(api))?.[1]
  if (speak === undefined) return void response.writeHead(404).end(`nothing is pretended at ${path}`)
  const degrees = /degrees\D+(\d+)/.exec(body)?.[1]
  const said = degrees === undefined ? undefined : `It is ${degrees} degrees in Oslo.`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const [event, payload] of speak(said)) {
    response.write(`${event === '' ? '' : `event: ${event}\n`}data: ${JSON.stringify(payload)}\n\n`)
  }
  response.end()
}

/** Starts it and gives its base URL. It does not keep the process alive. */
export async function pretendProvider(): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => answer(request.url ?? '', body, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}
