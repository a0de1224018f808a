import { describe, expect, test } from 'vitest'
import type { Json } from '../../core/index.ts'
import { memoryJournal, readAll } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import type { Mandate } from '../../gate/index.ts'
import {
  call,
  entriesOf,
  eventually,
  gate,
  holdAppends,
  journalWith,
  kernelWith,
  linesOf,
  outputOf,
  program,
  rest,
  runMain,
  tool,
  value,
} from '../kernel/kernel.fixture.ts'

const once = program('main', async (input, context) => (await call(context, 'act', input)) as unknown as Json)

function acting(calls: Json[], facts = {}): ReturnType<typeof tool> {
  return tool('act', (input) => (calls.push(input), 'done'), facts)
}

describe('decide', () => {
  test('an effect leaves its request, decision, start and end, in that order', async () => {
    const kernel = kernelWith({ minds: [once], tools: [acting([])] })
    expect(outputOf(await runMain(kernel, { a: 1 }))).toEqual({ status: 'ok', value: 'done' })
    expect(await linesOf(kernel.journal)).toEqual(['run-start', 'effect-start tool', 'effect-end tool', 'run-end'])
    const start = (await entriesOf(kernel.journal, 'effect-start'))[0]!.data
    expect(start).toMatchObject({
      kind: 'tool',
      name: 'act',
      input: { a: 1 },
      decision: { verdict: 'allow' },
      reserved: { toolCalls: 1 },
      repeatable: false,
    })
  })

  test('a denied effect leaves an entry with rule and reason, and runs nothing', async () => {
    const calls: Json[] = []
    const kernel = kernelWith({ minds: [once], tools: [acting(calls)], mandate: { deny: ['act'] } })
    expect(outputOf(await runMain(kernel))).toMatchObject({ status: 'denied', code: 'DENIED' })
    expect(await linesOf(kernel.journal)).toEqual(['run-start', 'effect-decide tool', 'effect-end tool', 'run-end'])
    const [decided] = await entriesOf(kernel.journal, 'effect-decide')
    expect(decided!.data).toMatchObject({
      name: 'act',
      decision: { verdict: 'deny', rule: expect.stringMatching(/^allowlist/), reason: expect.stringContaining('act') },
    })
    expect([calls, (await kernel.verify('r')).ok]).toEqual([[], true])
  })

  test('a denial and the end of its effect are stored in one go: no crash can leave the one without the other', async () => {
    const inner = memoryJournal()
    const batches: string[][] = []
    const append: Journal['append'] = async (lease, expected, entries, consume) => {
      batches.push(entries.map(({ type }) => type))
      return inner.append(lease, expected, entries, consume)
    }
    await runMain(
      kernelWith({
        journal: journalWith(inner, { append }),
        minds: [once],
        tools: [acting([])],
        mandate: { deny: ['act'] },
      }),
    )
    expect(batches.find((batch) => batch.includes('effect-decide'))).toContain('effect-end')
  })

  test('a tool that nobody registered is denied, and the reason names what there is', async () => {
    const kernel = kernelWith({ minds: [once], tools: [tool('other', () => 1)] })
    expect(outputOf(await runMain(kernel))).toMatchObject({
      status: 'denied',
      code: 'TOOL_UNKNOWN',
      reason: expect.stringContaining('other'),
    })
  })

  test('the approved input is performed, even if the mind mutates its input meanwhile', async () => {
    const calls: Json[] = []
    const to = ['ana']
    const changing = program('main', async (_, context) => {
      return (await call(context, 'act', Object.freeze({ to }))) as unknown as Json
    })
    const onApproval = async () => (to.splice(0, 1, 'eve'), { answer: 'approve' as const })
    await runMain(kernelWith({ minds: [changing], tools: [acting(calls, { needsApproval: true })], onApproval }))
    expect(calls).toEqual([{ to: ['ana'] }])
  })

  test('a modified input is performed and recorded, beside the requested one', async () => {
    const calls: Json[] = []
    const validate = (input: Json) => ({ valid: true as const, value: { ...(input as object), extra: 1 } as Json })
    const kernel = kernelWith({ minds: [once], tools: [acting(calls, { validate })] })
    await runMain(kernel, { a: 1 })
    const start = (await entriesOf(kernel.journal, 'effect-start'))[0]!.data
    expect([calls, start.input, start.decision.verdict]).toEqual([[{ a: 1, extra: 1 }], { a: 1, extra: 1 }, 'modify'])
    expect(start.asked).not.toBe(start.hash)
    expect((await kernel.replay('r')).identical).toBe(true)
  })

  test('an input that does not fit the schema is denied with what is wrong', async () => {
    const calls: Json[] = []
    const validate = () => ({ valid: false as const, issues: [{ path: 'a', message: 'must be a number' }] })
    const kernel = kernelWith({ minds: [once], tools: [acting(calls, { validate })] })
    expect(outputOf(await runMain(kernel))).toMatchObject({
      status: 'denied',
      code: 'SCHEMA_INVALID',
      reason: expect.stringContaining('a: must be a number'),
    })
    expect(calls).toEqual([])
  })
})

