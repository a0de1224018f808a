import { describe, expect, it } from 'vitest'
import { manualClock } from '../core/index.ts'
import type { ManualClock } from '../core/index.ts'
import { foldRun, memoryJournal, readAll } from '../journal/index.ts'
import type { Journal } from '../journal/index.ts'
import {
  call,
  cutAfter,
  entriesOf,
  kernelWith,
  linesOf,
  outputOf,
  program,
  tool,
  value,
} from './kernel/kernel.fixture.ts'
import type { Kernel } from './kernel/kernel.ts'
import type { Mind } from './mind/mind.ts'

const TIME = { timeMs: 5_000 }

function start(kernel: Kernel, budget: { readonly timeMs?: number } = TIME): ReturnType<Kernel['run']> {
  return kernel.run({ kind: 'program', name: 'main', input: null, runId: 'r', budget })
}

const twice = program('main', async (_input, context) => [
  await value(context, 'first'),
  (await call(context, 'second')).status,
])

function kernelAt(clock: ManualClock, first: () => void, more: { minds?: Mind[]; journal?: Journal } = {}): Kernel {
  const tools = [
    tool('first', () => (first(), 1), { idempotent: true }),
    tool('second', () => (clock.advance(3_000), 2), { idempotent: true }),
  ]
  return kernelWith({ clock, tools, minds: [twice], ...more })
}

describe('the limit on time', () => {
  it('does not follow a date that is put forth', async () => {
    const clock = manualClock(1_000)
    const kernel = kernelAt(clock, () => clock.set(1_000_000_000))
    expect(outputOf(await start(kernel))).toEqual([1, 'ok'])
    const [end] = await entriesOf(kernel.journal, 'run-end')
    expect(end!.data).toMatchObject({ activeMs: 3_000 })
  })

  it('does not follow a date that is put back', async () => {
    const clock = manualClock(1_000_000_000)
    const kernel = kernelAt(clock, () => {
      clock.set(1_000)
      clock.advance(6_000)
    })
    expect(outputOf(await start(kernel))).toEqual([1, 'denied'])
  })

  it('counts segments that ended in a crash, up to their last entry', async () => {
    const clock = manualClock(1_000)
    const first = kernelAt(clock, () => clock.advance(3_000))
    await start(first)
    const ended = (await linesOf(first.journal)).indexOf('effect-end tool') + 1
    const journal = await cutAfter(first.journal, 'r', ended)
    const second = kernelAt(clock, () => {}, { journal })
    await second.resume('r')
    const [end] = await entriesOf(journal, 'run-end')
    // Three seconds before the crash and three after it.
    expect(end!.data).toMatchObject({ activeMs: 6_000, error: { code: 'LIMIT_EXCEEDED' } })
  })

  it('counts them by what entries say and not by their dates', async () => {
    const clock = manualClock(1_000)
    const first = kernelAt(clock, () => clock.set(1_000_000_000))
    await start(first)
    const journal = await cutAfter(first.journal, 'r', (await linesOf(first.journal)).indexOf('effect-end tool') + 1)
    const second = kernelAt(clock, () => {}, { journal })
    expect(outputOf(await second.resume('r'))).toEqual([1, 'ok'])
  })

  it('counts a crashed segment that had no limit by the dates of its entries', async () => {
    const clock = manualClock(1_000)
    const first = kernelAt(clock, () => clock.advance(3_000))
    await start(first, {})
    const journal = await cutAfter(first.journal, 'r', (await linesOf(first.journal)).indexOf('effect-end tool') + 1)
    expect(foldRun(await readAll(journal, 'r')).activeMs).toBe(3_000)
  })

  it('counts what a crashed run did through its child', async () => {
    const clock = manualClock(1_000)
    const parent = program('main', async (_input, context) => {
      const outcome = await context.perform({ kind: 'program', name: 'child', input: null })
      return outcome.status
    })
    const child = program('child', twice.start)
    const journal = memoryJournal()
    const first = kernelAt(clock, () => clock.advance(3_000), { minds: [parent, child], journal })
    await start(first)
    const id = (await journal.list({ parent: 'r' }))[0]!.run
    const ended = (await linesOf(journal, id)).indexOf('effect-end tool') + 1
    const cut = await cutAfter(journal, 'r', (await linesOf(journal)).indexOf('effect-start program') + 1)
    const lease = await cut.acquire({ run: id, owner: 'gone', ttlMs: 0, now: 0 })
    await cut.append(lease, 0, (await readAll(journal, id)).slice(0, ended))
    await cut.release(lease)
    const second = kernelAt(clock, () => {}, { minds: [parent, child], journal: cut })
    await second.resume('r')
    const [end] = await entriesOf(cut, 'run-end')
    expect(end!.data).toMatchObject({ activeMs: 6_000 })
  })
})
