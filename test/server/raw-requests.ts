import { connect } from 'node:net'

export type Header = readonly [name: string, value: string]

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Sends bytes as they are, and reads until the connection is closed. */
export function exchange(bytes: Buffer | string, port: number): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let said = ''
    socket.on('data', (data: Buffer) => (said += data.toString()))
    // A server that refuses early may reset the connection while the rest of the request is on its way.
    socket.on('error', () => {})
    socket.on('close', () => resolve(answerFrom(said)))
  })
}

function answerFrom(said: string): Answer {
  const [head = '', ...rest] = said.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => [line.split(':', 1)[0]!, line.slice(line.indexOf(':') + 1)]),
  )
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(first)?.[1]), headers, text: rest.join('\r\n\r\n') }
}

/** The bytes of a request. */
export function requestBytes(line: string, headers: readonly Header[], body: string | Buffer = ''): Buffer {
  const head = [line, ...headers.map(([name, value]) => `${name}: ${value}`)]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body)])
}
