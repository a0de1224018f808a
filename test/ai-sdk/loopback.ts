import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request that a loopback server got. */
export interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Parsed JSON, or the text when it is none. */
  readonly body: unknown
}

export type Answer = (response: ServerResponse, asked: Asked) => void | Promise<void>

export interface Loopback {
  /** `http://127.0.0.1:<free port>`, without a slash at the end. */
  readonly url: string
  /** Every request so far, in order. */
  readonly asked: readonly Asked[]
  /** How many connections were cut by the other side before the answer was over. */
  readonly hangUps: number
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A real server on this machine. Each request gets the next answer; the last one repeats. */
export async function loopback(...answers: Answer[]): Promise<Loopback> {
  const asked: Asked[] = []
  let hangUps = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    response.on('close', () => (hangUps += response.writableFinished ? 0 : 1))
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const one = { path: request.url ?? '', headers: request.headers, body: readBody(text) }
      const answer = answers[Math.min(asked.length, answers.length - 1)]!
      asked.push(one)
      void Promise.resolve(answer(response, one)).catch((error: unknown) => response.destroy(error as Error))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    get hangUps() {
      return hangUps
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function readBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** Sends a whole event stream. */
export function events(text: string): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
  }
}

/** Sends one JSON document. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return (response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  }
}
