import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import OpenAI from 'openai'

/** A page that calls a server of another origin with the clients that people have. */
async function callAll(): Promise<Record<string, unknown>> {
  const { url = '', token = '' } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
  const openai = (apiKey: string): OpenAI =>
    new OpenAI({ baseURL: `${url}/v1`, apiKey, dangerouslyAllowBrowser: true, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'Hi.' }]
  const answer = await openai(token).chat.completions.create({ model: 'greeter', messages })
  const refused = await openai('no-token-of-this-server-01')
    .models.list()
    .catch(({ status, message }: { status: number; message: string }) => `${status} ${message}`)
  const client = new Client({ name: 'page', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  const { content } = await client.callTool({ name: 'greeter', arguments: { prompt: 'Hi.' } })
  await client.close()
  return { said: answer.choices[0]?.message.content, refused, content }
}

const done: Promise<unknown> = callAll().catch(String)
Object.assign(globalThis, { done })
