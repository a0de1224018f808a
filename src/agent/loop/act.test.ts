import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { MandateError } from '../../core/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import { checkTranscript } from '../../model/index.ts'
import {
  calls,
  cutAfter,
  entriesOf,
  gate,
  host,
  lastResults,
  linesOf,
  model,
  reported,
  tool,
} from '../agent.fixture.ts'

describe('tool calls of one turn', () => {
  it('really overlap, and their results stand in the order of the calls', async () => {
    const both = gate()
    let running = 0
    const slow = (name: string) => async () => {
      running += 1
      if (running === 2) both.open()
      // Neither can end before both have begun.
      await both.promise
      return name
    }
    const mind = model([calls('first', 'second'), 'Done.'])
    const result = await host({ model: mind, tools: [tool('first', slow('1')), tool('second', slow('2'))] }).run(
      'main',
      'Go.',
    )
    expect(result.status).toBe('completed')
    expect(lastResults(mind.requests[1]!).map(({ value }) => value)).toEqual(['1', '2'])
  })

  it('keep the order of the calls when they end in another', async () => {
    const second = gate()
    const tools = [
      tool('first', async () => (await second.promise, 'slow')),
      tool('second', () => (second.open(), 'quick')),
    ]
    const mind = model([calls('first', 'second'), 'Done.'])
    const service = host({ model: mind, tools })
    const result = await service.run('main', 'Go.')
    expect(lastResults(mind.requests[1]!).map(({ value }) => value)).toEqual(['slow', 'quick'])
    expect(result.report().toolsUsed.toSorted()).toEqual(['first', 'second'])
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('are at most as many at once as the limit says', async () => {
    let running = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 1))
      running -= 1
    }
    const service = host({
      model: model([calls(...Array.from({ length: 20 }, () => 'work')), 'Done.']),
      tools: [tool('work', work)],
    })
    expect((await service.run('main', 'Go.')).actions).toHaveLength(20)
    expect(most).toBe(8)
  })

  it('go back to the model when their arguments are not JSON, when nobody knows the tool, when the schema does not fit', async () => {
    const schema = z.object({ city: z.string() })
    const broken = { toolCalls: [{ name: 'weather', rawInput: '{"city": ' }] }
    const mind = model([
      broken,
      calls('wether'),
      calls({ name: 'weather', input: { city: 7 } }),
      calls({ name: 'weather', input: { city: 'Bern' } }),
      'Done.',
    ])
    const result = await host({ model: mind, tools: [tool('weather', () => 'rain', { inputSchema: schema })] }).run(
      'main',
      'Go.',
    )
    const [, afterBroken, afterUnknown, afterSchema, afterGood] = mind.requests
    expect(lastResults(afterBroken!)).toMatchObject([
      { status: 'error', value: expect.stringContaining('not valid JSON: {"city": ') },
    ])
    expect(lastResults(afterUnknown!)).toMatchObject([
      { status: 'denied', value: expect.stringContaining('Did you mean "weather"?') },
    ])
    expect(lastResults(afterSchema!)).toMatchObject([{ status: 'denied', value: expect.stringContaining('city') }])
    expect(lastResults(afterGood!)).toEqual([{ status: 'ok', value: 'rain' }])
    expect(reported(result)).toMatchObject({ status: 'completed', toolsUsed: ['weather'] })
  })

  it('that throw are results, and the loop goes on', async () => {
    const mind = model([calls('break'), 'I see.'])
    const result = await host({
      model: mind,
      tools: [tool('break', () => Promise.reject(new Error('no such page')))],
    }).run('main', 'Go.')
    expect(lastResults(mind.requests[1]!)).toEqual([
      { status: 'error', value: expect.stringContaining('no such page') },
    ])
    expect(result.status).toBe('completed')
    expect(result.actions).toMatchObject([
      { toolId: 'break', ok: false, status: 'failed', error: { code: 'TOOL_FAILED' } },
    ])
  })

  it('are tried again where the tool says so, and every attempt is recorded', async () => {
    const attempts: number[] = []
    const flaky = tool(
      'flaky',
      (_, { attempt }) => {
        attempts.push(attempt)
        if (attempt < 3) throw new Error(`busy ${attempt}`)
        return 'ok'
      },
      { retry: { attempts: 3, backoffMs: 1 } },
    )
    const service = host({ model: model([calls('flaky'), 'Done.']), tools: [flaky] })
    const result = await service.run('main', 'Go.')
    expect(attempts).toEqual([1, 2, 3])
    expect(result.report().retryInfo).toEqual({ attempts: 2, lastError: 'busy 2' })
    expect(result.report().diagnostics.traces).toEqual([
      'turn:1/tool:1: attempt 2 after: busy 1',
      'turn:1/tool:1: attempt 3 after: busy 2',
    ])
    expect(await entriesOf(service.journal, result.id, 'effect-retry')).toHaveLength(2)
  })

  it('are not tried again when the tool says that this error will not pass', async () => {
    let attempts = 0
    const strict = tool(
      'strict',
      () => {
        attempts += 1
        throw new Error('forbidden')
      },
      { retry: { attempts: 5, backoffMs: 1, retriable: (error) => !(error as Error).message.includes('forbidden') } },
    )
    await host({ model: model([calls('strict'), 'Done.']), tools: [strict] }).run('main', 'Go.')
    expect(attempts).toBe(1)
  })

  it('end the run when the tool calls the failure fatal, with every call answered', async () => {
    const tools = [
      tool('bomb', () => Promise.reject(new Error('no licence')), { fatal: true }),
      tool('other', () => 'fine'),
    ]
    const service = host({ model: model([calls('other', 'bomb'), 'Never said.']), tools })
    const result = await service.run('main', 'Go.')
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'TOOL_FATAL', message: expect.stringContaining('no licence') },
    })
    const messages = await service.messages(result.id)
    expect(checkTranscript(messages)).toEqual([])
    expect(messages.at(-1)!.content).toMatchObject([{ status: 'ok', value: 'fine' }, { status: 'error' }])
  })

  it('that are denied tell the model by which rule, and leave the others alone', async () => {
    const mind = model([calls('read', 'wipe'), 'Done.'])
    const service = host({ model: mind, tools: [tool('read'), tool('wipe')], mandate: { deny: ['wipe'] } })
    const result = await service.run('main', 'Go.')
    expect(lastResults(mind.requests[1]!)).toMatchObject([
      { status: 'ok' },
      { status: 'denied', value: expect.stringContaining('deny list') },
    ])
    expect(result.report().toolsUsed).toEqual(['read'])
    expect(result.report().diagnostics.warnings).toEqual([expect.stringContaining('turn:1/tool:2: denied')])
  })

  it('that would pass a limit end the run, with every call answered', async () => {
    const service = host({
      model: model([calls('a', 'a', 'a'), 'Never.']),
      tools: [tool('a')],
      budget: { toolCalls: 2 },
    })
    const result = await service.run('main', 'Go.')
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('toolCalls') },
    })
    expect(result.actions.filter(({ performed }) => performed)).toHaveLength(2)
    expect(checkTranscript(await service.messages(result.id))).toEqual([])
  })

  it('know the conversation, the agent and the run they belong to', async () => {
    const seen: unknown[] = []
    const spy = tool('spy', (_, { conversation, agent, requestId, runId, sessionId, toolCallId, metadata }) => {
      seen.push({
        roles: (conversation as { role: string }[]).map(({ role }) => role),
        agent,
        requestId,
        runId,
        sessionId,
        toolCallId,
        metadata,
      })
    })
    const service = host({
      name: 'The Spy',
      model: model([calls('spy'), 'Done.']),
      tools: [spy],
      metadata: { team: 'blue' },
    })
    const result = await service.run('main', 'Go.', { sessionId: 's1' })
    expect(seen).toEqual([
      {
        roles: ['user', 'assistant'],
        agent: { id: 'main', name: 'The Spy' },
        requestId: result.id,
        runId: result.id,
        sessionId: 's1',
        toolCallId: 'call_1_1',
        metadata: { team: 'blue' },
      },
    ])
  })

  it('are not repeated by a resume, wherever the process died', async () => {
    const script = [calls('once', 'once'), { text: 'Half.', ...calls('once') }, 'Done.']
    let performed = 0
    const once = tool('once', () => ++performed, { idempotent: true })
    const first = host({ model: model(script), tools: [once] }, { journal: memoryJournal() })
    const whole = await first.run('main', 'Go.')
    const lines = await linesOf(first.journal, whole.id)
    for (let count = 1; count < lines.length; count++) {
      const journal = await cutAfter(first.journal, whole.id, count)
      const ended = (await entriesOf(journal, whole.id, 'effect-end')).filter(({ key }) => key!.includes('tool')).length
      performed = 0
      const mind = model(script)
      const resumed = await host({ model: mind, tools: [once] }, { journal }).resume(whole.id)
      expect({ count, status: resumed.status, text: resumed.text }).toEqual({
        count,
        status: 'completed',
        text: 'Half.\nDone.',
      })
      expect({ count, performed }).toEqual({ count, performed: 3 - ended })
    }
  })
})

