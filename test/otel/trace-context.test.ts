import { createServer } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { AgentService, defineTool } from 'mandate'
import type { ServiceOptions } from 'mandate'
import { httpFetch } from 'mandate/connect'
import { connectMcp } from 'mandate/mcp'
import { scripted } from 'mandate/model'
import { openTelemetry } from 'mandate/otel'
import { httpServer } from 'mandate/server'

interface SentSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
}

/** A collector of OpenTelemetry, as the exporter of the SDK speaks to it: JSON over HTTP. */
const spans: SentSpan[] = []
const calls: IncomingMessage['headers'][] = []
const servers: Server[] = []
let provider: BasicTracerProvider
let outside: string

async function listening(answer: (request: IncomingMessage, body: string) => string): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => (body += String(piece)))
    request.on('end', () => response.setHeader('content-type', 'application/json').end(answer(request, body)))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const collector = await listening((_request, body) => {
    const sent = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] }
    spans.push(...sent.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
    return '{}'
  })
  outside = await listening(({ headers }) => {
    calls.push(headers)
    return '{}'
  })
  const exporter = new OTLPTraceExporter({ url: `${collector}/v1/traces` })
  provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
})

afterAll(async () => {
  await provider.shutdown()
  for (const server of servers) server.close()
  context.disable()
})

function traced(options: ServiceOptions): AgentService {
  const sink = openTelemetry({ tracer: provider.getTracer('test'), meter: new MeterProvider().getMeter('test') })
  return new AgentService({ ...options, sinks: [sink] })
}

async function named(name: string): Promise<SentSpan> {
  await provider.forceFlush()
  const found = spans.findLast((span) => span.name === name)
  expect(found, `${name} among ${spans.map((span) => span.name).join(', ')}`).toBeDefined()
  return found!
}

const token = 'token-of-the-owner-0001'
const owner = { id: 'ana', roles: ['owner'] }
const calling = (name: string, input: object) => scripted([{ toolCalls: [{ name, input: input as never }] }, 'Done.'])

it('an HTTP server that a tool calls gets the trace of that call', async () => {
  const fetch = httpFetch({ allow: [new URL(outside).host] })
  const mandate = { grant: ['http_fetch'] }
  const service = traced({
    agents: [{ id: 'web', model: calling('http_fetch', { url: `${outside}/x` }), tools: [fetch], mandate }],
  })
  expect((await service.run('web', 'Go.')).status).toBe('completed')
  const { traceId, spanId } = await named('execute_tool http_fetch')
  expect(calls.at(-1)!['traceparent']).toBe(`00-${traceId}-${spanId}-01`)
  await service.stop()
  // Nothing is sent where nothing is traced.
  const silent = new AgentService({
    agents: [{ id: 'web', model: calling('http_fetch', { url: `${outside}/x` }), tools: [fetch], mandate }],
  })
  await silent.run('web', 'Go.')
  expect(calls.at(-1)).not.toHaveProperty('traceparent')
  await silent.stop()
})

it('a run that our MCP server starts is below the call of our MCP client, over two services', async () => {
  const there = traced({
    tools: [defineTool({ name: 'echo', risk: 'read', run: () => 'echoed' })],
    agents: [{ id: 'helper', description: 'Helps.', model: scripted(['Helped.']) }],
  })
  const server = httpServer(there, { tokens: [{ token, identity: owner }], mcp: { agents: ['helper'] } })
  const { url } = await server.listen()
  const headers = { authorization: `Bearer ${token}` }
  // The first request loads the protocol, which may take longer than a client waits.
  await (await fetch(`${url}/mcp`, { method: 'POST', headers, body: '{}' })).text()
  const mcp = await connectMcp({ url: `${url}/mcp`, headers }, { name: 'there' })
  const here = traced({
    agents: [
      {
        id: 'asker',
        model: calling('there__helper', { prompt: 'Help.' }),
        tools: [...mcp.tools],
        mandate: { grant: ['there__*'] },
      },
    ],
  })
  const result = await here.run('asker', 'Go.')
  expect(result.actions[0]?.output).toContain('Helped.')
  const call = await named('execute_tool there__helper')
  const run = await named('invoke_agent helper')
  expect([run.traceId, run.parentSpanId]).toEqual([call.traceId, call.spanId])
  await here.stop()
  await mcp.close()
  await server.close()
  await there.stop()
})

it('a run that is started over HTTP is below the trace of the request; what is no trace is ignored', async () => {
  const service = traced({ agents: [{ id: 'asked', model: scripted(() => 'Done.') }] })
  const server = httpServer(service, { tokens: [{ token, identity: owner }] })
  const start = async (traceparent: string): Promise<SentSpan> => {
    const before = spans.length
    const headers = {
      host: '127.0.0.1',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      traceparent,
    }
    const body = JSON.stringify({ agent: 'asked', prompt: 'Go.' })
    const answer = await server.fetch(
      new Request('http://127.0.0.1/api/runs?wait=10', { method: 'POST', headers, body }),
    )
    expect(answer.status).toBeLessThan(300)
    expect(spans.length).toBeGreaterThanOrEqual(before)
    return named('invoke_agent asked')
  }
  const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  expect(await start(`00-${trace}-${span}-01`)).toMatchObject({ traceId: trace, parentSpanId: span })
  for (const odd of ['', 'x', `00-${'0'.repeat(32)}-${span}-01`]) {
    const run = await start(odd)
    expect([run.traceId === trace, run.parentSpanId ?? '']).toEqual([false, ''])
  }
  await server.close()
  await service.stop()
})
