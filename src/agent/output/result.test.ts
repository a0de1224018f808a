import { describe, expect, it } from 'vitest'
import { readAll } from '../../journal/index.ts'
import { inMemory } from '../../memory/index.ts'
import { DEFAULT_PRICES, withPrices } from '../../model/index.ts'
import type { Model } from '../../model/index.ts'
import { calls, cutAfter, hanging, host, linesOf, model, reported, tool } from '../agent.fixture.ts'
import { resultJson } from './result.ts'
import { RunView } from './run-view.ts'
import type { AgentResult } from './result-types.ts'

const usage = { inputTokens: 100, outputTokens: 20 }
const script = [
  { text: 'I look.', toolCalls: [{ name: 'look', input: { at: 'sky' } }], usage },
  { text: 'It is blue.', usage },
]

describe('the result of a run', () => {
  it('has every field, folded from the journal', async () => {
    const service = host({ model: model(script), tools: [tool('look', () => 'blue')], memoryClient: inMemory() })
    const result = await service.run('main', 'What colour is the sky?', { runId: 'r1', sessionId: 's1' })
    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const call = {
      provider: 'scripted',
      model: 'scripted/model',
      startedAt: iso,
      finishedAt: iso,
      tokenUsage: { ...usage, totalTokens: 120 },
      costEstimate: 0,
    }
    expect(result).toEqual({
      id: 'r1',
      sessionId: 's1',
      status: 'completed',
      phase: 'completed',
      result: 'It is blue.',
      text: 'I look.\nIt is blue.',
      lastText: 'It is blue.',
      messages: [
        expect.objectContaining({ role: 'assistant' }),
        expect.objectContaining({ role: 'tool' }),
        { role: 'assistant', content: [expect.objectContaining({ text: 'It is blue.' })] },
      ],
      usage: { inputTokens: 200, outputTokens: 40, totalTokens: 240 },
      cost: 0,
      steps: 2,
      actions: [
        {
          id: 'turn:1/tool:1',
          toolId: 'look',
          input: { at: 'sky' },
          output: 'blue',
          ok: true,
          status: 'ok',
          performed: true,
          startedAt: iso,
          finishedAt: iso,
          durationMs: expect.any(Number),
        },
      ],
      startedAt: iso,
      finishedAt: iso,
      pending: [],
    })
    expect(result.report()).toEqual({
      toolsUsed: ['look'],
      modelCalls: [
        {
          id: 'turn:1/model',
          promptRef: expect.stringMatching(/^journal:r1#\d+$/),
          finishReason: 'tool-calls',
          ...call,
        },
        { id: 'turn:2/model', promptRef: expect.stringMatching(/^journal:r1#\d+$/), finishReason: 'stop', ...call },
      ],
      memoryDeltas: [{ key: 's1', op: 'append', after: expect.objectContaining({ text: 'I look.\nIt is blue.' }) }],
      provenance: {
        models: ['scripted/model'],
        seed: expect.stringMatching(/^[0-9a-f]{16}$/),
        pins: expect.objectContaining({ mind: expect.objectContaining({ maxTurns: 20 }) }),
        head: { seq: expect.any(Number), hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
      diagnostics: { warnings: [], traces: [] },
      metrics: {
        durationMs: expect.any(Number),
        toolLatencyMs: { look: expect.any(Number) },
        toolCalls: { look: 1 },
        toolErrors: {},
        modelLatencyMs: expect.any(Number),
      },
      retryInfo: { attempts: 0 },
      deterministic: false,
      toolResults: 'shown',
      eventStream: 'journal:r1',
      attachments: {},
    })
    expect(result.report()).toBe(result.report())
    const entries = await readAll(service.journal, 'r1')
    const { promptRef, id } = result.report().modelCalls[1]!
    expect(entries[Number(promptRef.split('#')[1]) - 1]).toMatchObject({ type: 'effect-start', key: id })
    expect(result.report().provenance.head).toEqual({ seq: entries.at(-1)!.seq, hash: entries.at(-1)!.hash })
  })

  it('is frozen all the way down, and changing it cannot reach the journal', async () => {
    const service = host({ model: model(script), tools: [tool('look', () => ({ deep: { colour: 'blue' } }))] })
    const result = await service.run('main', 'Go.')
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen))
    expect([frozen(result), frozen(result.report())]).toEqual([true, true])
    expect(() => Object.assign(result.actions[0]!.output as object, { deep: 'red' })).toThrow(TypeError)
    expect(await service.verify(result.id)).toMatchObject({ ok: true })
  })

  it('is the same from another service, from the journal alone, and after it went over a wire', async () => {
    const first = host({ model: model(script), tools: [tool('look')] })
    const result = await first.run('main', 'Go.')
    const other = host({ model: model([]), tools: [] }, { journal: first.journal })
    expect(await other.result(result.id)).toEqual(result)
    expect(await other.resume(result.id)).toEqual(result)
    expect(RunView.of(await readAll(first.journal, result.id)).result()).toEqual(result)
    expect(resultJson(result)).toEqual(JSON.parse(JSON.stringify(result)))
  })

  it('comes to the same after a crash and a resume in another service, but for times and retries', async () => {
    const build = () => ({
      model: model(script),
      tools: [tool('look', () => 'blue', { idempotent: true })],
      memoryClient: inMemory(),
    })
    const first = host(build())
    const whole = await first.run('main', 'Go.', { runId: 'r1', sessionId: 's1' })
    const count = (await linesOf(first.journal, 'r1')).indexOf('effect-end turn:1/tool:1') + 1
    const resumed = await host(build(), { journal: await cutAfter(first.journal, 'r1', count) }).resume('r1')
    const comparable = (result: AgentResult) => {
      const { startedAt: _s, finishedAt: _f, actions, ...rest } = result
      const { metrics: _m, provenance, modelCalls, memoryDeltas, ...more } = result.report()
      return {
        ...rest,
        ...more,
        models: provenance.models,
        seed: provenance.seed,
        pins: provenance.pins,
        actions: actions.map(({ id, toolId, input, output }) => ({ id, toolId, input, output })),
        modelCalls: modelCalls.map(({ id, tokenUsage }) => ({ id, tokenUsage })),
        memoryKeys: memoryDeltas.map(({ key, op }) => ({ key, op })),
      }
    }
    expect(comparable(resumed)).toEqual(comparable(whole))
  })

  it('estimates the cost where prices are known, and is silent where one is not', async () => {
    const priced = (id: string): Model => ({ ...model(script), id })
    const prices = withPrices(DEFAULT_PRICES, '2026-01-01', {
      'acme/smart': { inputPerMillion: 10, outputPerMillion: 50 },
    })
    const known = await host({ model: priced('acme/smart'), tools: [tool('look')] }, { prices }).run('main', 'Go.')
    expect(known.cost).toBeCloseTo((200 * 10 + 40 * 50) / 1e6, 10)
    expect(known.report().modelCalls[0]!.costEstimate).toBeCloseTo((100 * 10 + 20 * 50) / 1e6, 10)
    const unknown = await host({ model: priced('acme/new'), tools: [tool('look')] }, { prices }).run('main', 'Go.')
    expect(unknown).not.toHaveProperty('cost')
    const child = { id: 'child', model: priced('acme/new'), tools: [tool('look')] }
    const parent = host(
      {
        model: { ...model([calls({ name: 'child', input: { prompt: 'x' } }), 'Done.']), id: 'acme/smart' },
        agents: ['child'],
      },
      { prices, others: [child] },
    )
    expect(await parent.run('main', 'Go.')).not.toHaveProperty('cost')
  })

  it.each([
    ['completed', 'completed'],
    ['max_turns', 'failed'],
    ['max_tokens', 'failed'],
    ['failed', 'failed'],
    ['cancelled', 'failed'],
    ['await_user', 'await_user'],
  ] as const)('with the status %s has the phase %s', async (status, phase) => {
    const send = tool('send', () => 'sent', { risk: 'destructive' })
    const minds: Record<typeof status, Model> = {
      completed: model(['Done.']),
      max_turns: model([calls('look')]),
      max_tokens: model([{ text: 'Cut', finishReason: 'length' }]),
      failed: model([{ error: 'down' }]),
      cancelled: hanging(),
      await_user: model([calls('send')]),
    }
    const signal = status === 'cancelled' ? AbortSignal.abort() : undefined
    const result = await host({ model: minds[status], tools: [send, tool('look')], maxTurns: 1 }).run('main', 'Go.', {
      signal,
    })
    expect(result).toMatchObject({ status, phase })
    expect(result.error === undefined).toBe(status === 'completed' || status === 'await_user')
    expect(result.suspendReason).toBe(status === 'await_user' ? 'approval' : undefined)
  })

  it('tells the seed it was given, as a number, only when a person gave one', async () => {
    const seeded = (seed: string | number) =>
      host({ model: model(['Done.']) }, { deterministic: { seed } }).run('main', 'Go.')
    expect(reported(await seeded(42))).toMatchObject({ seed: 42, deterministic: true, provenance: { seed: '42' } })
    const named = await seeded('a word')
    expect(reported(named)).toMatchObject({ deterministic: true, provenance: { seed: 'a word' } })
    expect(named).not.toHaveProperty('seed')
    expect(await host({ model: model(['Done.']) }).run('main', 'Go.')).not.toHaveProperty('seed')
  })

  it('warns of what was cut, changed, denied, or said by the provider', async () => {
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    const tools = [
      tool('big', () => 'x'.repeat(5_000), { maxResultBytes: 1_000 }),
      tool('odd', () => cyclic),
      tool('no'),
    ]
    const service = host({
      model: model([{ ...calls('big', 'odd', 'no'), warnings: ['a setting was ignored'] }, 'Done.']),
      tools,
      mandate: { deny: ['no'] },
    })
    const { diagnostics } = (await service.run('main', 'Go.')).report()
    expect(diagnostics.warnings.toSorted()).toEqual([
      'turn:1/model: a setting was ignored',
      'turn:1/tool:1: the result was cut to its size limit',
      expect.stringMatching(/^turn:1\/tool:2: .*cycle/),
      expect.stringMatching(/^turn:1\/tool:3: denied/),
    ])
  })

  it('warns that a value of the prompt was redacted, so that nothing of the run can use it', async () => {
    const service = host({ model: model(['Done.', 'Done.']) })
    const warned = (await service.run('main', 'The password: "1j1l-2k3j"')).report().diagnostics.warnings
    expect(warned).toEqual([expect.stringMatching(/^The input holds \[secret:password\] in place of .*`vault`/u)])
    expect((await service.run('main', 'Nothing to hide.')).report().diagnostics.warnings).toEqual([])
  })

  it('has files that the model made as attachments', async () => {
    const painter: Model = {
      id: 'test/painter',
      provider: 'test',
      modelId: 'painter',
      async *stream() {
        yield { type: 'file', mediaType: 'image/png', data: 'AAAA' }
        yield { type: 'file', mediaType: 'text/csv', url: 'https://example.test/t.csv' }
        yield { type: 'finish', reason: 'stop' }
      },
    }
    const { attachments } = (await host({ model: painter }).run('main', 'Paint.')).report()
    expect(attachments).toEqual({ 'image-1': 'data:image/png;base64,AAAA', 'file-2': 'https://example.test/t.csv' })
  })

  it('of a run that has not ended says so, instead of pretending to wait for a person', async () => {
    const service = host({ model: model(script), tools: [tool('look')] })
    const whole = await service.run('main', 'Go.')
    const cut = host({ model: model(script) }, { journal: await cutAfter(service.journal, whole.id, 4) })
    const result = await cut.result(whole.id)
    expect(result.error).toBeUndefined()
    expect(result).toMatchObject({
      status: 'await_user',
      suspendReason: 'interrupt',
      pending: [],
      steps: 1,
      text: 'I look.',
    })
    await expect(cut.result('nowhere')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(cut.messages('nowhere')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
