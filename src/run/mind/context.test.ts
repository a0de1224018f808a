import { describe, expect, test } from 'vitest'
import { manualClock } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { memoryJournal, readAll } from '../../journal/index.ts'
import { forgeEntry } from '../../testing/index.ts'
import {
  call,
  cutAfter,
  entriesOf,
  eventually,
  gate,
  kernelWith,
  linesOf,
  outputOf,
  program,
  rest,
  runMain,
  tool,
  value,
} from '../kernel/kernel.fixture.ts'

describe('record', () => {
  test('a strategy is asked once; a resumed run gets its recorded decision', async () => {
    let asked = 0
    const main = program('main', async (_, context) => [
      await context.record('plan', () => ++asked),
      await value(context, 'act'),
    ])
    const whole = kernelWith({ minds: [main], tools: [tool('act', () => 'done', { idempotent: true })] })
    const first = outputOf(await runMain(whole))
    const { length } = await readAll(whole.journal, 'r')
    for (let count = 2; count < length; count++) {
      const kernel = kernelWith({
        journal: await cutAfter(whole.journal, 'r', count),
        minds: [main],
        tools: [tool('act', () => 'done', { idempotent: true })],
      })
      expect(outputOf(await kernel.resume('r'))).toEqual(first)
    }
    expect((await whole.replay('r')).identical).toBe(true)
    expect(asked).toBe(1)
  })

  test('effects inside a strategy are its own: a crash in the middle repeats none, and a recorded decision asks for none', async () => {
    const calls: Json[] = []
    const main = program('main', async (_, context) => {
      const plan = await context.record('plan', async (strand) => [
        await value(strand, 'look', 1),
        await value(strand, 'look', 2),
      ])
      return [plan, await value(context, 'look', 3)]
    })
    const looking = tool('look', (input) => (calls.push(input), `saw ${JSON.stringify(input)}`))
    const whole = kernelWith({ minds: [main], tools: [looking] })
    const first = outputOf(await runMain(whole))
    expect(await linesOf(whole.journal)).toContain('effect-end plan/tool#2')
    const lines = await linesOf(whole.journal)
    for (let count = 2; count < lines.length; count++) {
      calls.length = 0
      const kernel = kernelWith({
        journal: await cutAfter(whole.journal, 'r', count),
        minds: [main],
        tools: [looking],
        onApproval: () => ({ answer: 'not-happened' }),
      })
      expect(outputOf(await kernel.resume('r')), `cut after ${lines[count - 1]}`).toEqual(first)
      const ended = lines.slice(0, count).filter((line) => line.startsWith('effect-end')).length
      expect(calls, `cut after ${lines[count - 1]}`).toEqual([1, 2, 3].slice(ended))
      expect((await kernel.replay('r')).identical).toBe(true)
    }
  })

  test('one that throws, at once or later, throws the same when it is not asked again', async () => {
    let asked = 0
    const main = program('main', async (_, context) => {
      const said: Json[] = []
      for (const decide of [
        () => {
          throw new Error(`no ${++asked}`)
        },
        async () => {
          throw new Error(`no ${++asked}`)
        },
      ]) {
        await context
          .record('plan', decide as () => never)
          .catch((error: Error & { code?: string }) => said.push(`${error.code}: ${error.message}`))
      }
      return said
    })
    const kernel = kernelWith({ minds: [main] })
    expect(outputOf(await runMain(kernel))).toEqual(['MIND_FAILED: no 1', 'MIND_FAILED: no 2'])
    expect((await kernel.replay('r')).identical).toBe(true)
    expect(asked).toBe(2)
  })

  test('what a strategy gives is made plain, so that live and resumed minds see the same', async () => {
    const main = program('main', async (_, context) => [
      await context.record('odd', () => ({ when: new Date(0), not: undefined, f: () => 1 }) as unknown as Json),
      (await context.record('void', () => {})) as unknown as Json,
    ])
    const kernel = kernelWith({ minds: [main] })
    expect(outputOf(await runMain(kernel))).toEqual([{ when: '1970-01-01T00:00:00.000Z' }, null])
    expect((await kernel.replay('r')).identical).toBe(true)
  })

  test('one that was interrupted sees the same time when it is asked again, however much has happened beside it', async () => {
    const seen: number[] = []
    const clock = manualClock(1_000)
    const main = program('main', async (_, context) => {
      const planned = context.record('plan', async (strand) => {
        seen.push(strand.now())
        return (await strand.perform({ kind: 'sleep', name: 'sleep', input: { until: strand.now() + 1e6 } })).status
      })
      for (let turn = 0; turn < 3; turn++) await call(context, 'tick')
      return planned
    })
    const tools = [tool('tick', () => clock.advance(100))]
    const journal = memoryJournal()
    expect((await runMain(kernelWith({ clock, journal, minds: [main], tools }))).state).toBe('suspended')
    const lines = await linesOf(journal)
    for (let count = 2; count < lines.length; count++) {
      const kernel = kernelWith({
        clock,
        journal: await cutAfter(journal, 'r', count),
        minds: [main],
        tools,
        onApproval: () => ({ answer: 'not-happened' }),
      })
      expect((await kernel.resume('r')).state, `cut after ${lines[count - 1]}`).toBe('suspended')
      await kernel.stop()
      // And once more, over what this process has written.
      const last = kernelWith({ clock, journal: kernel.journal, minds: [main], tools })
      expect((await last.resume('r')).state, `cut after ${lines[count - 1]}`).toBe('suspended')
    }
    expect(new Set(seen)).toEqual(new Set([1_000]))
  })

  test('what one said is in the journal before what it decided, also when it is asked again in the middle of a resume', async () => {
    const main = program('main', async (_, context) => {
      const slow = call(context, 'slow')
      const plan = await context.record('plan', async (strand) => {
        await call(strand, 'quick')
        strand.append('thinking aloud')
        return 'left'
      })
      return [plan, (await slow).status]
    })
    const tools = [tool('quick', () => 1, { idempotent: true }), tool('slow', rest, { idempotent: true })]
    const whole = kernelWith({ minds: [main], tools })
    await runMain(whole)
    // The strategy had not decided, but what was asked for beside it has ended: that is still owed while the strategy speaks.
    const entries = (await readAll(whole.journal, 'r')).filter(
      ({ type, key }) => type !== 'note' && type !== 'run-end' && key !== 'plan/message',
    )
    const { GENESIS, headOf } = await import('../../journal/index.ts')
    const journal = memoryJournal()
    const lease = await journal.acquire({ run: 'r', owner: 'x', ttlMs: 0, now: 0 })
    let head = GENESIS
    const again = entries.map((entry) => {
      const copy = forgeEntry('r', head, entry, 'aa')
      head = headOf(copy)
      return copy
    })
    await journal.append(lease, 0, again)
    await journal.release(lease)
    const kernel = kernelWith({ journal, minds: [main], tools })
    expect(outputOf(await kernel.resume('r'))).toEqual(['left', 'ok'])
    const lines = await linesOf(journal)
    expect(lines.indexOf('message-append plan/message')).toBeGreaterThan(0)
    expect(lines.indexOf('message-append plan/message')).toBeLessThan(lines.indexOf('note plan'))
  })

  test('one that asks a human suspends the run like anything else', async () => {
    const main = program('main', async (_, context) =>
      context.record(
        'plan',
        async (strand) => (await strand.perform({ kind: 'question', name: 'human', input: 'ok?' })) as unknown as Json,
      ),
    )
    const kernel = kernelWith({ minds: [main] })
    expect((await runMain(kernel)).state).toBe('suspended')
    await kernel.respond((await kernel.approvals())[0]!.id, { answer: 'answer', value: 'yes' })
    await eventually(async () => (await kernel.journal.summary('r'))!.state === 'completed')
    expect(outputOf(await kernel.resume('r'))).toEqual({ status: 'ok', value: 'yes' })
  })
})

