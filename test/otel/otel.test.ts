import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { SpanStatusCode, context, trace } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { describe, expect, it } from 'vitest'
import { AgentService, defineTool } from 'mandate'
import type { ServiceOptions } from 'mandate'
import { scripted } from 'mandate/model'
import { openTelemetry } from 'mandate/otel'

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  risk: 'read',
  inputSchema: { type: 'object', properties: { at: { type: 'string' } } },
  run: () => 'seen: secret-of-the-result',
})
const call = (name: string) => ({ toolCalls: [{ name, input: { at: 'argument-of-the-call' } }] })

/** A service whose spans and metrics end in memory. */
function observed(options: ServiceOptions, content?: boolean) {
  const exporter = new InMemorySpanExporter()
  const started: ReadableSpan[] = []
  const noting = {
    onStart: (span: ReadableSpan) => void started.push(span),
    onEnd: () => {},
    forceFlush: async () => {},
    shutdown: async () => {},
  }
  const provider = new BasicTracerProvider({ spanProcessors: [noting, new SimpleSpanProcessor(exporter)] })
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 60_000 })
  const meters = new MeterProvider({ readers: [reader] })
  const tracer = provider.getTracer('test')
  const sink = openTelemetry({ tracer, meter: meters.getMeter('test'), content })
  const service = new AgentService({ ...options, sinks: [sink] })
  const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans()
  const metrics = async () => {
    await meters.forceFlush()
    return metricExporter.getMetrics().flatMap((one) => one.scopeMetrics.flatMap((scope) => scope.metrics))
  }
  return { service, spans, begun: () => started, metrics, tracer }
}

const names = (spans: readonly ReadableSpan[]): string[] => spans.map(({ name }) => name)
const named = (spans: readonly ReadableSpan[], name: string): ReadableSpan => spans.find((span) => span.name === name)!