describe('kill', () => {
  const mandate: Mandate = { rules: [{ id: 'bomb', when: { tool: 'act' }, then: 'kill', reason: 'no bombs' }] }
  const stubborn = program('main', async (_, context) => {
    try {
      await call(context, 'act')
    } catch {
      // It does not even get here.
    }
    return value(context, 'harmless')
  })

  test('a kill ends the run, and no mind can catch it or continue', async () => {
    const calls: Json[] = []
    const kernel = kernelWith({
      minds: [stubborn],
      tools: [acting(calls), tool('harmless', () => calls.push('went on'))],
      mandate,
    })
    const outcome = await runMain(kernel)
    expect(outcome).toMatchObject({
      state: 'failed',
      error: { code: 'KILLED', message: expect.stringContaining('no bombs') },
    })
    await rest()
    expect([calls, await linesOf(kernel.journal)]).toEqual([
      [],
      ['run-start', 'effect-decide tool', 'effect-end tool', 'run-end'],
    ])
    expect((await kernel.replay('r')).identical).toBe(true)
  })

  test('a kill holds also when the process ends before the run could', async () => {
    const calls: Json[] = []
    const parts = { minds: [stubborn], tools: [acting(calls), tool('harmless', () => calls.push('went on'))] }
    const whole = kernelWith({ ...parts, mandate })
    await runMain(whole)
    const { cutAfter } = await import('../kernel/kernel.fixture.ts')
    for (const count of [2, 3]) {
      // Resumed without the rule, too: what was decided is not decided again.
      const kernel = kernelWith({ ...parts, journal: await cutAfter(whole.journal, 'r', count) })
      expect(await kernel.resume('r'), `cut after ${count}`).toMatchObject({
        state: 'failed',
        error: { code: 'KILLED' },
      })
    }
    expect(calls).toEqual([])
  })

  test('what was in flight when the run was killed is cut and has an end', async () => {
    let isCut = false
    const main = program('main', async (_, context) => {
      void call(context, 'slow')
      await rest()
      await call(context, 'act')
      return null
    })
    const slow = tool(
      'slow',
      (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => ((isCut = true), reject(new Error('cut')))),
        ),
    )
    const kernel = kernelWith({ minds: [main], tools: [acting([]), slow], mandate })
    expect(await runMain(kernel)).toMatchObject({ state: 'failed', error: { code: 'KILLED' } })
    expect(isCut).toBe(true)
    const ends = (await entriesOf(kernel.journal, 'effect-end')).map(({ data }) => data.outcome.status)
    expect(ends.sort()).toEqual(['cancelled', 'denied'])
  })
})

describe('budget', () => {
  test('what would pass a limit is denied with the limit, its value and how to raise it', async () => {
    const calls: Json[] = []
    const main = program('main', async (_, context) => [
      await value(context, 'act'),
      (await call(context, 'act')) as unknown as Json,
    ])
    const kernel = kernelWith({ minds: [main], tools: [acting(calls)] })
    const outcome = await kernel.run({ kind: 'program', name: 'main', input: null, budget: { toolCalls: 1 } })
    expect(outputOf(outcome)).toEqual([
      'done',
      expect.objectContaining({
        status: 'denied',
        code: 'LIMIT_EXCEEDED',
        reason: expect.stringMatching(/budget\.toolCalls.* is 1.*Raise/),
      }),
    ])
    expect(calls).toHaveLength(1)
  })

  test('parallel calls cannot both take the last of a budget', async () => {
    const calls: Json[] = []
    const main = program('main', async (_, context) =>
      (await Promise.all(Array.from({ length: 50 }, () => call(context, 'act')))).map(({ status }) => status),
    )
    const kernel = kernelWith({ minds: [main], tools: [tool('act', async () => (calls.push(1), await rest()))] })
    const outcome = await kernel.run({ kind: 'program', name: 'main', input: null, budget: { toolCalls: 7 } })
    const counts = Object.groupBy(outputOf(outcome) as string[], (status) => status)
    expect([counts['ok']?.length, counts['denied']?.length, calls.length]).toEqual([7, 43, 7])
  })

  test('a model call whose worst case does not fit is denied before it is made', async () => {
    const main = program(
      'main',
      async (_, context) =>
        (await context.perform({
          kind: 'model',
          name: 'm',
          input: {},
          carry: { messages: [], maxOutputTokens: 1_000 },
        })) as unknown as Json,
    )
    const kernel = kernelWith({ minds: [main] })
    kernel.registry.registerModel('m', { id: 'm', provider: 'p', stream: () => (async function* () {})() } as never)
    const outcome = await kernel.run({ kind: 'program', name: 'main', input: null, budget: { outputTokens: 10 } })
    expect(outputOf(outcome)).toMatchObject({ status: 'denied', code: 'LIMIT_EXCEEDED' })
  })
})

