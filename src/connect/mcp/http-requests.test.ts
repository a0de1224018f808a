import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { requestsTo } from './http-requests.ts'

const OPTIONS = { maxMessageBytes: 1_000, onFault: () => {} }

async function listen(): Promise<number> {
  const server = createServer((_request, response) => void response.end('reached'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

it.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fd00::1'])(
  'a public name that leads to %s is not reached',
  async (address) => {
    const url = `http://mcp.example.com:${await listen()}/mcp`
    const request = requestsTo({ url }, { ...OPTIONS, resolve: async () => [address] })
    await expect(request(url)).rejects.toMatchObject({ code: 'DENIED' })
  },
)

it('a private network is reached where the host says so', async () => {
  const url = `http://mcp.example.com:${await listen()}/mcp`
  const request = requestsTo({ url, privateNetwork: true }, { ...OPTIONS, resolve: async () => ['127.0.0.1'] })
  expect(await (await request(url)).text()).toBe('reached')
})

it('nothing but the origin of the server is reached', async () => {
  const port = await listen()
  const request = requestsTo({ url: `http://127.0.0.1:${port}/mcp` }, OPTIONS)
  await expect(request(`http://localhost:${port}/mcp`)).rejects.toMatchObject({ code: 'DENIED' })
  await expect(request('http://169.254.169.254/latest')).rejects.toMatchObject({ code: 'DENIED' })
})
