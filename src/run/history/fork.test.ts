import { describe, expect, test } from 'vitest'
import type { Json } from '../../core/index.ts'
import { memoryJournal, readAll, readStart } from '../../journal/index.ts'
import {
  call,
  eventually,
  kernelWith,
  linesOf,
  outputOf,
  program,
  runMain,
  tool,
  value,
} from '../kernel/kernel.fixture.ts'

const three = program('main', async (input, context) => {
  const seen: Json[] = [input]
  for (const turn of [1, 2, 3]) seen.push(await value(context, 'act', { turn, after: seen.at(-1)! }))
  return seen
})

function stage(): { kernel: ReturnType<typeof kernelWith>; calls: Json[] } {
  const calls: Json[] = []
  const act = tool(
    'act',
    (input) => (calls.push((input as { turn: Json }).turn), `v${JSON.stringify((input as { turn: Json }).turn)}`),
  )
  return { kernel: kernelWith({ minds: [three], tools: [act] }), calls }
}

describe('fork', () => {
  test('a fork shares the beginning of a run, performs only what comes after, and leaves the other as it was', async () => {
    const { kernel, calls } = stage()
    await runMain(kernel, 'in')
    const before = JSON.stringify(await readAll(kernel.journal, 'r'))
    const at = (await linesOf(kernel.journal)).indexOf('effect-end tool') + 1
    const id = await kernel.fork('r', { at })
    expect(calls).toEqual([1, 2, 3])
    expect(outputOf(await kernel.resume(id))).toEqual(['in', 'v1', 'v2', 'v3'])
    expect(calls).toEqual([1, 2, 3, 2, 3])
    expect(JSON.stringify(await readAll(kernel.journal, 'r'))).toBe(before)
    const original = (await readAll(kernel.journal, 'r'))[at - 1]!
    expect((await readStart(kernel.journal, id))?.forkOf).toMatchObject({ run: 'r', seq: at, hash: original.hash })
    expect([(await kernel.verify(id)).ok, (await kernel.replay(id)).identical]).toEqual([true, true])
  })

  test('is as old as the moment in which it was made, not as the run that it was forked from', async () => {
    const { kernel } = stage()
    await runMain(kernel, 'in')
    const { createdAt } = (await kernel.journal.summary('r'))!
    await eventually(() => kernel.clock.now() > createdAt)
    const id = await kernel.fork('r', { at: 1 })
    expect((await kernel.journal.summary(id))!.createdAt).toBeGreaterThan(createdAt)
    expect((await kernel.journal.list({ limit: 1 }))[0]!.run).toBe(id)
  })

  test('from every entry it has the same result', async () => {
    const { kernel } = stage()
    const output = outputOf(await runMain(kernel, 'in'))
    const { length } = await readAll(kernel.journal, 'r')
    for (let at = 1; at <= length; at++) {
      const id = await kernel.fork('r', { at, runId: `fork-${at}` })
      // What was in flight there is the other run's affair: the fork asks for it anew and is in no doubt.
      expect(outputOf(await kernel.resume(id)), `at ${at}`).toEqual(output)
    }
  })

  test('with another input it shares nothing but the start', async () => {
    const { kernel, calls } = stage()
    await runMain(kernel, 'in')
    const id = await kernel.fork('r', { edit: { input: 'other' } })
    expect(outputOf(await kernel.resume(id))).toEqual(['other', 'v1', 'v2', 'v3'])
    expect(calls).toEqual([1, 2, 3, 1, 2, 3])
  })

  test('with another outcome it continues as if that had happened', async () => {
    const { kernel, calls } = stage()
    await runMain(kernel, 'in')
    const id = await kernel.fork('r', { edit: { key: 'tool#2', value: 'imagined' } })
    expect(outputOf(await kernel.resume(id))).toEqual(['in', 'v1', 'imagined', 'v3'])
    expect(calls).toEqual([1, 2, 3, 3])
    expect((await kernel.verify(id)).ok).toBe(true)
  })

  test('without more it shares all that is finished, and of a finished run only the end is made again', async () => {
    const { kernel, calls } = stage()
    await runMain(kernel, 'in')
    expect(outputOf(await kernel.resume(await kernel.fork('r')))).toEqual(['in', 'v1', 'v2', 'v3'])
    expect(calls).toEqual([1, 2, 3])
  })

  test('what cannot be forked says why', async () => {
    const { kernel } = stage()
    await runMain(kernel)
    for (const at of [0, -1, 1.5, 99])
      await expect(kernel.fork('r', { at }), String(at)).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    await expect(kernel.fork('r', { edit: { key: 'nothing', value: 1 } })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    })
    await expect(kernel.fork('r', { runId: '../r' })).rejects.toMatchObject({ code: 'ID_INVALID' })
    await expect(kernel.fork('r', { runId: 'r' })).rejects.toMatchObject({
      code: expect.stringMatching(/JOURNAL_CONFLICT|RUN_STATE/),
    })
    await expect(kernel.fork('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('approvals come along with their calls, and answer the same requests', async () => {
    const main = program('main', async (_, context) => [await value(context, 'ask', 1), await value(context, 'ask', 2)])
    const calls: Json[] = []
    const parts = {
      minds: [main],
      tools: [tool('ask', (input) => (calls.push(input), input), { needsApproval: true })],
    }
    const kernel = kernelWith({ ...parts, onApproval: () => ({ answer: 'approve' }) })
    await runMain(kernel)
    const at = (await linesOf(kernel.journal)).indexOf('effect-end tool') + 1
    const id = await kernel.fork('r', { at })
    expect([outputOf(await kernel.resume(id)), calls, (await kernel.verify(id)).ok]).toEqual([[1, 2], [1, 2, 2], true])
  })

  test('a fork of a run that was cancelled or killed is alive', async () => {
    const journal = memoryJournal()
    const hang = tool(
      'act',
      (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('cut')))),
    )
    const main = program('main', async (_, context) => (await call(context, 'first'), value(context, 'act')))
    const first = tool('first', () => 1)
    const kernel = kernelWith({ journal, minds: [main], tools: [first, hang] })
    const outcome = runMain(kernel)
    await eventually(async () => (await linesOf(journal)).includes('effect-start tool#2'))
    await kernel.cancel('r')
    await outcome
    const at = (await linesOf(journal)).indexOf('note') + 1
    const healthy = kernelWith({ journal, minds: [main], tools: [first, tool('act', () => 'fine')] })
    expect(outputOf(await healthy.resume(await healthy.fork('r', { at })))).toBe('fine')
    const killing = kernelWith({
      journal,
      minds: [main],
      tools: [first, tool('act', () => 'fine')],
      mandate: { rules: [{ id: 'no', when: { tool: 'act' }, then: 'kill' }] },
    })
    expect(await killing.run({ kind: 'program', name: 'main', input: null, runId: 'killed' })).toMatchObject({
      state: 'failed',
    })
    expect(outputOf(await healthy.resume(await healthy.fork('killed')))).toBe('fine')
    expect(await killing.resume(await killing.fork('killed'))).toMatchObject({
      state: 'failed',
      error: { code: 'KILLED' },
    })
  })
})
