import { describe, expect, test } from 'vitest'
import { manualClock } from '../../src/core/index.ts'
import type { Json } from '../../src/core/index.ts'
import type { Mind } from '../../src/run/index.ts'
import { callAll, isSound, kernelWith, runMain, tool } from './bench.ts'

const fine = tool('fine', () => 1)

describe('minds', () => {
  const cyclic: Record<string, unknown> = {}
  cyclic['self'] = cyclic
  const ends: readonly [string, Mind['start'], object][] = [
    [
      'throws',
      async () => {
        throw new Error('lost the thread')
      },
      { state: 'failed', error: { code: 'MIND_FAILED', message: 'lost the thread' } },
    ],
    [
      'throws at once',
      () => {
        throw new Error('at once')
      },
      { state: 'failed', error: { code: 'MIND_FAILED', message: 'at once' } },
    ],
    [
      'throws undefined',
      async () => {
        throw undefined
      },
      { state: 'failed', error: { code: 'MIND_FAILED' } },
    ],
    [
      'returns a function',
      async () => (() => 1) as never,
      { state: 'failed', error: { code: 'OUTPUT_INVALID', message: expect.stringContaining('function') } },
    ],
    ['returns a cycle', async () => cyclic as never, { state: 'failed', error: { code: 'OUTPUT_INVALID' } }],
    [
      'returns a date',
      async () => new Date(0) as never,
      { state: 'failed', error: { code: 'OUTPUT_INVALID', message: expect.stringContaining('Date') } },
    ],
    ['returns nothing', async () => undefined as never, { state: 'completed', output: null }],
  ]
  for (const [how, start, outcome] of ends) {
    test(`one that ${how} ends the run with a clear word, in the journal too`, async () => {
      const kernel = kernelWith({
        start: async (input, context) => (await callAll('fine')(input, context), start(input, context)),
        tools: [fine],
      })
      expect(await runMain(kernel)).toMatchObject(outcome)
      expect(await kernel.resume('r')).toMatchObject(outcome)
      expect(await isSound(kernel)).toBe(true)
    })
  }

  test('one that never ends is ended by its time limit, by cancel, or put away by a stop', async () => {
    const never: Mind['start'] = () => new Promise(() => {})
    const limits = { cancelGraceMs: 5 }
    expect(await runMain(kernelWith({ start: never, limits }), { budget: { timeMs: 20 } })).toMatchObject({
      state: 'failed',
      error: { code: 'LIMIT_EXCEEDED' },
    })
    const cancelled = kernelWith({ start: never, limits })
    const outcome = runMain(cancelled)
    await cancelled.cancel('r')
    expect((await outcome).state).toBe('cancelled')
    const stopped = kernelWith({ start: never, limits })
    const stopping = runMain(stopped)
    await new Promise((done) => setTimeout(done, 10))
    await stopped.stop()
    expect((await stopping).state).toBe('suspended')
  })

  test('one that spins through effects for ever is ended by its budget', async () => {
    const start: Mind['start'] = async (_, context) => {
      for (;;) {
        const outcome = await context.perform({ kind: 'tool', name: 'fine', input: null })
        if (outcome.status !== 'ok') return outcome as unknown as Json
      }
    }
    expect(await runMain(kernelWith({ start, tools: [fine] }), { budget: { toolCalls: 25 } })).toMatchObject({
      output: { status: 'denied', code: 'LIMIT_EXCEEDED' },
    })
  })

  test('one that catches what it should not, or forgets what it started, still ends', async () => {
    const start: Mind['start'] = async (_, context) => {
      void context.perform({ kind: 'tool', name: 'fine', input: null }).catch(() => {})
      void context.task('lost', () => new Promise(() => {}))
      return 'done'
    }
    const kernel = kernelWith({ start, tools: [fine] })
    expect(await runMain(kernel)).toMatchObject({ state: 'completed', output: 'done' })
    expect((await kernel.verify('r')).ok).toBe(true)
  })
})

