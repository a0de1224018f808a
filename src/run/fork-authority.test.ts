import { describe, expect, test } from 'vitest'
import type { Json } from '../core/index.ts'
import { readAll } from '../journal/index.ts'
import type { Tool } from '../tool/index.ts'
import type { Kernel } from './kernel/kernel.ts'
import {
  call,
  cutAfter,
  kernelWith,
  linesOf,
  outputOf,
  program,
  runMain,
  tool,
  value,
} from './kernel/kernel.fixture.ts'

interface Deed {
  readonly input: Json
  readonly key: string
}

function paying(deeds: Deed[], facts: Partial<Tool> = {}): Tool {
  return tool('pay', (input, { idempotencyKey }) => (deeds.push({ input, key: idempotencyKey }), 'paid'), facts)
}

const twice = program('main', async (_, context) => [await value(context, 'pay', 1), await value(context, 'pay', 2)])
const ana = { id: 'ana', roles: ['owner'] }
const eve = { id: 'eve', roles: ['owner'] }

describe('a fork inherits no authority', () => {
  for (const identity of [undefined, eve]) {
    for (const scope of ['run', 'rule'] as const) {
      test(`an approval with the scope "${scope}" does not reach it${identity === undefined ? '' : ', in another name'}`, async () => {
        const deeds: Deed[] = []
        const main = program('main', async (_, context) => [
          await value(context, 'pay', 1),
          await value(context, 'pay', 1),
        ])
        const parts = { minds: [main], tools: [paying(deeds, { needsApproval: true })] }
        const kernel = kernelWith({ ...parts, onApproval: () => ({ answer: 'approve', scope }) })
        await kernel.run({ kind: 'program', name: 'main', input: null, runId: 'r', identity: ana })
        expect(deeds).toHaveLength(2)
        const at = (await linesOf(kernel.journal)).indexOf('effect-end tool') + 1
        const later = kernelWith({ ...parts, journal: kernel.journal })
        const id = await later.fork('r', { at, identity })
        expect(await later.resume(id)).toMatchObject({ state: 'suspended', reason: 'approval' })
        expect([deeds.length, (await later.verify(id)).ok, (await later.verify('r')).ok]).toEqual([2, true, true])
      })
    }
  }
})

/** A run whose process died during its second payment. */
async function inDoubt(deeds: Deed[], facts: Partial<Tool> = {}): Promise<Kernel> {
  const kernel = kernelWith({ minds: [twice], tools: [paying(deeds, facts)] })
  await runMain(kernel)
  const started = (await linesOf(kernel.journal)).indexOf('effect-start tool#2') + 1
  const journal = await cutAfter(kernel.journal, 'r', started)
  return kernelWith({ journal, minds: [twice], tools: [paying(deeds, facts)] })
}

