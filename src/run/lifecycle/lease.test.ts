import { describe, expect, test } from 'vitest'
import type { Json } from '../../core/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import {
  call,
  entriesOf,
  eventually,
  gate,
  journalWith,
  kernelWith,
  linesOf,
  outputOf,
} from '../kernel/kernel.fixture.ts'
import { program, rest, runMain, tool } from '../kernel/kernel.fixture.ts'

const LATER = 10_000_000_000_000

/** Another owner, whose clock is far ahead. */
function takeOver(journal: Journal): Promise<unknown> {
  return journal.acquire({ run: 'r', owner: 'taker', ttlMs: 1, now: LATER })
}

const three = program(
  'main',
  async (_, context) =>
    (await Promise.all(['a', 'b', 'c'].map((input) => call(context, 'act', input)))) as unknown as Json,
)

describe('a run that another owner has taken', () => {
  test.each([true, false])('begins no call that waited for a slot (repeatable: %s)', async (idempotent) => {
    const journal = memoryJournal()
    const [begun, held] = [[] as Json[], gate()]
    const act = tool('act', async (input) => (begun.push(input), await held.promise, input), { idempotent })
    const outcome = runMain(kernelWith({ journal, minds: [three], tools: [act], limits: { parallel: 1 } }))
    await eventually(() => begun.length === 1)
    // The start of a repeatable call is stored without being waited for.
    await rest()
    await takeOver(journal)
    held.resolve()
    await expect(outcome).rejects.toMatchObject({ code: 'LEASE_LOST' })
    await rest()
    expect(begun).toEqual(['a'])
    expect(await linesOf(journal)).toEqual(['run-start', 'effect-start tool'])
  })

  test.each([true, false])('makes no further attempt (repeatable: %s)', async (idempotent) => {
    const journal = memoryJournal()
    let attempts = 0
    const act = tool(
      'act',
      () => {
        attempts += 1
        // Later than the entry about the failure, earlier than the next attempt.
        setTimeout(() => void takeOver(journal), 5)
        throw new Error('not yet')
      },
      { idempotent, retry: { attempts: 3, backoffMs: 40 } },
    )
    const once = program('main', async (_, context) => (await call(context, 'act')).status)
    const outcome = runMain(kernelWith({ journal, minds: [once], tools: [act] }))
    await expect(outcome).rejects.toMatchObject({ code: 'LEASE_LOST' })
    expect(attempts).toBe(1)
    expect((await linesOf(journal)).at(-1)).toBe('effect-retry tool')
  })

  test('does not do what a person approved for it', async () => {
    const journal = memoryJournal()
    const [asked, approved] = [gate(), gate()]
    let calls = 0
    const act = tool('act', () => (calls += 1), { idempotent: true, needsApproval: true })
    const kernel = kernelWith({
      journal,
      minds: [program('main', async (_, context) => (await call(context, 'act')).status)],
      tools: [act],
      onApproval: async () => (asked.resolve(), await approved.promise, { answer: 'approve' }),
    })
    const outcome = runMain(kernel)
    await asked.promise
    await takeOver(journal)
    approved.resolve()
    await expect(outcome).rejects.toMatchObject({ code: 'LEASE_LOST' })
    expect(calls).toBe(0)
  })

  test('does nothing after being blocked for longer than its lease', async () => {
    const journal = memoryJournal()
    let calls = 0
    // Blocks its process, as one that was stopped: no timer of it fires, so the lease is not renewed.
    const stop = tool(
      'stop',
      () => {
        const until = performance.now() + 80
        while (performance.now() < until);
        void takeOver(journal)
        return null
      },
      { idempotent: true },
    )
    const act = tool('act', () => (calls += 1), { idempotent: true })
    const main = program('main', async (_, context) => {
      await call(context, 'stop')
      return (await call(context, 'act')).status
    })
    // A store that takes its time, so that only a question put to it can tell in time.
    const slow = journalWith(journal, {
      append: async (...args) => (await new Promise((resolve) => setTimeout(resolve, 20)), journal.append(...args)),
    })
    const kernel = kernelWith({ journal: slow, minds: [main], tools: [stop, act], limits: { leaseMs: 60 } })
    await expect(runMain(kernel)).rejects.toMatchObject({ code: 'LEASE_LOST' })
    expect(calls).toBe(0)
  })
})

test('a process that was frozen behind a stored start does not perform it: its lease may have been freed and taken since', async () => {
  const journal = memoryJournal()
  let calls = 0
  const act = tool('act', () => (calls += 1), { idempotent: false })
  const once = program('main', async (_, context) => (await call(context, 'act')).status)
  // The start is stored, and its answer is heard after other processes took this one for dead.
  const frozen = journalWith(journal, {
    async append(lease, seq, entries, consume) {
      await journal.append(lease, seq, entries, consume)
      if (!entries.some(({ type }) => type === 'effect-start')) return
      await takeOver(journal)
      await new Promise((resolve) => setTimeout(resolve, 250))
    },
  })
  await expect(runMain(kernelWith({ journal: frozen, minds: [once], tools: [act] }))).rejects.toMatchObject({
    code: 'LEASE_LOST',
  })
  expect(calls).toBe(0)
})

