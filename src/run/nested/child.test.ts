import { describe, expect, test } from 'vitest'
import { MandateError } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { memoryJournal, readAll } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import { childId } from './child-id.ts'
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
import type { Mind } from '../mind/mind.ts'

const calling =
  (count: number): Mind['start'] =>
  async (_, context) => {
    const statuses: Json[] = []
    for (let turn = 0; turn < count; turn++) statuses.push((await call(context, 'act')).status)
    return statuses
  }
const parent = program(
  'main',
  async (_, context) => (await context.perform({ kind: 'program', name: 'inner', input: 7 })) as unknown as Json,
)

describe('a child run', () => {
  test('has a journal of its own, its parent in it, and its output is the value of the effect', async () => {
    const kernel = kernelWith({
      minds: [parent, program('inner', async (input, { depth, sessionId }) => [input, depth, sessionId])],
    })
    expect(outputOf(await runMain(kernel))).toEqual({ status: 'ok', value: [7, 1, 'r'] })
    const id = childId('r', 'program')
    expect(await linesOf(kernel.journal, id)).toEqual(['run-start', 'run-end'])
    expect((await kernel.journal.summary(id))!.parent).toBe('r')
    expect((await kernel.list({ parent: null })).map(({ run }) => run)).toEqual(['r'])
  })

  test('that fails is a failed effect with its code, and the parent goes on', async () => {
    const kernel = kernelWith({
      minds: [
        parent,
        program('inner', async () => {
          throw new Error('broken')
        }),
      ],
    })
    expect(outputOf(await runMain(kernel))).toMatchObject({
      status: 'failed',
      error: { code: 'MIND_FAILED', message: 'broken' },
    })
  })

  test('that nobody registered is denied', async () => {
    expect(outputOf(await runMain(kernelWith({ minds: [parent] })))).toMatchObject({
      status: 'denied',
      reason: expect.stringContaining('main'),
    })
  })

  test('has an id that follows from its parent and its key, is safe at every depth, and is found by its parent', () => {
    let id = 'run'
    const seen = new Set<string>()
    for (let depth = 0; depth < 30; depth++) {
      id = childId(id, 'program')
      expect(id).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/)
      seen.add(id)
    }
    expect(seen.size).toBe(30)
    expect(childId('r', 'a')).toBe(childId('r', 'a'))
    expect(childId('r', 'a')).not.toBe(childId('r', 'a#2'))
  })

  test('that had ended when its parent died is not run again', async () => {
    let runs = 0
    const inner = program('inner', async () => ++runs)
    const journal = memoryJournal()
    const append: Journal['append'] = async (lease, expected, entries, consume) => {
      if (lease.run === 'r' && entries.some(({ type }) => type === 'effect-end')) throw new Error('gone')
      return journal.append(lease, expected, entries, consume)
    }
    expect(
      await runMain(kernelWith({ journal: journalWith(journal, { append }), minds: [parent, inner] })),
    ).toMatchObject({ state: 'suspended', reason: 'disk' })
    expect(outputOf(await kernelWith({ journal, minds: [parent, inner] }).resume('r'))).toEqual({
      status: 'ok',
      value: 1,
    })
    expect(runs).toBe(1)
  })

  test("is in its parent's journal before it is there itself: whoever takes the parent down finds it", async () => {
    const inner = memoryJournal()
    const { journal, open } = holdAppends(inner, (types, run) => run === 'r' && types.includes('effect-start'))
    const outcome = runMain(kernelWith({ journal, minds: [parent, program('inner', async () => 1)] }))
    await rest()
    expect((await inner.list()).map(({ run }) => run)).toEqual(['r'])
    open()
    expect(outputOf(await outcome)).toMatchObject({ status: 'ok' })
  })

  test("has a seed that follows from its parent's, so that one seed fixes the whole tree", async () => {
    const draw = async (seed: string): Promise<unknown> => {
      const kernel = kernelWith({ minds: [parent, program('inner', async (_, context) => context.random())] })
      return outputOf(await kernel.run({ kind: 'program', name: 'main', input: null, seed }))
    }
    expect(await draw('a')).toEqual(await draw('a'))
    expect(await draw('a')).not.toEqual(await draw('b'))
  })
})