describe('effects', () => {
  const cyclic: Record<string, unknown> = {}
  cyclic['self'] = cyclic
  const malformed: readonly [string, unknown, string][] = [
    ['nothing at all', undefined, 'INPUT_INVALID'],
    ['null', null, 'INPUT_INVALID'],
    ['a text', 'tool', 'INPUT_INVALID'],
    ['no kind', { name: 'fine', input: 1 }, 'INPUT_INVALID'],
    ['no name', { kind: 'tool', input: 1 }, 'INPUT_INVALID'],
    ['a kind that nobody knows', { kind: 'telepathy', name: 'fine', input: 1 }, 'NOT_FOUND'],
    ['no input', { kind: 'tool', name: 'fine' }, 'JSON_INVALID'],
    ['an input with a function', { kind: 'tool', name: 'fine', input: { f: () => 1 } }, 'JSON_INVALID'],
    ['an input with a cycle', { kind: 'tool', name: 'fine', input: cyclic }, 'JSON_INVALID'],
    ['an input with a date', { kind: 'tool', name: 'fine', input: new Date(0) }, 'JSON_INVALID'],
    ['an input with NaN', { kind: 'tool', name: 'fine', input: Number.NaN }, 'JSON_INVALID'],
  ]
  for (const [what, effect, code] of malformed) {
    test(`one that is ${what} is refused where it is asked for, with a code and the fix, and the run can go on`, async () => {
      const start: Mind['start'] = async (_, context) => {
        const said = await context.perform(effect as never).then(
          () => 'accepted',
          (error: Error & { code: string }) => `${error.code}: ${error.message}`,
        )
        return [said, (await context.perform({ kind: 'tool', name: 'fine', input: null })) as unknown as Json]
      }
      const kernel = kernelWith({ start, tools: [fine] })
      expect(await runMain(kernel)).toMatchObject({
        state: 'completed',
        output: [expect.stringMatching(new RegExp(`^${code}: .{20,}`)), { status: 'ok', value: 1 }],
      })
      expect(await isSound(kernel)).toBe(true)
    })
  }

  test('one with an input that is too large is refused before anyone looks at it, and is not in the journal', async () => {
    let looked = 0
    const start: Mind['start'] = async (_, context) =>
      (await context.perform({ kind: 'tool', name: 'big', input: 'x'.repeat(10_000) })) as unknown as Json
    const big = tool('big', () => 1, { validate: (input) => ((looked += 1), { valid: true, value: input }) })
    const kernel = kernelWith({ start, tools: [big], limits: { inputBytes: 1_000 } })
    expect(await runMain(kernel)).toMatchObject({
      output: { status: 'denied', code: 'LIMIT_EXCEEDED', reason: expect.stringContaining('limits.inputBytes') },
    })
    expect([looked, await isSound(kernel)]).toEqual([0, true])
  })

  test('one with a name that is not a name finds nothing, and does nothing', async () => {
    for (const name of ['__proto__', 'constructor', '', '../../etc/passwd', 'x'.repeat(10_000)]) {
      const start: Mind['start'] = async (_, context) =>
        (await context.perform({ kind: 'tool', name, input: null })) as unknown as Json
      const outcome = await runMain(kernelWith({ start, tools: [fine] }))
      expect(outcome, name.slice(0, 20)).toMatchObject({ output: { status: 'denied', code: 'TOOL_UNKNOWN' } })
      expect(JSON.stringify(outcome).length).toBeLessThan(2_000)
    }
  })
})

describe('ids and limits', () => {
  test('an id that could leave its place is refused everywhere it comes in, and nothing is made of it', async () => {
    const kernel = kernelWith({ start: async () => 1 })
    for (const id of [
      '../escape',
      'a/b',
      'a\\b',
      '..',
      '',
      ' ',
      'a b',
      'ä',
      'a\n',
      '.hidden',
      '-flag',
      'x'.repeat(129),
      7,
      null,
      {},
    ]) {
      const start = (): Promise<unknown> => runMain(kernel, { runId: id })
      if (id === null) continue
      await expect((async () => start())(), String(id).slice(0, 20)).rejects.toMatchObject({
        code: 'ID_INVALID',
        message: expect.stringContaining('letters, digits'),
      })
      await expect((async () => runMain(kernel, { sessionId: id }))(), String(id).slice(0, 20)).rejects.toMatchObject({
        code: 'ID_INVALID',
      })
    }
    expect(await kernel.list()).toEqual([])
    for (const id of ['../escape', 'nobody']) {
      await expect(kernel.resume(id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await expect(kernel.replay(id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await expect(kernel.verify(id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await expect(kernel.fork(id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await expect(kernel.cancel(id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await expect(kernel.steer(id, 'hello')).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await expect(kernel.respond(`${id}-ap1`, { answer: 'approve' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(await kernel.approvals(id)).toEqual([])
    }
  })

  test('a kernel that is put together wrongly says so when it is made', () => {
    const start: Mind['start'] = async () => 1
    expect(() => kernelWith({ start, limits: { parallel: -1 } })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('limits.parallel') }),
    )
    expect(() => kernelWith({ start, limits: { parallell: 1 } as never })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
    expect(() => kernelWith({ start, mandate: { profile: 'yolo' } as never })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  })
})

describe('clocks', () => {
  test('one that goes backwards spoils neither the order of the journal nor the run', async () => {
    const clock = manualClock(1_000_000)
    const back = tool('back', () => clock.set(clock.now() - 300_000))
    const kernel = kernelWith({ clock, start: callAll('back', 'back', 'back'), tools: [back] })
    expect((await runMain(kernel)).state).toBe('completed')
    const times: number[] = []
    for await (const { at } of kernel.journal.read('r')) times.push(at)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(await isSound(kernel)).toBe(true)
  })

  test('one that leaps ahead, or stands still, does not either', async () => {
    for (const step of [10 ** 12, 0]) {
      const clock = manualClock(0)
      const kernel = kernelWith({
        clock,
        start: callAll('leap', 'leap'),
        tools: [tool('leap', () => clock.set(clock.now() + step))],
      })
      expect((await runMain(kernel)).state).toBe('completed')
      expect(await isSound(kernel)).toBe(true)
    }
  })
})