test.each([true, false])(
  'a process that was frozen before it heard that the lease is still its own asks again (repeatable: %s)',
  async (idempotent) => {
    const journal = memoryJournal()
    let attempts = 0
    const fail = (): never => {
      attempts += 1
      throw new Error('not yet')
    }
    const act = tool('act', fail, { idempotent, retry: { attempts: 3, backoffMs: 1 } })
    const once = program('main', async (_, context) => (await call(context, 'act')).status)
    // The answer is true when it is given, and heard after other processes took this one for dead.
    const frozen = journalWith(journal, {
      async renew(...args) {
        await journal.renew(...args)
        await takeOver(journal)
        await new Promise((resolve) => setTimeout(resolve, 250))
      },
    })
    const outcome = runMain(kernelWith({ journal: frozen, minds: [once], tools: [act] }))
    await expect(outcome).rejects.toMatchObject({ code: 'LEASE_LOST' })
    expect(attempts).toBe(1)
  },
)

test('a run that is lost while a secret is looked up for a call does not make the call', async () => {
  const journal = memoryJournal()
  let calls = 0
  const act = tool('act', () => (calls += 1))
  const secrets = async (): Promise<string> => {
    await takeOver(journal)
    await new Promise((resolve) => setTimeout(resolve, 250))
    return 'a-secret-value'
  }
  const once = program('main', async (_, context) => (await call(context, 'act', { key: { $secret: 'KEY' } })).status)
  const outcome = runMain(kernelWith({ journal, minds: [once], tools: [act], secrets }))
  await expect(outcome).rejects.toMatchObject({ code: 'LEASE_LOST' })
  expect(calls).toBe(0)
})

test('a store that takes long for every answer is asked twice, and the call is made', async () => {
  const journal = memoryJournal()
  let renewals = 0
  const slow = journalWith(journal, {
    async renew(...args) {
      renewals += 1
      await journal.renew(...args)
      await new Promise((resolve) => setTimeout(resolve, 250))
    },
  })
  const act = tool('act', (input) => input, { idempotent: true, needsApproval: true })
  const once = program('main', async (_, context) => (await call(context, 'act')).status)
  const onApproval = async (): Promise<{ answer: 'approve' }> => ({ answer: 'approve' })
  const outcome = await runMain(kernelWith({ journal: slow, minds: [once], tools: [act], onApproval }))
  expect(outputOf(outcome)).toBe('ok')
  expect(renewals).toBe(2)
})

describe('a call that waits for a slot', () => {
  test('is not recorded as started: after a crash nobody is asked about it', async () => {
    const journal = memoryJournal()
    const held = gate()
    const act = tool('act', async (input) => (await held.promise, input))
    const kernel = kernelWith({ journal, minds: [three], tools: [act], limits: { parallel: 2 } })
    const outcome = runMain(kernel)
    await eventually(async () => (await entriesOf(journal, 'effect-start')).length === 2)
    await rest()
    expect((await entriesOf(journal, 'effect-start')).map(({ key }) => key)).toEqual(['tool', 'tool#2'])
    held.resolve()
    expect((await outcome).state).toBe('completed')
    expect(await entriesOf(journal, 'effect-start')).toHaveLength(3)
  })

  test('takes nothing of the budget, and is refused in its turn when the rest is spent', async () => {
    const act = tool('act', (input) => input)
    const kernel = kernelWith({ minds: [three], tools: [act], limits: { parallel: 1 } })
    const outcome = await kernel.run({ kind: 'program', name: 'main', input: null, budget: { toolCalls: 2 } })
    expect((outputOf(outcome) as { status: string }[]).map(({ status }) => status)).toEqual(['ok', 'ok', 'denied'])
  })

  test('leaves the slot to others while a person is asked', async () => {
    const approved = gate()
    const done: Json[] = []
    const act = tool('act', (input) => (done.push(input), input), { needsApproval: (input) => input === 'a' })
    const kernel = kernelWith({
      minds: [three],
      tools: [act],
      limits: { parallel: 1 },
      onApproval: async () => (await approved.promise, { answer: 'approve' }),
    })
    const outcome = runMain(kernel)
    await eventually(() => done.length === 2)
    approved.resolve()
    expect((await outcome).state).toBe('completed')
    expect(done).toEqual(['b', 'c', 'a'])
  })

  test('does not begin when the process wants to stop meanwhile', async () => {
    const journal = memoryJournal()
    const held = gate()
    const begun: Json[] = []
    const act = tool('act', async (input) => (begun.push(input), await held.promise, input))
    const kernel = kernelWith({ journal, minds: [three], tools: [act], limits: { parallel: 1 } })
    const outcome = runMain(kernel)
    await eventually(() => begun.length === 1)
    const stopped = kernel.stop()
    held.resolve()
    expect(await outcome).toMatchObject({ state: 'suspended', reason: 'interrupt' })
    await stopped
    expect(begun).toEqual(['a'])
    const next = kernelWith({ journal, minds: [three], tools: [act], limits: { parallel: 1 } })
    expect((await next.resume('r')).state).toBe('completed')
    expect(begun).toEqual(['a', 'b', 'c'])
  })
})