describe('one budget for the tree', () => {
  const limited = (kernel: ReturnType<typeof kernelWith>, budget: object): Promise<unknown> =>
    kernel.run({ kind: 'program', name: 'main', input: null, runId: 'r', budget }).then(outputOf)

  test('what a child spends is spent for its parent and its siblings', async () => {
    const main = program('main', async (_, context) => {
      const run = (): Promise<unknown> => context.perform({ kind: 'program', name: 'inner', input: null })
      return [(await run()) as Json, (await run()) as Json, (await call(context, 'act')).status]
    })
    const kernel = kernelWith({ minds: [main, program('inner', calling(2))], tools: [tool('act', () => 1)] })
    expect(await limited(kernel, { toolCalls: 3 })).toEqual([
      { status: 'ok', value: ['ok', 'ok'] },
      { status: 'ok', value: ['ok', 'denied'] },
      'denied',
    ])
    const spent = (await entriesOf(kernel.journal, 'effect-end')).map(({ data }) => data.spent.toolCalls)
    expect(spent).toEqual([2, 1, undefined])
    expect((await entriesOf(kernel.journal, 'run-end'))[0]!.data).toMatchObject({ spent: { toolCalls: 3 } })
  })

  test('what a child had spent before a crash is counted once, whether it goes on or had ended', async () => {
    for (const [innerCalls, isAsking] of [
      [1, true],
      [2, true],
      [2, false],
    ] as const) {
      const main = program('main', async (_, context) => {
        const child = (await context.perform({ kind: 'program', name: 'inner', input: null })) as unknown as Json
        return [child, (await call(context, 'act')).status, (await call(context, 'act')).status]
      })
      const inner = program('inner', async (_, context) => {
        const first = [...((await calling(innerCalls)(null, context)) as Json[])]
        return isAsking ? [...first, (await call(context, 'ask')).status] : first
      })
      const tools = [tool('act', () => 1), tool('ask', () => 1, { needsApproval: true })]
      const journal = memoryJournal()
      // The parent's entries after the child's start are lost; the child's are not.
      const append: Journal['append'] = async (lease, expected, entries, consume) => {
        if (lease.run === 'r' && expected > 0 && !entries.some(({ type }) => type === 'effect-start'))
          throw new Error('gone')
        return journal.append(lease, expected, entries, consume)
      }
      const total = innerCalls + (isAsking ? 1 : 0)
      expect(
        await limited(kernelWith({ journal: journalWith(journal, { append }), minds: [main, inner], tools }), {
          toolCalls: total + 1,
        }),
      ).toBe('suspended')
      const kernel = kernelWith({ journal, minds: [main, inner], tools, onApproval: () => ({ answer: 'approve' }) })
      expect(outputOf(await kernel.resume('r'))).toEqual([
        { status: 'ok', value: Array.from({ length: total }, () => 'ok') },
        'ok',
        'denied',
      ])
    }
  })

  test('a child that was suspended and brought back under a living parent is not counted twice', async () => {
    const main = program('main', async (_, context) => {
      const [child] = await Promise.all([
        context.perform({ kind: 'program', name: 'inner', input: null }),
        call(context, 'hold'),
      ])
      return [child as unknown as Json, (await call(context, 'act')).status, (await call(context, 'act')).status]
    })
    const inner = program('inner', async (_, context) => [
      context.step()?.status ?? 'ok',
      await value(context, 'act'),
      await value(context, 'ask'),
      context.step()?.status ?? 'ok',
    ])
    const hold = gate()
    const tools = [
      tool('act', () => 'done'),
      tool('ask', () => 'done', { needsApproval: true }),
      tool('hold', () => hold.promise),
    ]
    const kernel = kernelWith({ minds: [main, inner], tools })
    const outcome = limited(kernel, { toolCalls: 4, steps: 2 })
    const child = childId('r', 'program')
    await eventually(async () => (await kernel.journal.summary(child))?.state === 'suspended')
    await kernel.respond((await kernel.approvals())[0]!.id, { answer: 'approve' })
    await eventually(async () => (await kernel.journal.summary(child))!.state === 'completed')
    hold.resolve()
    expect(await outcome).toEqual([{ status: 'ok', value: ['ok', 'done', 'done', 'ok'] }, 'ok', 'denied'])
  })

  test('nor are its own children', async () => {
    const main = program('main', async (_, context) => {
      const [child] = await Promise.all([
        context.perform({ kind: 'program', name: 'middle', input: null }),
        call(context, 'hold'),
      ])
      return [child as unknown as Json, (await call(context, 'act')).status, (await call(context, 'act')).status]
    })
    const middle = program(
      'middle',
      async (_, context) => (await context.perform({ kind: 'program', name: 'inner', input: null })) as unknown as Json,
    )
    const inner = program('inner', async (_, context) => [await value(context, 'act'), await value(context, 'ask')])
    const hold = gate()
    const tools = [
      tool('act', () => 'done'),
      tool('ask', () => 'done', { needsApproval: true }),
      tool('hold', () => hold.promise),
    ]
    const kernel = kernelWith({ minds: [main, middle, inner], tools })
    const outcome = limited(kernel, { toolCalls: 4 })
    const child = childId('r', 'program')
    await eventually(async () => (await kernel.journal.summary(child))?.state === 'suspended')
    await kernel.respond((await kernel.approvals())[0]!.id, { answer: 'approve' })
    await eventually(async () => (await kernel.journal.summary(child))!.state === 'completed')
    hold.resolve()
    expect(await outcome).toEqual([{ status: 'ok', value: { status: 'ok', value: ['done', 'done'] } }, 'ok', 'denied'])
  })

  test('an allotment is taken from the parent, limits the child, and what is left comes back', async () => {
    const main = program('main', async (_, context) => {
      const child = context.perform({ kind: 'program', name: 'inner', input: null, allot: { toolCalls: 2 } })
      await rest()
      const during = (await Promise.all([call(context, 'act'), call(context, 'act')])).map(({ status }) => status)
      return [(await child) as unknown as Json, during.sort(), (await call(context, 'act')).status]
    })
    const inner = program('inner', async (_, context) => (await rest(), await call(context, 'act')).status)
    const kernel = kernelWith({ minds: [main, inner], tools: [tool('act', () => 1)] })
    // Of three, two are the child's for as long as it runs; it uses one.
    expect(await limited(kernel, { toolCalls: 3 })).toEqual([{ status: 'ok', value: 'ok' }, ['denied', 'ok'], 'ok'])
  })

  test('an allotted child cannot pass a limit of its parent that the allotment does not name', async () => {
    const main = program(
      'main',
      async (_, context) =>
        (await context.perform({
          kind: 'program',
          name: 'inner',
          input: null,
          allot: { modelCalls: 1 },
        })) as unknown as Json,
    )
    const kernel = kernelWith({ minds: [main, program('inner', calling(3))], tools: [tool('act', () => 1)] })
    expect(await limited(kernel, { toolCalls: 2, modelCalls: 5 })).toEqual({
      status: 'ok',
      value: ['ok', 'ok', 'denied'],
    })
  })

  test('an allotment that is not there is denied', async () => {
    const main = program(
      'main',
      async (_, context) =>
        (await context.perform({
          kind: 'program',
          name: 'inner',
          input: null,
          allot: { toolCalls: 9 },
        })) as unknown as Json,
    )
    expect(await limited(kernelWith({ minds: [main, program('inner', calling(1))] }), { toolCalls: 3 })).toMatchObject({
      status: 'denied',
      code: 'LIMIT_EXCEEDED',
    })
  })

  test('runs nest as deep as the limit says, allotted or not', async () => {
    for (const allot of [undefined, { toolCalls: 5 }]) {
      const nest: Mind['start'] = async (_, context) => {
        const outcome = await context.perform({
          kind: 'program',
          name: 'inner',
          input: null,
          ...(allot === undefined ? {} : { allot }),
        })
        return outcome.status === 'ok' ? 1 + (outcome.value as number) : 0
      }
      const kernel = kernelWith({ minds: [program('main', nest), program('inner', nest)] })
      expect(await limited(kernel, { depth: 3, toolCalls: 5 })).toBe(3)
    }
  })
})

