import { describe, expect, it } from 'vitest'
import type { Model } from '../model/index.ts'
import { calls, host, lastResults, linesOf, model, tool } from './agent.fixture.ts'

const MEGABYTE = 1024 * 1024

function raise(what: unknown): never {
  throw what
}

/** Runs one call of a tool; gives what the model was told, and checks that journal and replay stand. */
async function callOnce(given: ReturnType<typeof tool>, options: Parameters<typeof host>[1] = {}) {
  const mind = model([calls(given.name), 'Done.'])
  const service = host({ model: mind, tools: [given] }, options)
  const result = await service.run('main', 'Go.')
  expect(result.status).toBe('completed')
  expect(await service.verify(result.id)).toMatchObject({ ok: true })
  expect(await service.replay(result.id)).toMatchObject({ identical: true })
  return { result, service, told: lastResults(mind.requests[1]!)[0]! }
}

describe('a tool', () => {
  const cycle: Record<string, unknown> = Object.assign(new Error('boom'))
  cycle['self'] = cycle
  const unreadable = Object.defineProperty({}, 'message', { get: () => raise(new Error('no')), enumerable: true })

  it.each([
    ['throws an error', () => raise(new Error('boom')), 'boom'],
    ['throws a text', () => raise('boom'), 'boom'],
    ['throws nothing', () => raise(undefined), 'TOOL_FAILED'],
    ['throws null', () => raise(null), 'TOOL_FAILED'],
    ['throws what cannot be read', () => raise(unreadable), 'TOOL_FAILED'],
    ['throws a cycle', () => raise(cycle), 'boom'],
    ['rejects', () => Promise.reject(new Error('boom')), 'boom'],
    [
      'fails while it streams',
      async function* () {
        yield 1
        raise(new Error('boom'))
      },
      'boom',
    ],
  ])('that %s has failed, and the model is told', async (_what, run, word) => {
    const { told, result } = await callOnce(tool('bad', run))
    expect(told).toMatchObject({ status: 'error', value: expect.stringContaining(word) })
    expect(result.report().metrics.toolErrors).toEqual({ bad: 1 })
  })

  it('that hangs has timed out, and what it gives later is lost on nobody', async () => {
    let late: (value: string) => void = () => {}
    const { told, service, result } = await callOnce(
      tool('slow', () => new Promise((resolve) => (late = resolve)), { timeoutMs: 5 }),
    )
    expect(told).toMatchObject({ status: 'error', value: expect.stringMatching(/TIMEOUT.*5 ms/) })
    const before = await linesOf(service.journal, result.id)
    late('too late')
    await new Promise((resolve) => setImmediate(resolve))
    expect(await linesOf(service.journal, result.id)).toEqual(before)
  })

  it('that gives 8 MB has its result cut, which journal, model and caller see alike', async () => {
    const { told, result } = await callOnce(tool('big', () => ({ status: 200, body: 'x'.repeat(8 * MEGABYTE) })))
    expect(told.value).toMatchObject({ status: 200, body: expect.stringContaining('[cut:') })
    expect(JSON.stringify(told.value).length).toBeLessThanOrEqual(256 * 1024)
    expect(result.actions[0]!.output).toEqual(told.value)
    expect(result.report().diagnostics.warnings).toEqual(['turn:1/tool:1: the result was cut to its size limit'])
  })

  it('that gives a cycle, a function, a bigint, a date or a class gives what of it is data', async () => {
    const cyclic: Record<string, unknown> = {
      n: 1n,
      when: new Date(0),
      run: () => {},
      map: new Map([['a', 1]]),
      nothing: undefined,
    }
    cyclic['self'] = cyclic
    const { told, result } = await callOnce(tool('odd', () => cyclic))
    expect(told).toEqual({
      status: 'ok',
      value: { n: '1', when: '1970-01-01T00:00:00.000Z', map: { a: 1 }, self: '[cycle]' },
    })
    expect(result.report().diagnostics.warnings.length).toBeGreaterThan(0)
  })

  it.each([
    [undefined, null],
    [null, null],
    [0, 0],
    ['', ''],
    [[], []],
    [Number.NaN, null],
  ])('that gives %j tells the model %j', async (value, shown) => {
    expect((await callOnce(tool('plain', () => value))).told).toEqual({ status: 'ok', value: shown })
  })

  it('that gives what throws when it is read has given that much', async () => {
    const hostile = Object.defineProperty({}, 'secret', { get: () => raise(new Error('no')), enumerable: true })
    const { told } = await callOnce(tool('hostile', () => hostile))
    expect(told.status).toBe('ok')
  })

  it('that keeps what it was given and changes it cannot change what was recorded', async () => {
    const mind = model([calls({ name: 'change', input: { list: [1] } }), 'Done.'])
    let conversation: unknown[] = []
    const change = tool('change', (input: { list: number[] }, ctx) => {
      conversation = ctx.conversation as unknown[]
      try {
        input.list.push(2)
      } catch {
        // Refusing is as good as ignoring.
      }
      return 'done'
    })
    const service = host({ model: mind, tools: [change] })
    const result = await service.run('main', 'Go.')
    expect(await service.verify(result.id)).toMatchObject({ ok: true })
    expect(result.actions[0]!.input).toEqual({ list: [1] })
    expect(() => Object.assign(conversation[0] as object, { role: 'system' })).toThrow(TypeError)
  })

  it('that ends the process of thought by calling itself forever runs out of turns, not of memory', async () => {
    const mind = model(() => calls({ name: 'again', input: { at: Math.random() } }))
    expect(await host({ model: mind, tools: [tool('again')], maxTurns: 50 }).run('main', 'Go.')).toMatchObject({
      status: 'max_turns',
      steps: 50,
    })
  })
})