describe('a fork of a run with a call in doubt', () => {
  test('asks about it, and does not make it again by itself', async () => {
    for (const [answer, more] of [
      ['happened', 0],
      ['not-happened', 1],
      ['unknown', 0],
    ] as const) {
      const deeds: Deed[] = []
      const kernel = await inDoubt(deeds)
      const id = await kernel.fork('r')
      expect(await kernel.resume(id)).toMatchObject({ state: 'suspended', reason: 'in-doubt' })
      expect(deeds).toHaveLength(2)
      const [request] = await kernel.approvals(id)
      await kernel.respond(request!.id, { answer, ...(answer === 'happened' ? { value: 'paid' } : {}) })
      expect((await kernel.resume(id)).state).toBe('completed')
      expect(deeds.slice(2).map(({ key }) => key)).toEqual(more === 1 ? ['r/tool#2'] : [])
      expect([(await kernel.verify(id)).ok, (await kernel.replay(id)).identical]).toEqual([true, true])
    }
  })

  test('takes no answer that was given to the other run', async () => {
    const deeds: Deed[] = []
    const kernel = await inDoubt(deeds)
    await kernel.resume('r')
    const [request] = await kernel.approvals('r')
    await kernel.respond(request!.id, { answer: 'not-happened' })
    await kernel.resume('r')
    const lines = await linesOf(kernel.journal)
    const id = await kernel.fork('r', { at: lines.findLastIndex((line) => line.startsWith('approval-response')) + 1 })
    // It ended there since, so it is in doubt no longer: the fork goes back to before the call.
    expect((await kernel.resume(id)).state).toBe('completed')
    const cut = kernelWith({
      journal: await cutAfter(kernel.journal, 'r', lines.findLastIndex((line) => line.startsWith('effect-retry')) + 1),
      minds: [twice],
      tools: [paying(deeds)],
    })
    const before = deeds.length
    expect(await cut.resume(await cut.fork('r'))).toMatchObject({ state: 'suspended', reason: 'in-doubt' })
    expect(deeds).toHaveLength(before)
  })

  test('looks it up by the key that it was made with, also a fork of the fork', async () => {
    const deeds: Deed[] = []
    const asked: string[] = []
    const reconcile: NonNullable<Tool['reconcile']> = async (_, { idempotencyKey }) => {
      asked.push(idempotencyKey)
      return deeds.some(({ key }) => key === idempotencyKey)
        ? { status: 'done', value: 'paid' }
        : { status: 'not-done' }
    }
    const kernel = await inDoubt(deeds, { reconcile })
    const second = await kernel.fork(await kernel.fork('r'))
    expect(outputOf(await kernel.resume(second))).toEqual(['paid', 'paid'])
    expect([asked, deeds.length]).toEqual([['r/tool#2'], 2])
  })

  test('asks about one that a child had in flight, and repeats nothing that the child has done', async () => {
    const deeds: Deed[] = []
    const parent = program('main', async (_, context) => {
      const outcome = await context.perform({ kind: 'program', name: 'child', input: null })
      return outcome.status === 'ok' ? outcome.value : outcome.status
    })
    const minds = [parent, program('child', twice.start)]
    const whole = kernelWith({ minds, tools: [paying(deeds)] })
    await runMain(whole)
    const child = (await whole.journal.list({ parent: 'r' }))[0]!.run
    const journal = await cutAfter(
      whole.journal,
      'r',
      (await linesOf(whole.journal)).indexOf('effect-start program') + 1,
    )
    const cut = await cutAfter(
      whole.journal,
      child,
      (await linesOf(whole.journal, child)).indexOf('effect-start tool#2') + 1,
    )
    const lease = await journal.acquire({ run: child, owner: 'gone', ttlMs: 0, now: 0 })
    await journal.append(lease, 0, await readAll(cut, child))
    await journal.release(lease)
    const kernel = kernelWith({ journal, minds, tools: [paying(deeds)] })
    const id = await kernel.fork('r', { identity: eve })
    expect(await kernel.resume(id)).toMatchObject({ state: 'suspended', reason: 'in-doubt' })
    const [request] = await kernel.approvals(id)
    await kernel.respond(request!.id, { answer: 'happened', value: 'paid' })
    expect(outputOf(await kernel.resume(id))).toEqual(['paid', 'paid'])
    expect(deeds).toHaveLength(2)
    const copied = (await readAll(journal, request!.run))[0]!.data
    expect(copied).toMatchObject({ identity: eve, parent: { run: id }, forkOf: { run: child } })
    expect([(await kernel.verify(id)).ok, (await kernel.verify(request!.run)).ok]).toEqual([true, true])
  })

  test('of a call that may be repeated it simply makes it', async () => {
    const deeds: Deed[] = []
    const kernel = await inDoubt(deeds, { idempotent: true })
    expect(outputOf(await kernel.resume(await kernel.fork('r')))).toEqual(['paid', 'paid'])
  })

  test('it diverges where the mind now asks for something else under that key', async () => {
    const deeds: Deed[] = []
    const kernel = await inDoubt(deeds)
    const other = program('main', async (_, context) => [
      await value(context, 'pay', 1),
      (await call(context, 'pay', 3)).status,
    ])
    const changed = kernelWith({ journal: kernel.journal, minds: [other], tools: [paying(deeds)] })
    await expect(changed.resume(await changed.fork('r'))).rejects.toMatchObject({ code: 'REPLAY_DIVERGED' })
    expect(deeds).toHaveLength(2)
  })
})
