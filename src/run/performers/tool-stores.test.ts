import { describe, expect, test } from 'vitest'
import { MandateError } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { inMemory } from '../../memory/index.ts'
import type { MemoryPolicy } from '../../memory/index.ts'
import {
  call,
  cutAfter,
  entriesOf,
  kernelWith,
  linesOf,
  outputOf,
  program,
  runMain,
  tool,
} from '../kernel/kernel.fixture.ts'
import { gate } from '../kernel/kernel.fixture.ts'
import type { KernelParts } from '../kernel/kernel.fixture.ts'
import type { Tool } from '../../tool/index.ts'

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
  return (await entriesOf(journal!, 'effect-end')).map(({ data }) => data.spent)
}

test('what a tool writes to memory counts in the budget, each write with an entry of its own', async () => {
  const { kernel, memory } = keeping([2, 0, 2], undefined, { mandate: { budget: { storeWrites: 3 } } })
  const outcomes = outputOf(await runMain(kernel))
  expect(outcomes).toMatchObject([
    { status: 'ok' },
    { status: 'ok' },
    { status: 'failed', error: { code: 'LIMIT_EXCEEDED' } },
  ])
  expect(await memory.read('s')).toEqual([0, 1, 0])
  expect(await spentBy(kernel.journal)).toEqual([
    ...[{ storeWrites: 1 }, { storeWrites: 1 }, { toolCalls: 1 }],
    { toolCalls: 1 },
    ...[{ storeWrites: 1 }, {}, { toolCalls: 1 }],
  ])
  expect((await kernel.replay('r')).identical).toBe(true)
})

test('it stays counted in another process', async () => {
  const first = keeping([2, 2], undefined, { mandate: { budget: { storeWrites: 3 } } })
  await runMain(first.kernel)
  const ended = (await linesOf(first.kernel.journal)).indexOf('effect-end tool')
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
  expect(await spentBy(kernel.journal)).toEqual([{ storeWrites: 1 }, { storeWrites: 1 }, { toolCalls: 1 }])
})

test('what a tool writes is held to the policy of its run: no more entries, and none at all in a dry run', async () => {
  const bounded = keeping([3], { maxEntries: 2 })
  await runMain(bounded.kernel)
  expect(await bounded.memory.read('s')).toEqual([1, 2])
  const dry = keeping([3], { dryRun: true })
  expect(outputOf(await runMain(dry.kernel))).toMatchObject([{ status: 'ok' }])
  expect(await dry.memory.read('s')).toEqual([])
})

