import { createContext, runInContext } from 'node:vm'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { root } from '../tidy/sources.ts'

const SOURCE = `
import { AgentService } from './src/agent/public.ts'
import { scripted } from './src/model/public.ts'
import { httpServer } from './src/server/public.ts'
globalThis.played = (async () => {
  const faults = []
  const service = new AgentService({ agents: [{ id: 'greeter', model: scripted(['Hello.']) }] })
  const server = httpServer(service, { hosts: ['edge.example'], onFault: (error) => faults.push(String(error)), tokens: [{ token: 'token-of-the-owner-0001', identity: { id: 'ana', roles: ['owner'] } }] })
  const headers = { authorization: 'Bearer token-of-the-owner-0001', 'content-type': 'application/json' }
  const body = JSON.stringify({ agent: 'greeter', prompt: 'Hi.' })
  const answer = await server.fetch(new Request('https://edge.example/api/runs?wait=10', { method: 'POST', headers, body }))
  const stranger = await server.fetch(new Request('https://edge.example/api/runs'))
  const foreign = await server.fetch(new Request('https://other.example/api/runs', { headers }))
  const { text } = await answer.json()
  await server.close()
  await service.stop()
  return [answer.status, text, stranger.status, foreign.status, ...faults]
})()
`

/** What every web-standard runtime has; nothing of Node. */
const WEB = {
  AbortController,
  AbortSignal,
  Blob,
  EventTarget,
  Event,
  Headers,
  MessageChannel,
  ReadableStream,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  TransformStream,
  URL,
  URLSearchParams,
  atob,
  btoa,
  clearTimeout,
  console,
  crypto,
  performance,
  queueMicrotask,
  setTimeout,
  structuredClone,
}

test('`fetch` of a server runs where there is nothing of Node', async () => {
  const entry = '\0edge'
  const build = await rolldown({
    input: entry,
    cwd: root,
    platform: 'neutral',
    resolve: { conditionNames: ['mandate-source', 'import', 'default'], mainFields: ['module', 'main'] },
    // What is loaded at its first use stays outside: nothing of it may be needed here.
    external: (id) => id.startsWith('node:') || OPTIONAL.test(id),
    plugins: [
      {
        name: 'entry',
        resolveId: (id, from) => (id === entry ? id : from === entry ? `${root}/${id.slice(2)}` : undefined),
        load: (id) => (id === entry ? SOURCE : undefined),
      },
    ],
    onLog: () => {},
  })
  const { output } = await build.generate({ format: 'esm', codeSplitting: true })
  const [main] = output
  const loaded = new Set<string>()
  const follow = (name: string): void => {
    if (loaded.has(name)) return
    loaded.add(name)
    const chunk = output.find(({ fileName }) => fileName === name)
    for (const next of chunk?.type === 'chunk' ? chunk.imports : []) follow(next)
  }
  follow(main.fileName)
  expect([...loaded].filter((name) => name.startsWith('node:'))).toEqual([])
  const { output: whole } = await build.generate({ format: 'iife', codeSplitting: false, globals: () => 'undefined' })
  const context = createContext({ ...WEB })
  runInContext(whole[0].code, context)
  expect(await (context as { played: Promise<unknown> }).played).toEqual([201, 'Hello.', 401, 421])
})

const OPTIONAL =
  /^(?:@modelcontextprotocol|@opentelemetry|@redis|pg|undici|handlebars|liquidjs|ai$|@ai-sdk|zod|effect|@valibot)/
