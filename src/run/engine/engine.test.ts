import type { Journal, RunEventBus } from '../../journal/index.ts'
import { describe, expect, test } from 'vitest'
import { EventBus, manualClock } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Engine, EngineHost } from './engine.ts'
import {
  call,
  eventually,
  gate,
  journalWith,
  kernelWith,
  linesOf,
  outputOf,
  program,
  rest,
  runMain,
  tool,
} from '../kernel/kernel.fixture.ts'

/** An engine that only writes down what it is asked, as one that hands segments to other machines would. */
function distantEngine(): Engine & { readonly asked: string[]; host: EngineHost | undefined } {
  return {
    name: 'distant',
    asked: [],
    host: undefined,
    async attach(host) {
      this.host = host
      this.asked.push('attach')
    },
    async dispatch(run) {
      this.asked.push(`dispatch ${run}`)
    },
    async schedule(run, at) {
      this.asked.push(`schedule ${run} ${at}`)
    },
    async stop() {
      this.asked.push('stop')
    },
  }
}

const asking = program('main', async (_, context) => (await call(context, 'ask')).status)
const ask = tool('ask', () => 1, { needsApproval: true })

describe('the engine port', () => {
  test('a signal for a run without a driver is dispatched; one for a run that is driven here is not', async () => {
    const engine = distantEngine()
    const kernel = kernelWith({
      engine,
      minds: [asking],
      tools: [ask],
      limits: { approvalTtlMs: 1_000 },
      clock: manualClock(500),
    })
    await runMain(kernel)
    expect(engine.asked).toEqual(['attach', 'schedule r 1500'])
    await kernel.respond((await kernel.approvals())[0]!.id, { answer: 'approve' })
    expect(engine.asked.slice(2)).toEqual(['dispatch r'])
    // Whoever was handed the segment drives it through the host, and driving it twice does no harm.
    expect(outputOf(await engine.host!.segment('r'))).toBe('ok')
    expect(outputOf(await engine.host!.segment('r'))).toBe('ok')
    await kernel.stop()
    expect(engine.asked.slice(3)).toEqual(['stop'])
  })

  test('what is meant for a child is dispatched to the top of its tree', async () => {
    const engine = distantEngine()
    const parent = program(
      'main',
      async (_, context) => (await context.perform({ kind: 'program', name: 'inner', input: null })).status,
    )
    const kernel = kernelWith({ engine, minds: [parent, program('inner', asking.start)], tools: [ask] })
    await runMain(kernel)
    await kernel.respond((await kernel.approvals())[0]!.id, { answer: 'approve' })
    expect(engine.asked.at(-1)).toBe('dispatch r')
    expect(outputOf(await kernel.resume('r'))).toBe('ok')
  })

  test('it can list all sleeping runs, soonest first, page by page', async () => {
    const clock = manualClock(0)
    const sleeping = program(
      'main',
      async (input, context) =>
        (await context.perform({ kind: 'sleep', name: 'sleep', input: { until: input } })).status,
    )
    const first = kernelWith({ clock, minds: [sleeping] })
    const count = 1_100
    for (let index = 0; index < count; index++)
      await first.run({ kind: 'program', name: 'main', input: 1_000_000 - index, runId: `r${index}` })
    await first.stop()
    const engine = distantEngine()
    const second = kernelWith({
      clock,
      journal: first.journal,
      engine,
      minds: [sleeping, program('other', async () => 1)],
    })
    await second.run({ kind: 'program', name: 'other', input: null })
    const page = await engine.host!.sleeping(1_000)
    expect(page).toHaveLength(1_000)
    const told = [...page, ...(await engine.host!.sleeping(1_000, page.at(-1)))]
    expect([told.length, told[0], told.at(-1)]).toEqual([
      count,
      { run: `r${count - 1}`, at: 1_000_000 - count + 1 },
      { run: 'r0', at: 1_000_000 },
    ])
  })

  test('a process that starts does not read all that sleeps, and wakes all of it in time', async () => {
    const clock = manualClock(0)
    const woken: Json[] = []
    const sleeping = program('main', async (input, context) => {
      await context.perform({ kind: 'sleep', name: 'sleep', input: { until: input } })
      return woken.push(input)
    })
    const first = kernelWith({ clock, minds: [sleeping] })
    const times = Array.from({ length: 450 }, (_, index) => 1_000_000 + Math.floor(index / 3))
    for (const [index, at] of times.entries())
      await first.run({ kind: 'program', name: 'main', input: at, runId: `r${index}` })
    await first.stop()
    let read = 0
    const journal = journalWith(first.journal, {
      list: async (filter) => {
        const found = await first.journal.list(filter)
        read += found.length
        return found
      },
    })
    const second = kernelWith({ clock, journal, minds: [sleeping, program('other', async () => 1)] })
    await second.run({ kind: 'program', name: 'other', input: null })
    expect(read).toBeLessThan(times.length / 2)
    clock.advance(1_000_000)
    await rest()
    for (let rounds = 0; rounds < 200 && woken.length < times.length; rounds++) {
      clock.advance(10)
      await rest()
    }
    expect(woken.toSorted((a, b) => Number(a) - Number(b))).toEqual(times)
    await second.stop()
  })

  test('a run that is put down while it waits for a moment is scheduled: the process may be about to end', async () => {
    const engine = distantEngine()
    const sleeping = program(
      'main',
      async (_, context) => (await context.perform({ kind: 'sleep', name: 'sleep', input: { until: 1_500 } })).status,
    )
    const kernel = kernelWith({ engine, minds: [sleeping], clock: manualClock(500) })
    const outcome = runMain(kernel)
    await rest()
    await kernel.interrupt('r')
    expect((await outcome).state).toBe('suspended')
    expect(engine.asked).toEqual(['attach', 'schedule r 1500'])
  })

  test('a segment that cannot be driven is an event, not a crash', async () => {
    const journal = memoryJournal()
    const events: RunEventBus = new EventBus()
    const faults: unknown[] = []
    events.on('engine-fault', ({ data }) => void faults.push(data))
    await runMain(kernelWith({ journal, minds: [asking], tools: [ask] }))
    const other = kernelWith({ journal, events })
    await other.respond((await other.approvals())[0]!.id, { answer: 'approve' })
    await eventually(() => faults.length > 0)
    expect(faults).toEqual([{ code: 'NOT_FOUND', message: expect.stringContaining('main') }])
  })

  test('a store that fails for once when the engine starts does not spoil the kernel', async () => {
    const journal = memoryJournal()
    let failures = 1
    const busy = journalWith(journal, {
      list: async (filter) => {
        if (failures-- > 0) throw new Error('busy')
        return journal.list(filter)
      },
    })
    const kernel = kernelWith({ journal: busy, minds: [program('main', async () => 'fine')] })
    await expect(runMain(kernel)).rejects.toThrow('busy')
    expect(outputOf(await runMain(kernel))).toBe('fine')
  })
})

