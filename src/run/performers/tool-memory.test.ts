import { expect, test } from 'vitest'
import { MandateError } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { EffectEndData } from '../../journal/index.ts'
import { inMemory } from '../../memory/index.ts'
import type { MemoryPolicy } from '../../memory/index.ts'
import { call, cutAfter, entriesOf, kernelWith, linesOf, outputOf, program, runMain, tool } from '../kernel.fixture.ts'
import type { KernelParts } from '../kernel.fixture.ts'

/** Calls `keep` as often as there are inputs, one after the other; each writes so many entries. */
function keeping(counts: readonly number[], policy: MemoryPolicy | undefined, parts: KernelParts = {}) {
  const memory = inMemory()
  const main = program(
    'main',
    async (_, context) => {
      const outcomes: Json[] = []
      for (const count of counts) outcomes.push((await call(context, 'keep', count)) as unknown as Json)
      return outcomes
    },
    { resources: { memory, memoryPolicy: policy } },
  )
  const keep = tool('keep', async (count, context) => {
    for (let written = 0; written < (count as number); written++) await context.memory!.append('s', written)
    return 'kept'
  })
  return { memory, kernel: kernelWith({ minds: [main], tools: [keep], ...parts }) }
}

async function spentBy(journal: KernelParts['journal']): Promise<unknown[]> {
  return (await entriesOf(journal!, 'effect-end')).map(({ data }) => (data as unknown as EffectEndData).spent)
}

test('what a tool writes to memory counts in the budget, and the end of its call says how much', async () => {
  const { kernel, memory } = keeping([2, 0, 2], undefined, { mandate: { budget: { storeWrites: 3 } } })
  const outcomes = outputOf(await runMain(kernel))
  expect(outcomes).toMatchObject([
    { status: 'ok' },
    { status: 'ok' },
    { status: 'failed', error: { code: 'LIMIT_EXCEEDED' } },
  ])
  expect(await memory.read('s')).toEqual([0, 1, 0])
  expect(await spentBy(kernel.journal)).toEqual([
    { storeWrites: 2, toolCalls: 1 },
    { toolCalls: 1 },
    { storeWrites: 1, toolCalls: 1 },
  ])
  expect((await kernel.replay('r')).identical).toBe(true)
})

test('it stays counted in another process', async () => {
  const first = keeping([2, 2], undefined, { mandate: { budget: { storeWrites: 3 } } })
  await runMain(first.kernel)
  const ended = (await linesOf(first.kernel.journal)).findIndex((line) => line.startsWith('effect-end'))
  const journal = await cutAfter(first.kernel.journal, 'r', ended + 1)
  const second = keeping([2, 2], undefined, { mandate: { budget: { storeWrites: 3 } }, journal })
  const outcomes = outputOf(await second.kernel.resume('r'))
  expect(outcomes).toMatchObject([{ status: 'ok' }, { status: 'failed', error: { code: 'LIMIT_EXCEEDED' } }])
  expect(await second.memory.read('s')).toEqual([0])
})

test('attempts that failed have written too', async () => {
  const memory = inMemory()
  let attempts = 0
  const main = program('main', async (_, context) => (await call(context, 'keep')) as unknown as Json, {
    resources: { memory },
  })
  const keep = tool(
    'keep',
    async (_, context) => {
      await context.memory!.append('s', attempts)
      if ((attempts += 1) < 2) throw new MandateError('TOOL_FAILED', 'Not yet.')
      return 'kept'
    },
    { idempotent: true, retry: { attempts: 2, backoffMs: 0 } },
  )
  const kernel = kernelWith({ minds: [main], tools: [keep], mandate: { budget: { storeWrites: 9 } } })
  expect(outputOf(await runMain(kernel))).toMatchObject({ status: 'ok' })
  expect(await spentBy(kernel.journal)).toEqual([{ storeWrites: 2, toolCalls: 1 }])
})

test('what a tool writes is held to the policy of its run: no more entries, and none at all in a dry run', async () => {
  const bounded = keeping([3], { maxEntries: 2 })
  await runMain(bounded.kernel)
  expect(await bounded.memory.read('s')).toEqual([1, 2])
  const dry = keeping([3], { dryRun: true })
  expect(outputOf(await runMain(dry.kernel))).toMatchObject([{ status: 'ok' }])
  expect(await dry.memory.read('s')).toEqual([])
})