describe('messages', () => {
  const talking = program('main', async (_, context) => {
    context.append({ role: 'user', text: 'hi' })
    await call(context, 'act')
    context.append({ role: 'assistant', text: 'bye' })
    await call(context, 'act')
    return null
  })

  test('each is appended once, however often the mind is re-executed', async () => {
    const tools = [tool('act', () => 1, { idempotent: true })]
    const whole = kernelWith({ minds: [talking], tools })
    await runMain(whole)
    const { length } = await readAll(whole.journal, 'r')
    for (let count = 1; count < length; count++) {
      const journal = await cutAfter(whole.journal, 'r', count)
      await kernelWith({ journal, minds: [talking], tools }).resume('r')
      const texts = (await entriesOf(journal, 'message-append')).map(({ data }) => data.message)
      expect(texts, `cut after ${count}`).toMatchObject([{ text: 'hi' }, { text: 'bye' }])
    }
  })

  test('one that is not plain data is refused where it is appended', async () => {
    const main = program('main', async (_, context) => {
      expect(() => context.append({ f: () => 1 } as never)).toThrow(expect.objectContaining({ code: 'JSON_INVALID' }))
      return 'went on'
    })
    expect(outputOf(await runMain(kernelWith({ minds: [main] })))).toBe('went on')
  })
})