/**
 * Runs a parent that starts a child, which needs an approval, and waits for a tool of its own at the same time. `changes` answers the
 * child's request at the moment under test. The parent's tool ends after the child has. Returns what the parent gave back.
 */
async function answerWhileParentIsBusy(
  inner: Journal,
  changes: (kernel: () => Kernel) => Partial<Journal>,
): Promise<Json> {
  const hold = gate()
  const parent = program('main', async (_, context) => {
    const [child] = await Promise.all([
      context.perform({ kind: 'program', name: 'inner', input: null }),
      call(context, 'hold'),
    ])
    return child.status
  })
  const kernel: Kernel = kernelWith({
    journal: journalWith(
      inner,
      changes(() => kernel),
    ),
    minds: [parent, program('inner', asking.start)],
    tools: [ask, tool('hold', () => hold.promise)],
  })
  const outcome = runMain(kernel)
  await eventually(async () =>
    (await inner.list()).some(({ parent: above, state }) => above === 'r' && state === 'completed'),
  )
  hold.resolve()
  return outputOf(await outcome)
}

describe('a signal that arrives while the run is being put away', () => {
  test('is heard: at the last moment, and between the last look and the letting go', async () => {
    for (const moment of ['release', 'signals', 'schedule'] as const) {
      const inner = memoryJournal()
      const arrived = gate()
      let isSent = false
      const send = async (): Promise<void> => {
        if (isSent || (await inner.summary('r'))?.state !== 'suspended') return
        isSent = true
        const [request] = await kernel.approvals()
        await kernel.respond(request!.id, { answer: 'approve' })
        arrived.resolve()
      }
      const journal = journalWith(inner, {
        release: async (lease) => (await inner.release(lease), moment === 'release' ? send() : undefined),
        signals: async (run) => {
          const found = await inner.signals(run)
          if (moment === 'signals') await send()
          return found
        },
      })
      const engine = distantEngine()
      const schedule = engine.schedule.bind(engine)
      engine.schedule = async (run, at) => (await schedule(run, at), moment === 'schedule' ? send() : undefined)
      const kernel = kernelWith({ journal, engine, minds: [asking], tools: [ask] })
      const outcome = await runMain(kernel)
      await arrived.promise
      await rest()
      // Whoever sent it found the run still being driven here, so it is up to its driver to notice.
      expect([outputOf(outcome), engine.asked.includes('dispatch r'), moment]).toEqual(['ok', false, moment])
    }
  })

  test('for a child is heard by its parent, whatever the parent is doing', async () => {
    const inner = memoryJournal()
    let isSent = false
    const answered = answerWhileParentIsBusy(inner, (kernel) => ({
      release: async (lease) => {
        await inner.release(lease)
        if (isSent || lease.run === 'r') return
        isSent = true
        const [request] = await kernel().approvals()
        await kernel().respond(request!.id, { answer: 'approve' })
      },
    }))
    expect(await answered).toBe('ok')
  })

  test('for a child from another process, after its last look and before its parent listens, is heard', async () => {
    const inner = memoryJournal()
    let isSent = false
    const answered = answerWhileParentIsBusy(inner, () => ({
      signals: async (run) => {
        const found = await inner.signals(run)
        if (isSent || run === 'r' || (await inner.summary(run))?.state !== 'suspended') return found
        isSent = true
        await inner.signal(run, {
          id: 'x',
          type: 'respond',
          at: 0,
          by: { id: 'x', roles: ['owner'] },
          data: { request: 2, response: { answer: 'approve' } },
        })
        return found
      },
    }))
    expect(await answered).toBe('ok')
  })

  test('twice with one id is one, and a signal that makes no sense is refused and gone', async () => {
    const kernel = kernelWith({ engine: distantEngine(), minds: [asking], tools: [ask] })
    await runMain(kernel)
    const by = { id: 'x', roles: ['owner'] }
    for (const data of [null, 'text', {}, { request: 99, response: { answer: 'approve' } }]) {
      await kernel.journal.signal('r', { id: `odd ${JSON.stringify(data)}`, type: 'respond', at: 0, by, data })
    }
    const good = {
      id: 'good',
      type: 'respond',
      at: 0,
      by,
      data: { request: 2, response: { answer: 'approve' } },
    } as const
    expect([await kernel.journal.signal('r', good), await kernel.journal.signal('r', good)]).toEqual([true, false])
    expect(outputOf(await kernel.resume('r'))).toBe('ok')
    const lines = await linesOf(kernel.journal)
    expect([
      lines.filter((line) => line === 'note').length,
      lines.filter((line) => line.startsWith('approval-response')).length,
    ]).toEqual([4, 1])
    expect(await kernel.journal.signals('r')).toEqual([])
  })
})