describe('mandates of a tree', () => {
  test('the strictest of parent, child and host decides, in every direction', async () => {
    const tools = [
      tool('host-denies', () => 1),
      tool('parent-denies', () => 1),
      tool('child-denies', () => 1),
      tool('free', () => 1),
    ]
    const trying: Mind['start'] = async (_, context) => {
      const statuses: Record<string, Json> = {}
      for (const { name } of tools) statuses[name] = (await call(context, name)).status
      return statuses
    }
    const main = program(
      'main',
      async (input, context) => [
        await trying(input, context),
        (await context.perform({ kind: 'program', name: 'inner', input: null })) as unknown as Json,
      ],
      { mandate: { deny: ['parent-denies'] } },
    )
    const inner = program('inner', trying, { mandate: { deny: ['child-denies'] } })
    const kernel = kernelWith({ minds: [main, inner], tools, mandate: { deny: ['host-denies'] } })
    expect(outputOf(await runMain(kernel))).toEqual([
      { 'host-denies': 'denied', 'parent-denies': 'denied', 'child-denies': 'ok', free: 'ok' },
      {
        status: 'ok',
        value: { 'host-denies': 'denied', 'parent-denies': 'denied', 'child-denies': 'denied', free: 'ok' },
      },
    ])
  })
})

describe('a child that cannot be driven', () => {
  test('because someone else has it, or its mind is missing or changed, stops its parent without an outcome; both go on later', async () => {
    const inner = program('inner', async (_, context) => [
      await value(context, 'act', 1),
      await value(context, 'ask', 2),
    ])
    const changed = program('inner', async (_, context) => [
      await value(context, 'act', 'other'),
      await value(context, 'ask', 2),
    ])
    const tools = [tool('act', () => 'done'), tool('ask', () => 'asked', { needsApproval: true })]
    const journal = memoryJournal()
    await runMain(kernelWith({ journal, minds: [parent, inner], tools }))
    const child = childId('r', 'program')
    const before = JSON.stringify([await readAll(journal, 'r'), await readAll(journal, child)])
    await expect(kernelWith({ journal, minds: [parent], tools }).resume('r')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('inner'),
    })
    await expect(kernelWith({ journal, minds: [parent, changed], tools }).resume('r')).rejects.toMatchObject({
      code: 'REPLAY_DIVERGED',
    })
    const lease = await journal.acquire({ run: child, owner: 'someone', ttlMs: 60_000, now: Date.now() })
    await expect(kernelWith({ journal, minds: [parent, inner], tools }).resume('r')).rejects.toMatchObject({
      code: 'LEASE_HELD',
    })
    await journal.release(lease)
    expect(JSON.stringify([await readAll(journal, 'r'), await readAll(journal, child)])).toBe(before)
    const kernel = kernelWith({ journal, minds: [parent, inner], tools, onApproval: () => ({ answer: 'approve' }) })
    expect(outputOf(await kernel.resume('r'))).toEqual({ status: 'ok', value: ['done', 'asked'] })
  })

  test('lets what else is in flight end first, and records it', async () => {
    const calls: string[] = []
    const main = program('main', async (_, context) => {
      const both = await Promise.all([
        context.perform({ kind: 'program', name: 'inner', input: null }),
        call(context, 'slow'),
      ])
      return both.map(({ status }) => status)
    })
    const slow = tool('slow', async () => (calls.push('slow'), await rest(), 'slow'))
    const journal = memoryJournal()
    const held = journalWith(journal, {
      acquire: async (options) => {
        if (options.run !== 'r') throw Object.assign(new Error('held'), { code: 'LEASE_HELD' })
        return journal.acquire(options)
      },
    })
    await expect(
      runMain(kernelWith({ journal: held, minds: [main, program('inner', async () => 1)], tools: [slow] })),
    ).rejects.toThrow('held')
    const kernel = kernelWith({ journal, minds: [main, program('inner', async () => 1)], tools: [slow] })
    expect(outputOf(await kernel.resume('r'))).toEqual(['ok', 'ok'])
    expect(calls).toEqual(['slow'])
  })

  test('because its own journal cannot be written takes the tree to rest, once, with what is wrong', async () => {
    const inner = memoryJournal()
    let refusals = 0
    const append: Journal['append'] = async (lease, expected, entries, consume) => {
      if (lease.run !== 'r' && entries.some(({ type }) => type === 'effect-start')) {
        refusals += 1
        throw new MandateError('DISK_FULL', 'no room')
      }
      return inner.append(lease, expected, entries, consume)
    }
    const minds = [parent, program('inner', calling(1))]
    const tools = [tool('act', () => 1)]
    const outcome = await runMain(kernelWith({ journal: journalWith(inner, { append }), minds, tools }))
    expect(outcome).toMatchObject({ state: 'suspended', reason: 'disk', error: { code: 'DISK_FULL' } })
    await rest()
    expect(refusals).toBe(1)
    expect(outputOf(await kernelWith({ journal: inner, minds, tools }).resume('r'))).toEqual({
      status: 'ok',
      value: ['ok'],
    })
  })

  test('because its parent has lost its own journal is not over: nothing says so in its journal', async () => {
    const cut = gate()
    const inner = program('inner', async (_, context) => value(context, 'hang'))
    const main = program('main', async (_, context) => {
      const child = context.perform({ kind: 'program', name: 'inner', input: null })
      await call(context, 'act')
      return (await child).status
    })
    const hang = tool(
      'hang',
      (_, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => (cut.resolve(), resolve('cut')))),
    )
    const journal = memoryJournal()
    const append: Journal['append'] = async (lease, expected, entries, consume) => {
      if (lease.run === 'r' && entries.some(({ type }) => type === 'effect-end'))
        throw Object.assign(new Error('disk'), { code: 'STORE_FAILED' })
      return journal.append(lease, expected, entries, consume)
    }
    const tools = [hang, tool('act', async () => (await rest(), 1))]
    expect(
      await runMain(kernelWith({ journal: journalWith(journal, { append }), minds: [main, inner], tools })),
    ).toMatchObject({ state: 'suspended', reason: 'disk' })
    await cut.promise
    await rest()
    const child = childId('r', 'program')
    expect((await journal.summary(child))!.state).toBe('running')
    const healthy = [tool('hang', () => 'fine'), tool('act', () => 1)]
    const kernel = kernelWith({
      journal,
      minds: [main, inner],
      tools: healthy,
      onApproval: () => ({ answer: 'not-happened' }),
      limits: { leaseMs: 1 },
    })
    expect(outputOf(await kernel.resume('r'))).toBe('ok')
  })
})