describe('steering', () => {
  test('steering messages are read at the next turn, once, and again on replay', async () => {
    const hold = gate()
    const main = program('main', async (_, context) => {
      const before = [...context.steering()]
      await call(context, 'act')
      const first = [...context.steering()]
      await call(context, 'act')
      return [before, first, [...context.steering()]]
    })
    const tools = [tool('act', async () => (await hold.promise, 1), { idempotent: true })]
    const kernel = kernelWith({ minds: [main], tools })
    const outcome = runMain(kernel)
    await eventually(async () => (await linesOf(kernel.journal)).includes('effect-start tool'))
    await kernel.steer('r', { text: 'go left' })
    await kernel.steer('r', { text: 'then right' })
    await rest()
    hold.resolve()
    const expected = [[], [{ text: 'go left' }, { text: 'then right' }], []]
    expect(outputOf(await outcome)).toEqual(expected)
    expect((await kernel.replay('r')).identical).toBe(true)
    const taken = (await linesOf(kernel.journal)).indexOf('message-append steer#2') + 1
    const second = kernelWith({ journal: await cutAfter(kernel.journal, 'r', taken), minds: [main], tools })
    expect(outputOf(await second.resume('r'))).toEqual(expected)
  })

  test('it wakes nobody who waits for something else, and is there when they wake', async () => {
    const main = program('main', async (_, context) => (await call(context, 'ask'), [...context.steering()]))
    const kernel = kernelWith({ minds: [main], tools: [tool('ask', () => 1, { needsApproval: true })] })
    expect((await runMain(kernel)).state).toBe('suspended')
    await kernel.steer('r', 'hurry')
    await rest()
    expect((await kernel.journal.summary('r'))!.state).toBe('suspended')
    await kernel.respond((await kernel.approvals())[0]!.id, { answer: 'approve' })
    await eventually(async () => (await kernel.journal.summary('r'))!.state === 'completed')
    expect(outputOf(await kernel.resume('r'))).toEqual(['hurry'])
  })
})

describe('steps', () => {
  const stepping = program('main', async (input, context) => {
    for (let step = 0; step < (input as number); step++) {
      const over = context.step()
      if (over !== undefined) return [step, over as unknown as Json]
      await call(context, 'act')
    }
    return 'all'
  })

  test('the limit on steps is an outcome that names it, and re-executed steps are not counted twice', async () => {
    const tools = [tool('act', () => 1, { idempotent: true })]
    const whole = kernelWith({ minds: [stepping], tools })
    const start = { kind: 'program', name: 'main', input: 5, runId: 'r', budget: { steps: 3 } } as const
    const first = outputOf(await whole.run(start))
    expect(first).toEqual([
      3,
      {
        status: 'failed',
        error: expect.objectContaining({ code: 'LIMIT_EXCEEDED', message: expect.stringContaining('budget.steps') }),
      },
    ])
    const { length } = await readAll(whole.journal, 'r')
    for (let count = 1; count < length; count++) {
      const kernel = kernelWith({ journal: await cutAfter(whole.journal, 'r', count), minds: [stepping], tools })
      expect(outputOf(await kernel.resume('r')), `cut after ${count}`).toEqual(first)
      expect((await entriesOf(kernel.journal, 'run-end'))[0]!.data, `cut after ${count}`).toMatchObject({
        spent: { steps: 3 },
      })
    }
    expect((await whole.replay('r')).identical).toBe(true)
  })

  test('the steps of a strategy count, also when it is not asked again', async () => {
    const main = program('main', async (_, context) => {
      await context.record('plan', async (strand) => {
        strand.step()
        await strand.task('deeper', async (below) => void below.step())
      })
      await call(context, 'act')
      return [context.step()?.status ?? 'ok', context.step()?.status ?? 'ok']
    })
    const tools = [tool('act', () => 1, { idempotent: true })]
    const whole = kernelWith({ minds: [main], tools })
    const first = outputOf(
      await whole.run({ kind: 'program', name: 'main', input: null, runId: 'r', budget: { steps: 3 } }),
    )
    expect(first).toEqual(['ok', 'failed'])
    const { length } = await readAll(whole.journal, 'r')
    for (let count = 1; count < length; count++) {
      const kernel = kernelWith({ journal: await cutAfter(whole.journal, 'r', count), minds: [main], tools })
      expect(outputOf(await kernel.resume('r')), `cut after ${count}`).toEqual(first)
    }
    expect((await whole.replay('r')).identical).toBe(true)
  })

  test('a step that a limit above refused is refused on replay, where nobody is above', async () => {
    const parent = program(
      'main',
      async (_, context) => (await context.perform({ kind: 'program', name: 'inner', input: 5 })) as unknown as Json,
    )
    const kernel = kernelWith({ minds: [parent, program('inner', stepping.start)], tools: [tool('act', () => 1)] })
    const outcome = await kernel.run({ kind: 'program', name: 'main', input: null, runId: 'r', budget: { steps: 2 } })
    expect(outputOf(outcome)).toMatchObject({ status: 'ok', value: [2, { error: { code: 'LIMIT_EXCEEDED' } }] })
    for (const { run } of await kernel.list())
      expect(await kernel.replay(run)).toMatchObject({ identical: true, complete: true })
  })
})