describe('durability', () => {
  test('the start of an effect that must not be repeated is on disk before it is performed', async () => {
    const inner = memoryJournal()
    const { journal, open } = holdAppends(inner, (types) => types.includes('effect-start'))
    const seen: string[][] = []
    const kernel = kernelWith({
      journal,
      minds: [once],
      tools: [tool('act', async () => void seen.push(await linesOf(inner)))],
    })
    const outcome = runMain(kernel)
    await rest()
    expect(seen).toEqual([])
    open()
    await outcome
    expect(seen).toEqual([['run-start', 'effect-start tool']])
  })

  test('the end of an effect that must not be repeated is on disk before the mind can act on it', async () => {
    const inner = memoryJournal()
    const { journal, open } = holdAppends(inner, (types) => types.includes('effect-end'))
    let heard = false
    const main = program('main', async (_, context) => (await call(context, 'act'), (heard = true)))
    const outcome = runMain(kernelWith({ journal, minds: [main], tools: [acting([])] }))
    await rest()
    expect(heard).toBe(false)
    open()
    await outcome
    expect(heard).toBe(true)
  })

  test('what may be repeated waits for no disk', async () => {
    const { journal, open } = holdAppends(memoryJournal(), () => true)
    let heard = false
    const main = program('main', async (_, context) => (await call(context, 'act'), (heard = true)))
    const outcome = runMain(kernelWith({ journal, minds: [main], tools: [acting([], { idempotent: true })] }))
    await eventually(() => heard)
    open()
    expect((await outcome).state).toBe('completed')
  })

  test('batch gives the same waits', async () => {
    const inner = memoryJournal()
    const { journal, open } = holdAppends(inner, (types) => types.includes('effect-start'))
    const calls: Json[] = []
    const outcome = kernelWith({ journal, minds: [once], tools: [acting(calls)] }).run({
      kind: 'program',
      name: 'main',
      input: 1,
      durability: 'batch',
    })
    await new Promise((done) => setTimeout(done, 20))
    expect(calls).toEqual([])
    open()
    await outcome
    expect(calls).toEqual([1])
  })

  test('exit refuses what must not be repeated, and writes the rest at the end in one go', async () => {
    const calls: Json[] = []
    let appends = 0
    const inner = memoryJournal()
    const append: Journal['append'] = (...args) => ((appends += 1), inner.append(...args))
    const main = program('main', async (_, context) => [
      await value(context, 'again'),
      (await call(context, 'act')) as unknown as Json,
    ])
    const kernel = kernelWith({
      journal: journalWith(inner, { append }),
      minds: [main],
      tools: [acting(calls), tool('again', () => 2, { idempotent: true })],
    })
    const outcome = await kernel.run({ kind: 'program', name: 'main', input: null, runId: 'r', durability: 'exit' })
    expect(outputOf(outcome)).toEqual([2, expect.objectContaining({ status: 'denied', code: 'DURABILITY_REFUSED' })])
    expect([calls, appends, (await kernel.verify('r')).ok]).toEqual([[], 1, true])
  })
})

describe('identity of a run', () => {
  test('one run id started twice at once, and again later, is one run', async () => {
    const calls: Json[] = []
    const kernel = kernelWith({ minds: [once], tools: [acting(calls)] })
    const outcomes = await Promise.all([runMain(kernel, 1), runMain(kernel, 1)])
    outcomes.push(await runMain(kernel, 1))
    expect(outcomes.map(outputOf)).toEqual(Array.from({ length: 3 }, () => ({ status: 'ok', value: 'done' })))
    expect([calls.length, (await readAll(kernel.journal, 'r')).length]).toEqual([1, 4])
  })

  test('two kernels start or resume one run: exactly one drives it, the other is told who has it', async () => {
    const journal = memoryJournal()
    const hold = gate()
    const calls: Json[] = []
    const parts = { journal, minds: [once], tools: [tool('act', async () => (calls.push(1), await hold.promise))] }
    const first = runMain(kernelWith(parts))
    await eventually(() => calls.length === 1)
    await expect(runMain(kernelWith(parts))).rejects.toMatchObject({ code: 'LEASE_HELD' })
    await expect(kernelWith(parts).resume('r')).rejects.toMatchObject({ code: 'LEASE_HELD' })
    hold.resolve()
    expect((await first).state).toBe('completed')
    expect(calls).toHaveLength(1)
  })

  test('what is wrong with a run is said before anything of it is written, and leaves its id free', async () => {
    const kernel = kernelWith({ minds: [once], tools: [acting([])] })
    const start = (spec: object): Promise<unknown> =>
      kernel.run({ kind: 'program', name: 'main', input: null, runId: 'r', ...spec } as never)
    await expect(start({ input: () => 1 })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    await expect(start({ budget: { toolCalls: -1 } })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await expect(start({ durability: 'later' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await expect(start({ name: 'missing' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('main'),
    })
    expect(await kernel.list()).toEqual([])
    expect((await runMain(kernelWith({ journal: kernel.journal, minds: [once], tools: [acting([])] }))).state).toBe(
      'completed',
    )
  })
})