describe('a write of a tool is an effect', () => {
  const remembering = (parts: KernelParts = {}, run?: Tool['run'], facts: Partial<Tool> = {}) => {
    const memory = inMemory()
    const main = program('main', async (_, context) => (await call(context, 'keep', 'x')) as unknown as Json, {
      resources: { memory },
    })
    const keep = tool(
      'keep',
      run ?? (async (_, { memory: own }) => (await own!.append('s', 'the secret'), 'kept')),
      facts,
    )
    return { memory, kernel: kernelWith({ minds: [main], tools: [keep], ...parts }) }
  }

  test('with entries below the key of the call, which no mind is owed: the run replays and verifies', async () => {
    const { kernel, memory } = remembering()
    expect(outputOf(await runMain(kernel))).toEqual({ status: 'ok', value: 'kept' })
    expect(await linesOf(kernel.journal)).toEqual([
      'run-start',
      'effect-start tool',
      'effect-start tool/ctx.write',
      'effect-end tool/ctx.write',
      'effect-end tool',
      'run-end',
    ])
    expect(await memory.read('s')).toEqual(['the secret'])
    expect(await kernel.replay('r')).toMatchObject({ identical: true, complete: true })
    expect((await kernel.verify('r')).ok).toBe(true)
  })

  test('that deny lists, content rules and limits of the mandate hold for', async () => {
    const word = { id: 'word', on: ['memory-write'], words: ['secret'] } as const
    for (const [mandate, code] of [
      [{ deny: ['memory:*'] }, 'DENIED'],
      [{ content: [{ ...word, then: 'block' }] }, 'CONTENT_BLOCKED'],
      [{ budget: { storeWrites: 0 } }, 'LIMIT_EXCEEDED'],
    ] as const) {
      const { kernel, memory } = remembering({ mandate })
      expect(outputOf(await runMain(kernel)), code).toMatchObject({ status: 'failed', error: { code } })
      expect(await memory.read('s'), code).toEqual([])
      expect((await entriesOf(kernel.journal, 'effect-decide')).map(({ key }) => key)).toEqual(['tool/ctx.write'])
    }
    const redacting = remembering({ mandate: { content: [{ ...word, then: 'redact' }] } })
    expect(outputOf(await runMain(redacting.kernel))).toMatchObject({ status: 'ok' })
    expect(JSON.stringify(await redacting.memory.read('s'))).not.toContain('secret')
  })

  test('with the labels of the call, of the tool and of what it has read', async () => {
    const { kernel, memory } = remembering(
      {},
      async (_, { memory: own, addLabels }) => {
        addLabels!(['pii'])
        await own!.append('s', 'said')
        return null
      },
      { labels: ['untrusted'] },
    )
    await runMain(kernel)
    const start = (await entriesOf(kernel.journal, 'effect-start')).find(({ key }) => key === 'tool/ctx.write')
    expect(start!.data.labels).toEqual(['pii', 'untrusted'])
    expect(JSON.stringify(await memory.read('s'))).toContain('untrusted')
  })

  test('that is not made again when the call is made again after a crash', async () => {
    let calls = 0
    const run: Tool['run'] = async (_, { memory: own }) => {
      calls += 1
      await own!.append('s', 'one')
      await own!.append('s', 'two')
      await own!.append('s', 'one')
      return 'kept'
    }
    const first = remembering({}, run, { idempotent: true })
    await runMain(first.kernel)
    const lines = await linesOf(first.kernel.journal)
    // The process died after the second write of three.
    const journal = await cutAfter(first.kernel.journal, 'r', lines.indexOf('effect-end tool/ctx.write#2') + 1)
    const second = remembering({ journal }, run, { idempotent: true })
    expect(outputOf(await second.kernel.resume('r'))).toEqual({ status: 'ok', value: 'kept' })
    expect(calls).toBe(2)
    expect(await second.memory.read('s')).toEqual(['one'])
    expect(await linesOf(journal)).toContain('effect-end tool/ctx.write#3')
    expect((await second.kernel.replay('r')).identical).toBe(true)
  })

  test('that needs no slot of its own, and that the call waits for', async () => {
    const { kernel, memory } = remembering({ limits: { parallel: 1 } }, (_, { memory: own }) => {
      void own!.append('s', 'not waited for')
      return 'kept'
    })
    expect(outputOf(await runMain(kernel))).toEqual({ status: 'ok', value: 'kept' })
    expect(await memory.read('s')).toEqual(['not waited for'])
    expect((await linesOf(kernel.journal)).slice(-2)).toEqual(['effect-end tool', 'run-end'])
  })

  test('that ends with the call while the process wants to stop, and is refused after the call', async () => {
    const [begun, held] = [gate(), gate()]
    let late: Promise<void> | undefined
    const { kernel, memory } = remembering({}, async (_, { memory: own }) => {
      begun.resolve()
      await held.promise
      await own!.append('s', 'in time')
      late = new Promise((resolve) => setTimeout(resolve, 20)).then(() => own!.append('s', 'too late'))
      late.catch(() => {})
      return 'kept'
    })
    const outcome = runMain(kernel)
    await begun.promise
    const stopped = kernel.stop()
    held.resolve()
    await outcome
    await stopped
    await expect(late).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(await memory.read('s')).toEqual(['in time'])
  })

  test('that a person who approved the call is not asked about again; one in a call that only reads is', async () => {
    for (const risk of ['write', 'read'] as const) {
      const asked: string[] = []
      const { kernel, memory } = remembering(
        { mandate: { profile: 'strict' }, onApproval: ({ key }) => (asked.push(key), { answer: 'approve' }) },
        undefined,
        { risk },
      )
      expect(outputOf(await runMain(kernel))).toMatchObject({ status: 'ok' })
      expect(asked).toEqual([risk === 'write' ? 'tool' : 'tool/ctx.write'])
      expect(await memory.read('s')).toHaveLength(1)
    }
  })
})
