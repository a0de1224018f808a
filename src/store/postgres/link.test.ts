import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { linkTo } from './link-to.ts'

function message(type: string, body: string | Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(4 + Buffer.byteLength(body), 1)
  return Buffer.concat([head, Buffer.from(body)])
}

/** A server that lets everybody in, and throws them out with the answer to their first statement. */
async function startRude(): Promise<string> {
  const ready = message('Z', 'I')
  const end = message('E', 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', Buffer.alloc(4)), ready]))
      socket.once('data', () => socket.end(Buffer.concat([message('C', 'SELECT 1\0'), ready, end])))
    })
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  return `postgres://me@127.0.0.1:${(server.address() as AddressInfo).port}/agents`
}

test('a connection that ends in the moment in which it is handed out is an error to whoever asked, and not the end of the process', async () => {
  const link = linkTo(await startRude(), 1)
  onTestFinished(() => link.close())
  await expect(link.query('SELECT 1')).rejects.toMatchObject({ code: 'STORE_FAILED' })
  await (await link.connect(() => {})).end().catch(() => {})
  const pool = await link.poolOf(1)
  onTestFinished(() => pool.end())
  // As other programs use a pool: nobody listens to the connection before this returns.
  const client = await pool.connect().catch(() => undefined)
  await client?.query('SELECT 1').catch(() => {})
  client?.release(true)
})