describe('the same call, over and over', () => {
  const failing = tool('fetch', () => Promise.reject(new Error('404')))

  it('is nudged at the second failure and stopped at the third', async () => {
    const mind = model([calls('fetch'), calls('fetch'), calls('fetch'), 'Never.'])
    const service = host({ model: mind, tools: [failing] })
    const result = await service.run('main', 'Go.')
    expect(result).toMatchObject({
      status: 'failed',
      steps: 3,
      error: { code: 'NO_PROGRESS', message: expect.stringContaining('404') },
    })
    expect(lastResults(mind.requests[1]!)[0]!.value).not.toContain('Do not repeat it')
    expect(lastResults(mind.requests[2]!)[0]!.value).toContain('Do not repeat it')
    expect(mind.requests).toHaveLength(3)
    expect(checkTranscript(await service.messages(result.id))).toEqual([])
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('resets after a success in between', async () => {
    const outcomes = [false, false, true, false, false, true]
    const flaky = tool('fetch', () => (outcomes.shift() === true ? 'page' : Promise.reject(new Error('404'))))
    const mind = model([...Array.from({ length: 6 }, () => calls('fetch')), 'Done.'])
    expect(await host({ model: mind, tools: [flaky] }).run('main', 'Go.')).toMatchObject({
      status: 'completed',
      steps: 7,
    })
  })

  it('is another call when its input is another', async () => {
    const mind = model([...[1, 2, 3, 4].map((n) => calls({ name: 'fetch', input: { n } })), 'I give up.'])
    expect(await host({ model: mind, tools: [failing] }).run('main', 'Go.')).toMatchObject({
      status: 'completed',
      steps: 5,
    })
  })

  it('counts once per turn, because the model has not seen the failure yet', async () => {
    const mind = model([calls('fetch', 'fetch', 'fetch'), 'I give up.'])
    expect(await host({ model: mind, tools: [failing] }).run('main', 'Go.')).toMatchObject({ status: 'completed' })
  })

  it('is another call when what is no JSON is other text', async () => {
    const broken = ['{', '{"a":', '{"a":1,'].map((rawInput) => ({ toolCalls: [{ name: 'fetch', rawInput }] }))
    const result = await host({ model: model([...broken, 'I give up.']), tools: [failing] }).run('main', 'Go.')
    expect(result).toMatchObject({ status: 'completed', steps: 4 })
  })

  it('also ends when it is denied, unknown or no JSON each time', async () => {
    const invalid = { toolCalls: [{ name: 'fetch', rawInput: '{' }] }
    for (const reply of [calls('forbidden'), calls('unknown'), invalid]) {
      const service = host({
        model: model([reply, reply, reply, 'Never.']),
        tools: [failing, tool('forbidden')],
        mandate: { deny: ['forbidden'] },
      })
      expect(await service.run('main', 'Go.')).toMatchObject({ status: 'failed', error: { code: 'NO_PROGRESS' } })
    }
  })

  it('counts over a crash', async () => {
    const script = [calls('fetch'), calls('fetch'), calls('fetch'), 'Never.']
    const first = host({ model: model(script), tools: [failing] })
    const whole = await first.run('main', 'Go.')
    const half = (await linesOf(first.journal, whole.id)).indexOf('effect-start turn:3/model')
    const resumed = await host(
      { model: model(script), tools: [failing] },
      { journal: await cutAfter(first.journal, whole.id, half) },
    ).resume(whole.id)
    expect(resumed).toMatchObject({ status: 'failed', error: { code: 'NO_PROGRESS' } })
  })
})

describe('an executor of the host', () => {
  it('carries tool steps out in its own way, through the same gate, and its outcome is journaled', async () => {
    let executed = 0
    const executor = {
      async execute(
        { toolId, input }: { toolId?: string | undefined; input?: unknown },
        { perform }: { perform: (effect: never) => Promise<unknown> },
      ) {
        executed += 1
        const outcome = (await perform({ kind: 'tool', name: toolId, input } as never)) as { value: unknown }
        return { wrapped: outcome.value }
      },
    }
    const mind = model([calls('look'), 'Done.'])
    const service = host({ model: mind, tools: [tool('look', () => 'seen')], executor })
    const result = await service.run('main', 'Go.')
    expect(lastResults(mind.requests[1]!)).toEqual([{ status: 'ok', value: { wrapped: 'seen' } }])
    expect(result.actions).toMatchObject([{ id: 'turn:1/tool:1/tool', toolId: 'look' }])
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
    expect(executed).toBe(1)
  })

  it.each([
    [
      { ok: true, output: 7 },
      { status: 'ok', value: 7 },
    ],
    [
      { ok: false, error: { message: 'no' } },
      { status: 'error', value: 'failed (TOOL_FAILED): no' },
    ],
    [
      { ok: false, output: 'nope' },
      { status: 'error', value: 'failed (TOOL_FAILED): nope' },
    ],
    [undefined, { status: 'ok', value: null }],
  ])('that gives %j says %j', async (given, shown) => {
    const mind = model([calls('look'), 'Done.'])
    await host({ model: mind, tools: [tool('look')], executor: { execute: () => given } }).run('main', 'Go.')
    expect(lastResults(mind.requests[1]!)).toEqual([shown])
  })

  it('that gives more than fits gives what fits', async () => {
    const mind = model([calls('look'), 'Done.'])
    const executor = { execute: () => ({ body: 'x'.repeat(1_000_000) }) }
    await host({ model: mind, tools: [tool('look')], executor }).run('main', 'Go.')
    expect(JSON.stringify(lastResults(mind.requests[1]!)).length).toBeLessThan(300_000)
  })

  it('that throws is a failed call, not a failed run', async () => {
    const mind = model([calls('look'), 'Done.'])
    const executor = { execute: () => Promise.reject(new MandateError('INTERNAL', 'broken')) }
    expect(await host({ model: mind, tools: [tool('look')], executor }).run('main', 'Go.')).toMatchObject({
      status: 'completed',
    })
    expect(lastResults(mind.requests[1]!)).toMatchObject([
      { status: 'error', value: expect.stringContaining('broken') },
    ])
  })
})
