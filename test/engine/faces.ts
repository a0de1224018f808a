import type { HttpServer } from '../../src/server/index.ts'

/** What a client of a protocol has in the end. */
export interface Heard {
  readonly text: string
  /** Absent where the protocol shows none. */
  readonly reasoning?: string | undefined
  /** Whether the stream ended as that of an answer that is complete. */
  readonly isWhole: boolean
}

interface Face {
  readonly path: (agent: string) => string
  readonly body: (agent: string) => object
  readonly read: (events: readonly Said[]) => Heard
}

/** One event of a stream, of any of the protocols. */
interface Said {
  readonly type?: string
  readonly delta?: string
  readonly choices?: readonly [Choice?]
}

interface Choice {
  readonly delta: { readonly content?: string; readonly reasoning_content?: string }
  readonly finish_reason: string | null
}

const deltas = (events: readonly Said[], type: string): string =>
  events.flatMap((event) => (event.type === type ? [event.delta ?? ''] : [])).join('')
const ends = (events: readonly Said[], type: string): boolean => events.some((event) => event.type === type)

/** The protocols in which an agent can be asked over HTTP, as streams. */
export const FACES: Readonly<Record<string, Face>> = {
  useChat: {
    path: (agent) => `/api/chat/${agent}`,
    body: () => ({ messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Speak.' }] }] }),
    read: (events) => ({
      text: deltas(events, 'text-delta'),
      reasoning: deltas(events, 'reasoning-delta'),
      isWhole: ends(events, 'finish') && !ends(events, 'error'),
    }),
  },
  'chat completions': {
    path: () => '/v1/chat/completions',
    body: (agent) => ({ model: agent, stream: true, messages: [{ role: 'user', content: 'Speak.' }] }),
    read(events) {
      const choices = events.flatMap((event) => event.choices?.[0] ?? [])
      return {
        text: choices.map(({ delta }) => delta.content ?? '').join(''),
        reasoning: choices.map(({ delta }) => delta.reasoning_content ?? '').join(''),
        isWhole: choices.some((choice) => choice.finish_reason === 'stop'),
      }
    },
  },
  responses: {
    path: () => '/v1/responses',
    body: (agent) => ({ model: agent, stream: true, input: 'Speak.' }),
    read: (events) => ({
      text: deltas(events, 'response.output_text.delta'),
      isWhole: ends(events, 'response.completed'),
    }),
  },
  'AG-UI': {
    path: (agent) => `/api/ag-ui/${agent}`,
    body: () => ({
      ...{ threadId: `t-${Math.random().toString(36).slice(2)}`, runId: 'r1' },
      ...{ messages: [{ id: 'm1', role: 'user', content: 'Speak.' }], tools: [], context: [], state: {} },
      forwardedProps: {},
    }),
    read: (events) => ({
      text: deltas(events, 'TEXT_MESSAGE_CONTENT'),
      reasoning: deltas(events, 'REASONING_MESSAGE_CONTENT'),
      isWhole: ends(events, 'RUN_FINISHED') && !ends(events, 'RUN_ERROR'),
    }),
  },
}

interface Asking {
  readonly server: HttpServer
  readonly token: string
  readonly agent: string
  /** Called with the text of each piece of the stream, so far. */
  readonly onText?: ((text: string) => unknown) | undefined
}

/** Asks an agent by one of the protocols, and reads the stream to its end. */
export async function ask(face: string, { server, token, agent, onText }: Asking): Promise<Heard> {
  const { path, body, read } = FACES[face]!
  const request = new Request(`http://127.0.0.1:8080${path(agent)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', host: '127.0.0.1:8080' },
    body: JSON.stringify(body(agent)),
  })
  const answer = await server.fetch(request)
  const decoder = new TextDecoder()
  let stream = ''
  const events = (): Said[] =>
    stream
      .split('\n')
      .filter((line) => line.startsWith('data: {') && line.endsWith('}'))
      .map((line) => JSON.parse(line.slice(6)) as Said)
  for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) {
    stream += decoder.decode(piece, { stream: true })
    onText?.(read(events()).text)
  }
  if (answer.status !== 200) throw new Error(`${answer.status} ${stream}`)
  return read(events())
}
