import { createConnection } from 'node:net'
import { onTestFinished } from 'vitest'
import { systemRandom } from '../../src/core/index.ts'
import { givenUrl } from '../servers/servers.ts'
import { sharedServer } from '../servers/shared.ts'

/** A prefix that nobody has used yet, in the server that the tests share. */
export async function newPrefix(): Promise<{ readonly url: string; readonly prefix: string }> {
  const place = { url: await sharedServer('redis'), prefix: `t${systemRandom.hex(8)}` }
  // A server of ours goes as a whole; one that was lent is given back as it was.
  if (givenUrl('redis') !== undefined)
    onTestFinished(async () => {
      const keys = (await askRedis(place.url, 'KEYS', `${place.prefix}:*`)) as string[]
      if (keys.length > 0) await askRedis(place.url, 'DEL', ...keys)
    })
  return place
}

/** Closed after the test. */
export function closing<T extends { close(): Promise<void> }>(store: T): T {
  onTestFinished(() => store.close())
  return store
}

type Reply = string | number | null | Reply[]

/** Asks the server itself, past every client: one command, one answer, as bytes are. */
export function askRedis(url: string, ...args: readonly string[]): Promise<Reply> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: hostname, port: Number(port) })
    let text = ''
    socket.setEncoding('latin1')
    socket.on('error', reject)
    socket.on('data', (piece: string) => {
      text += piece
      const read = readReply(text, 0)
      if (read === undefined) return
      socket.destroy()
      resolve(read.value)
    })
    socket.write(`*${args.length}\r\n${args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`).join('')}`)
  })
}

/** A reply of the server's protocol; undefined while it is not whole. */
function readReply(text: string, from: number): { value: Reply; end: number } | undefined {
  const lineEnd = text.indexOf('\r\n', from)
  if (lineEnd < 0) return undefined
  const kind = text[from]
  const line = text.slice(from + 1, lineEnd)
  let at = lineEnd + 2
  if (kind === '$') {
    const length = Number(line)
    if (length < 0) return { value: null, end: at }
    return text.length < at + length + 2 ? undefined : { value: text.slice(at, at + length), end: at + length + 2 }
  }
  if (kind !== '*') return { value: kind === ':' ? Number(line) : line, end: at }
  const items: Reply[] = []
  for (let count = Number(line); count > 0; count--) {
    const item = readReply(text, at)
    if (item === undefined) return undefined
    items.push(item.value)
    at = item.end
  }
  return { value: items, end: at }
}
