// An approval that lives in a chat: the run suspends, the chat gets a signed message with a link, a person opens the link and approves, the run goes on.
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AgentService, defineTool } from 'mandate'
import { scripted } from 'mandate/model'
import { httpServer, newToken, webhooks } from 'mandate/server'

const secret = newToken()

/** The chat: verifies the signature, and shows the message as Slack would. */
const messages: { readonly text: string; readonly link: string | undefined }[] = []
const chat = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += String(piece)))
  request.on('end', () => {
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': given } = request.headers
    const mac = createHmac('sha256', secret)
      .update(`${String(id)}.${String(at)}.${body}`)
      .digest('base64')
    if (given !== `v1,${mac}`) return void response.writeHead(401).end()
    const { type, data } = JSON.parse(body) as News
    const [call] = data.pending ?? []
    const text = call === undefined ? `${type}: ${data.name}` : `${data.name} wants to call ${call.name}: ${call.text}`
    messages.push({ text, link: call?.link })
    response.writeHead(200).end()
  })
})

interface News {
  readonly type: string
  readonly data: {
    readonly name: string
    readonly pending?: readonly { readonly name: string; readonly text: string; readonly link: string }[]
  }
}

await new Promise<void>((resolve) => chat.listen(0, '127.0.0.1', resolve))
const { port } = chat.address() as AddressInfo

const refund = defineTool({
  name: 'refund',
  description: 'Pays an order back.',
  risk: 'destructive',
  run: ({ order }: { order: string }) => `refunded ${order}`,
})
const service = new AgentService({
  mandate: { roles: { reviewer: ['approve', 'read-journal'] } },
  agents: [
    {
      id: 'support',
      model: scripted([{ toolCalls: [{ name: 'refund', input: { order: 'A-17' } }] }, 'It is refunded.']),
      tools: [refund],
    },
  ],
})

// The address of the server is a part of its links, so it is chosen first.
const probe = createServer()
await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
const own = (probe.address() as AddressInfo).port
await new Promise((resolve) => probe.close(resolve))

const hooks = webhooks(service, {
  outgoing: [{ name: 'chat', url: `http://127.0.0.1:${port}/hook`, secret }],
  links: { url: `http://127.0.0.1:${own}`, secret: newToken(), roles: ['reviewer'] },
})
const tokens = [{ token: newToken(), identity: { id: 'ana', roles: ['owner'] } }]
const server = httpServer(service, { tokens, parts: [hooks] })
await server.listen({ port: own })

const message = async (count: number) => {
  while (messages.length < count) await new Promise((resolve) => setTimeout(resolve, 10))
  return messages[count - 1]!
}

const { id, status } = await service.run('support', 'Refund order A-17.')
console.log(status)
const { text, link } = await message(1)
console.log(text)

const page = await fetch(link!)
console.log(page.status, /<h1>(.*)<\/h1>/.exec(await page.text())?.[1])
const form = new URLSearchParams({ decision: 'approve', reason: 'The parcel was lost.' })
const decided = await fetch(link!, { method: 'POST', body: form })
console.log(decided.status, /<h1>(.*)<\/h1>/.exec(await decided.text())?.[1])
console.log((await message(2)).text)
console.log((await fetch(link!)).status, (await service.result(id)).actions[0]?.output)

await server.close()
await service.stop()
chat.close()