describe('spans', () => {
  it('a run is a span, and what it does are spans below it, with the names of the conventions', async () => {
    const { service, spans } = observed({
      agents: [{ id: 'guide', model: scripted([call('look'), 'There.']), tools: [look] }],
    })
    const result = await service.run('guide', 'Look.', { sessionId: 's1' })
    await service.stop()
    expect(names(spans())).toEqual([
      'chat scripted/model',
      'execute_tool look',
      'chat scripted/model',
      'invoke_agent guide',
    ])
    const run = named(spans(), 'invoke_agent guide')
    expect(run.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': 'guide',
      'gen_ai.conversation.id': 's1',
      'mandate.run.id': result.id,
      'mandate.run.state': 'completed',
    })
    for (const span of spans().slice(0, 3)) expect(span.parentSpanContext?.spanId).toBe(run.spanContext().spanId)
    expect(spans()[0]!.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'scripted',
      'gen_ai.request.model': 'scripted/model',
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
    })
    expect(spans()[1]!.attributes).toMatchObject({ 'gen_ai.tool.name': 'look', 'mandate.decision.verdict': 'allow' })
  })

  it('what a provider did not report is marked as estimated, in spans and in metrics', async () => {
    const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }
    const silent = observed({ agents: [{ id: 'guide', model: scripted([{ text: 'There.', usage }]) }] })
    await silent.service.run('guide', 'Look.')
    const marks = silent.spans().map(({ name, attributes }) => [name, attributes['mandate.usage.estimated']])
    expect(marks).toEqual([
      ['chat scripted/model', true],
      ['invoke_agent guide', true],
    ])
    const tokens = (await silent.metrics()).find(({ descriptor }) => descriptor.name === 'gen_ai.client.token.usage')
    expect(tokens?.dataPoints.map(({ attributes }) => attributes['mandate.usage.estimated'])).toEqual([true, true])
    const told = observed({ agents: [{ id: 'guide', model: scripted(['There.']) }] })
    await told.service.run('guide', 'Look.')
    for (const { attributes } of told.spans()) expect(attributes).not.toHaveProperty('mandate.usage.estimated')
  })

  it('content stays out unless it is asked for', async () => {
    let attempts = 0
    const broken = defineTool({
      ...look,
      name: 'broken',
      idempotent: true,
      retry: { attempts: 2, backoffMs: 0 },
      run: ({ at }: { at: string }) => Promise.reject(new Error(`${++attempts}: no ${at}`)),
    } as never)
    const tools = [look, broken]
    const agents = () => [{ id: 'guide', model: scripted([call('look'), call('broken'), 'There.']), tools }]
    const quiet = observed({ agents: agents() })
    await quiet.service.run('guide', 'words-of-the-user')
    const text = JSON.stringify(quiet.spans().map(({ attributes, events, status }) => [attributes, events, status]))
    expect(attempts).toBe(2)
    for (const word of ['argument-of-the-call', 'secret-of-the-result', 'words-of-the-user', 'There.'])
      expect(text).not.toContain(word)
    const open = observed({ agents: agents() }, true)
    await open.service.run('guide', 'Look.')
    expect(named(open.spans(), 'execute_tool look').attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"at":"argument-of-the-call"}',
      'gen_ai.tool.call.result': '"seen: secret-of-the-result"',
    })
    expect(named(open.spans(), 'execute_tool broken').status.message).toContain('no argument-of-the-call')
  })

  it('a child run is below the call that started it, in one trace', async () => {
    const { service, spans } = observed({
      agents: [
        {
          id: 'lead',
          model: scripted([{ toolCalls: [{ name: 'helper', input: { prompt: 'Go.' } }] }, 'Done.']),
          agents: ['helper'],
        },
        { id: 'helper', model: scripted(['Helped.'], { name: 'small' }) },
      ],
    })
    await service.run('lead', 'Go.')
    const child = spans().find(
      ({ name, attributes }) => name === 'invoke_agent helper' && 'mandate.run.id' in attributes,
    )!
    const effect = spans().find(
      ({ name, attributes }) => name === 'invoke_agent helper' && 'mandate.effect.key' in attributes,
    )!
    expect(child.parentSpanContext?.spanId).toBe(effect.spanContext().spanId)
    expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1)
  })

  it('a run is below what the host was doing when it started it', async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    try {
      const { service, spans, tracer } = observed({ agents: [{ id: 'guide', model: scripted(['Hello.']) }] })
      const request = tracer.startSpan('POST /ask')
      await context.with(trace.setSpan(context.active(), request), async () => service.run('guide', 'Hi.'))
      request.end()
      expect(named(spans(), 'invoke_agent guide').parentSpanContext?.spanId).toBe(request.spanContext().spanId)
    } finally {
      context.disable()
    }
  })

  it('a failure is an error with its code, and a refusal an event with its rule', async () => {
    const broken = defineTool({ ...look, name: 'broken', run: () => Promise.reject(new Error('It broke.')) } as never)
    const { service, spans } = observed({
      agents: [
        {
          id: 'guide',
          model: scripted([call('broken'), call('wipe'), 'Sorry.']),
          tools: [look, broken],
          mandate: { deny: ['wipe'] },
        },
      ],
    })
    await service.run('guide', 'Go.')
    const failed = named(spans(), 'execute_tool broken')
    expect(failed.status.code).toBe(SpanStatusCode.ERROR)
    expect(failed.attributes).toMatchObject({ 'error.type': 'TOOL_FAILED', 'mandate.effect.outcome': 'failed' })
    expect(named(spans(), 'invoke_agent guide').events).toMatchObject([
      { name: 'denied', attributes: { 'mandate.decision.rule': expect.stringContaining('allowlist') } },
    ])
  })

  it('a run that waits ends its span as suspended, and gets another one when it goes on', async () => {
    const asking = defineTool({ ...look, name: 'wipe', needsApproval: true } as never)
    const { service, spans } = observed({
      agents: [{ id: 'guide', model: scripted([call('wipe'), 'Done.']), tools: [asking] }],
    })
    const waiting = await service.run('guide', 'Go.')
    expect(named(spans(), 'invoke_agent guide').attributes).toMatchObject({ 'mandate.run.state': 'suspended' })
    await service.approve((await service.approvals())[0]!.id)
    await service.resume(waiting.id)
    const [before, after] = spans().filter(({ name }) => name === 'invoke_agent guide')
    expect([before, after].map((span) => span!.attributes['mandate.run.state'])).toEqual(['suspended', 'completed'])
    expect(after!.links.map((link) => link.context.spanId)).toEqual([before!.spanContext().spanId])
  })

  it('every span that was begun is ended, below one that is there: with sub-agents, retries, failures and a run that is cancelled', async () => {
    let calls = 0
    const flaky = defineTool({
      ...look,
      name: 'flaky',
      idempotent: true,
      retry: { attempts: 2, backoffMs: 0 },
      run: () => {
        if (++calls === 1) throw new Error('once')
        return 'ok'
      },
    })
    const slow = defineTool({
      ...look,
      name: 'slow',
      run: (_input: unknown, { signal }: { readonly signal: AbortSignal }) =>
        new Promise((_ok, fail) => signal.addEventListener('abort', () => fail(new Error('cut')))),
    })
    const { service, spans, begun } = observed({
      agents: [
        {
          id: 'lead',
          model: scripted([call('helper'), { error: 'busy', retriable: true }, 'Done.']),
          agents: ['helper'],
        },
        { id: 'helper', model: scripted([call('flaky'), call('slow'), 'Helped.']), tools: [flaky, slow] },
      ],
    })
    const run = service.run('lead', 'Go.')
    await expect.poll(() => begun().some(({ name }) => name === 'execute_tool slow')).toBe(true)
    await service.cancel(run.id, 'Enough.')
    await run
    expect(begun().filter(({ ended }) => !ended)).toEqual([])
    const ids = new Set(spans().map((span) => span.spanContext().spanId))
    const roots = spans().filter(({ parentSpanContext }) => parentSpanContext === undefined)
    expect(names(roots)).toEqual(['invoke_agent lead'])
    expect(spans().filter((span) => !roots.includes(span) && !ids.has(span.parentSpanContext!.spanId))).toEqual([])
    expect(named(spans(), 'execute_tool flaky').events.map(({ name }) => name)).toEqual(['retry'])
    expect(named(spans(), 'execute_tool slow').attributes).toMatchObject({ 'mandate.effect.outcome': 'cancelled' })
  })

  it('options that are not known are refused with the nearest', () => {
    expect(() => openTelemetry({ contents: true } as never)).toThrow(/content/)
    expect(() => openTelemetry({ content: 'yes' } as never)).toThrow(/true or false/)
  })
})

describe('metrics', () => {
  it('model calls are measured as the conventions say, and effects, runs and approvals are counted', async () => {
    const { service, metrics } = observed({
      agents: [{ id: 'guide', model: scripted([call('look'), 'There.']), tools: [look] }],
    })
    await service.run('guide', 'Look.')
    const found = await metrics()
    const by = (name: string) => found.find(({ descriptor }) => descriptor.name === name)!
    expect(by('gen_ai.client.operation.duration').dataPoints[0]!.value).toMatchObject({ count: 2 })
    const tokens = by('gen_ai.client.token.usage').dataPoints.map(({ attributes }) => attributes['gen_ai.token.type'])
    expect(tokens.toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual(['input', 'output'])
    expect(by('gen_ai.client.operation.time_to_first_chunk').dataPoints[0]!.value).toMatchObject({ count: 1 })
    expect(by('mandate.runs').dataPoints[0]).toMatchObject({
      value: 1,
      attributes: { 'mandate.run.state': 'completed' },
    })
    const tools = by('mandate.effects').dataPoints.find(({ attributes }) => attributes['gen_ai.tool.name'] === 'look')
    expect(tools).toMatchObject({ value: 1, attributes: { 'mandate.effect.outcome': 'ok' } })
  })
})