describe('pins', () => {
  test('a resumed run reads what was fixed at its start, and the journal says when the mandate has changed since', async () => {
    const main = (version: number): ReturnType<typeof program> =>
      program('main', async (_, context) => (await call(context, 'ask'), (context.pins as { mind: Json }).mind), {
        pins: () => ({ version }),
      })
    const journal = memoryJournal()
    const tools = [tool('ask', () => 1, { needsApproval: true })]
    await runMain(kernelWith({ journal, minds: [main(1)], tools }))
    const second = kernelWith({ journal, minds: [main(2)], tools, mandate: { deny: ['other'] } })
    await second.respond((await second.approvals())[0]!.id, { answer: 'approve' })
    await eventually(async () => (await journal.summary('r'))!.state === 'completed')
    expect(outputOf(await second.resume('r'))).toEqual({ version: 1 })
    expect((await entriesOf(journal, 'note')).map(({ data }) => data.name)).toEqual(['mandate-changed'])
  })

  test('a run of another protocol is refused with the way out, and left as it is', async () => {
    const kernel = kernelWith({ minds: [program('main', async () => 1)] })
    const { GENESIS } = await import('../../journal/index.ts')
    await runMain(kernel)
    const [start] = await readAll(kernel.journal, 'r')
    const journal = memoryJournal()
    const lease = await journal.acquire({ run: 'r', owner: 'x', ttlMs: 0, now: 0 })
    await journal.append(lease, 0, [
      forgeEntry('r', GENESIS, { type: 'run-start', at: 1, data: { ...start!.data, protocol: 99 } }, 'aa'),
    ])
    const other = kernelWith({ journal, minds: [program('main', async () => 1)] })
    await expect(other.resume('r')).rejects.toMatchObject({
      code: 'VERSION_UNSUPPORTED',
      message: expect.stringContaining('99'),
    })
    expect(await linesOf(journal)).toEqual(['run-start'])
  })
})

describe('listeners', () => {
  test('one that throws, rejects or listens more cannot break a run, nor another listener', async () => {
    const kernel = kernelWith({
      minds: [program('main', async (_, context) => (context.emit('custom', 1), value(context, 'act')))],
      tools: [tool('act', () => 'fine')],
    })
    const seen: string[] = []
    kernel.events.on('*', () => {
      throw new Error('bad listener')
    })
    kernel.events.on('effect-end', async () => {
      throw new Error('bad async listener')
    })
    kernel.events.addSink({
      name: 'bad sink',
      write: () => {
        throw new Error('bad sink')
      },
    })
    kernel.events.on('*', ({ type }) => void seen.push(type))
    expect(outputOf(await runMain(kernel))).toBe('fine')
    expect(seen).toEqual(['run-start', 'custom', 'effect-start', 'effect-end', 'run-end'])
  })

  test('events that are not stored are silent while recorded work is re-executed', async () => {
    const main = program('main', async (_, context) => {
      context.emit('before', 1)
      await call(context, 'act')
      context.emit('after', 1)
      return value(context, 'act')
    })
    const tools = [tool('act', () => 1, { idempotent: true })]
    const whole = kernelWith({ minds: [main], tools })
    await runMain(whole)
    const seen: string[] = []
    const kernel = kernelWith({ journal: await cutAfter(whole.journal, 'r', 3), minds: [main], tools })
    for (const type of ['before', 'after']) kernel.events.on(type, (event) => void seen.push(event.type))
    await kernel.resume('r')
    await kernel.replay('r')
    expect(seen).toEqual(['after'])
  })
})