describe('a model', () => {
  it('that changes the request it is given changes nothing that was recorded', async () => {
    const hostile: Model = {
      id: 'test/hostile',
      provider: 'test',
      modelId: 'hostile',
      async *stream({ messages }) {
        try {
          ;(messages[0] as { role: string }).role = 'system'
        } catch {
          // It was refused.
        }
        yield { type: 'text-delta', text: messages[0]!.role }
        yield { type: 'finish', reason: 'stop' }
      },
    }
    expect(await host({ model: hostile }).run('main', 'Go.')).toMatchObject({ status: 'completed', text: 'user' })
  })

  it.each([
    [
      'two calls of one id',
      {
        toolCalls: [
          { name: 'look', toolCallId: 'x' },
          { name: 'look', toolCallId: 'x' },
        ],
      },
    ],
    ['a call without an id', { toolCalls: [{ name: 'look', toolCallId: '' }] }],
    ['the ids of an earlier turn', { toolCalls: [{ name: 'look', toolCallId: 'call_1_1' }] }],
    ['a name that no tool can have', { toolCalls: [{ name: 'rm -rf /\n', input: {} }] }],
    ['arguments that are a list', { toolCalls: [{ name: 'look', input: [1, 2] }] }],
    ['arguments that are null', { toolCalls: [{ name: 'look', input: null }] }],
    [
      'arguments that reach for prototypes',
      { toolCalls: [{ name: 'look', rawInput: '{"__proto__": {"admin": true}}' }] },
    ],
    [
      'arguments nested two hundred deep',
      { toolCalls: [{ name: 'look', rawInput: `${'{"a":'.repeat(200)}1${'}'.repeat(200)}` }] },
    ],
  ])('that sends %s gets an answer to each call', async (_what, reply) => {
    const mind = model([calls('look'), reply, 'Done.'])
    const service = host({ model: mind, tools: [tool('look')] })
    const result = await service.run('main', 'Go.')
    expect(result).toMatchObject({ status: 'completed', text: 'Done.' })
    expect(lastResults(mind.requests[2]!)).toHaveLength(reply.toolCalls.length)
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('that calls a thousand tools at once gets a thousand answers', async () => {
    const mind = model([calls(...Array.from({ length: 1_000 }, () => 'look')), 'Done.'])
    const result = await host({ model: mind, tools: [tool('look')], mandate: { callCap: 2_000 } }).run('main', 'Go.')
    expect(result).toMatchObject({ status: 'completed' })
    expect(lastResults(mind.requests[1]!)).toHaveLength(1_000)
  })
})

describe('unknown options', () => {
  it.each([
    ['budgt', 'budget'],
    ['identiy', 'identity'],
    ['onStepstart', 'onStepStart'],
  ])('such as `%s` are refused before anything begins', async (field, meant) => {
    const service = host({ model: model(['Done.']) })
    const message = `\`${field}\` is not an option of a run. Did you mean \`${meant}\`?`
    await expect(service.run('main', 'Go.', { [field]: {} })).rejects.toThrow(message)
    expect(() => service.createSession('main', { [field]: {} })).toThrow(message)
    await expect(service.runOnce('main', { prompt: 'Go.', [field]: {} })).rejects.toThrow(message)
    expect(await service.runs()).toEqual([])
  })

  it('cannot make the host resume a run in the name of someone else', async () => {
    const service = host({ model: model(['Done.']) })
    const { id } = await service.run('main', 'Go.')
    const by = { id: 'mallory', roles: [] }
    await expect(service.resume(id, { by } as never)).rejects.toThrow(
      '`by` is not an option of `resume`. Known: signal',
    )
  })
})
