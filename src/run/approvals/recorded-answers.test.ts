import { describe, expect, test } from 'vitest'
import { manualClock } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import type { Tool } from '../../tool/index.ts'
import type { Engine } from '../engine/engine.ts'
import type { ApprovalResponse } from '../kernel/host.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { call, entriesOf, kernelWith, outputOf, program, rest, runMain, tool } from '../kernel/kernel.fixture.ts'
import type { KernelParts } from '../kernel/kernel.fixture.ts'

/** Drives nothing by itself, like a process that only answers: the test says when the run goes on. */
const nowhere: Engine = {
  name: 'nowhere',
  attach: async () => {},
  dispatch: async () => {},
  schedule: async () => {},
  stop: async () => {},
}

const two = program('main', async (_, context) => {
  const pays = await Promise.all([
    call(context, 'pay', { to: 'A', amount: 1 }),
    call(context, 'pay', { to: 'B', amount: 1000 }),
  ])
  return pays.map(({ status }) => status)
})

const one = program('main', async (_, context) => (await call(context, 'pay', { to: 'B', amount: 1000 })).status)

function paying(deeds: Json[], facts: Partial<Tool> = {}): Tool {
  return tool('pay', (input) => (deeds.push(input), 'paid'), { needsApproval: true, risk: 'exec', ...facts })
}

interface World {
  readonly kernel: Kernel
  readonly deeds: Json[]
  readonly journal: Journal
  /** A process that comes later, with other facts. */
  later(parts?: KernelParts, facts?: Partial<Tool>): Kernel
  respond(to: string, response: ApprovalResponse): Promise<unknown>
}

async function waiting(parts: KernelParts = {}, facts: Partial<Tool> = {}): Promise<World> {
  const deeds: Json[] = []
  const journal = parts.journal ?? memoryJournal()
  const later: World['later'] = (more = {}, changed = facts) =>
    kernelWith({ engine: nowhere, minds: [two], tools: [paying(deeds, changed)], ...parts, ...more, journal })
  const kernel = later()
  expect((await runMain(kernel)).state).toBe('suspended')
  const respond: World['respond'] = async (to, response) => {
    const open = await kernel.approvals('r')
    const request = open.find(({ input }) => (input as { to: string }).to === to)!
    return kernel.respond(request.id, response)
  }
  return { kernel, deeds, journal, later, respond }
}

describe('a recorded answer comes before everything else', () => {
  for (const order of ['reject first', 'approve first'] as const) {
    test(`a rejected call never runs under a sibling's approval for the run (${order})`, async () => {
      const world = await waiting()
      const answers = [
        () => world.respond('B', { answer: 'reject' }),
        () => world.respond('A', { answer: 'approve', scope: 'run' }),
      ]
      for (const give of order === 'reject first' ? answers : answers.toReversed()) await give()
      expect(outputOf(await world.kernel.resume('r'))).toEqual(['ok', 'denied'])
      expect([world.deeds, (await world.kernel.verify('r')).ok]).toEqual([[{ to: 'A', amount: 1 }], true])
    })
  }

  for (const scope of ['once', 'run', 'rule'] as const) {
    test(`an edit runs as edited, with the scope "${scope}" too`, async () => {
      const world = await waiting({ minds: [one] })
      await world.respond('B', { answer: 'approve', scope, edit: { to: 'B', amount: 10 } })
      expect(outputOf(await world.kernel.resume('r'))).toBe('ok')
      expect([world.deeds, (await world.kernel.verify('r')).ok]).toEqual([[{ to: 'B', amount: 10 }], true])
    })
  }

  const overseen = { minds: [two], mandate: { overseer: { maxCallsPerMinute: 1 } } } satisfies KernelParts
  const afterwards: readonly [string, ApprovalResponse | undefined, Json[]][] = [
    ['a reject', { answer: 'reject' }, []],
    ['an edit', { answer: 'approve', edit: { to: 'B', amount: 10 } }, [{ to: 'B', amount: 10 }]],
    ['an expiry', undefined, []],
  ]
  for (const [what, response, expected] of afterwards) {
    test(`${what} of a call that the overseer paused holds after its window is over`, async () => {
      const clock = manualClock(1_000)
      const world = await waiting({ ...overseen, clock, limits: { approvalTtlMs: 300_000 } }, { needsApproval: false })
      const before = [...world.deeds]
      expect(before).toHaveLength(1)
      if (response !== undefined) await world.respond('B', response)
      clock.advance(response === undefined ? 300_001 : 61_000)
      await world.later().resume('r')
      expect(world.deeds.slice(1)).toEqual(expected)
    })

    test(`${what} holds after an upgrade that needs no approval any more`, async () => {
      const clock = manualClock(1_000)
      const world = await waiting({ minds: [one], clock, limits: { approvalTtlMs: 300_000 } })
      if (response !== undefined) await world.respond('B', response)
      else clock.advance(300_001)
      await world.later({}, { needsApproval: false }).resume('r')
      expect(world.deeds).toEqual(expected)
    })
  }

  test('a request that is no longer needed is withdrawn before its call starts, and cannot be answered after that', async () => {
    const world = await waiting({ minds: [one] })
    const [request] = await world.kernel.approvals('r')
    const later = world.later({}, { needsApproval: false })
    expect(outputOf(await later.resume('r'))).toBe('ok')
    expect(await entriesOf(world.journal, 'approval-response')).toMatchObject([{ data: { answer: 'withdraw' } }])
    await expect(later.respond(request!.id, { answer: 'reject' })).rejects.toMatchObject({ code: 'APPROVAL_STALE' })
    expect([world.deeds.length, (await later.verify('r')).ok]).toEqual([1, true])
  })

  test('a reject that comes while the gate is asked again counts', async () => {
    const world = await waiting({ minds: [one] })
    const [request] = await world.kernel.approvals('r')
    const later = world.later({}, { needsApproval: false })
    later.registry.registerFilter({
      name: 'slow',
      check: async () => {
        await world.kernel.respond(request!.id, { answer: 'reject' })
        await rest()
        return undefined
      },
    })
    later.setMandate({ content: [{ id: 'slow', on: ['tool-input'], filter: 'slow' }] })
    expect(outputOf(await later.resume('r'))).toBe('denied')
    expect(world.deeds).toEqual([])
  })

  test('an edit that is larger than inputs may be is refused', async () => {
    const world = await waiting({ minds: [one], limits: { inputBytes: 100 } })
    await world.respond('B', { answer: 'approve', edit: { to: 'B', amount: 1, note: 'x'.repeat(200) } })
    expect(outputOf(await world.kernel.resume('r'))).toBe('denied')
    expect(world.deeds).toEqual([])
  })
})

describe('one answer counts, and was given in time', () => {
  test('of a concurrent approval and rejection one counts, and the other is refused', async () => {
    for (const response of [{ answer: 'approve' }, { answer: 'reject' }] as const) {
      const world = await waiting({ minds: [one] })
      const [request] = await world.kernel.approvals('r')
      const other = response.answer === 'approve' ? 'reject' : 'approve'
      const given = await Promise.allSettled([
        world.kernel.respond(request!.id, response),
        world.later().respond(request!.id, { answer: other }),
      ])
      expect(given.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      const lost = given.find((each) => each.status === 'rejected')!
      expect(lost.reason).toMatchObject({
        code: 'APPROVAL_STALE',
        message: expect.stringContaining('already answered'),
      })
      const taken = given[0].status === 'fulfilled' ? response.answer : other
      await world.kernel.resume('r')
      expect(world.deeds).toHaveLength(taken === 'approve' ? 1 : 0)
    }
  })

  test('the same answer of the same person again is acknowledged, and changes nothing', async () => {
    const world = await waiting({ minds: [one] })
    const [request] = await world.kernel.approvals('r')
    const receipts = [1, 2].map(() => world.kernel.respond(request!.id, { answer: 'approve' }))
    expect((await Promise.all(receipts)).map(({ status }) => status).sort()).toEqual(['already-answered', 'recorded'])
    await world.kernel.resume('r')
    expect(world.deeds).toHaveLength(1)
  })

  test('the answer of a handler that comes after another one is not taken', async () => {
    const world = await waiting({ minds: [one] })
    const [request] = await world.kernel.approvals('r')
    const other = world.later()
    const later = world.later({
      onApproval: async () => {
        await other.respond(request!.id, { answer: 'reject' })
        return { answer: 'approve' }
      },
    })
    expect(outputOf(await later.resume('r'))).toBe('denied')
    expect(world.deeds).toEqual([])
  })

  test('an approval given in time counts, even if the run continues after its expiry', async () => {
    const clock = manualClock(1_000)
    const world = await waiting({ minds: [one], clock, limits: { approvalTtlMs: 60_000 } })
    clock.advance(59_999)
    await world.respond('B', { answer: 'approve' })
    clock.advance(60_000)
    expect(outputOf(await world.later().resume('r'))).toBe('ok')
    expect([world.deeds.length, (await world.kernel.verify('r')).ok]).toEqual([1, true])
  })

  test('an answer that its run refuses leaves the request open for another one', async () => {
    const roles = { owner: ['run-agent', 'approve'], helper: ['approve'] } as const
    const mandate = { roles }
    const world = await waiting({ minds: [one], mandate })
    const [request] = await world.kernel.approvals('r')
    await world.kernel.respond(request!.id, { answer: 'reject' }, { id: 'hal', roles: ['helper'] })
    const later = world.later({ mandate: { roles: { owner: ['run-agent', 'approve'], helper: [] } } })
    expect((await later.resume('r')).state).toBe('suspended')
    expect(await entriesOf(world.journal, 'note')).toMatchObject([
      {},
      { data: { name: 'signal-refused', value: { code: 'APPROVAL_REFUSED', by: 'hal' } } },
    ])
    expect(await later.respond(request!.id, { answer: 'approve' })).toEqual({ status: 'recorded' })
    await expect(later.respond(request!.id, { answer: 'reject' })).rejects.toMatchObject({ code: 'APPROVAL_STALE' })
    expect(outputOf(await later.resume('r'))).toBe('ok')
    expect(world.deeds).toHaveLength(1)
  })

  test('nothing but time and the owner itself ends a request without a person', async () => {
    const world = await waiting({ minds: [one] })
    for (const [id, answer] of [
      ['respond:2', 'expire'],
      ['respond:2:1', 'withdraw'],
    ] as const) {
      const data = { request: 2, response: { answer } }
      await world.journal.signal('r', { id, type: 'respond', at: 0, by: { id: 'clock', roles: ['owner'] }, data })
    }
    expect((await world.kernel.resume('r')).state).toBe('suspended')
    expect(await world.kernel.approvals('r')).toHaveLength(1)
    await world.respond('B', { answer: 'approve' })
    expect(outputOf(await world.kernel.resume('r'))).toBe('ok')
    expect(world.deeds).toHaveLength(1)
  })
})

describe('a signal in an inbox takes effect only if its sender has the permission', () => {
  const owner = { id: 'ana', roles: ['owner'] }
  const nobody = { id: 'eve', roles: [] }
  const signals: readonly [string, Json, string][] = [
    ['a signal of an unknown type', { type: 'zap', by: owner as Json, data: null }, 'INPUT_INVALID'],
    ['a type that every object has', { type: 'constructor', by: owner as Json, data: null }, 'INPUT_INVALID'],
    [
      'an answer without `by`',
      { type: 'respond', data: { request: 2, response: { answer: 'approve' } } },
      'INPUT_INVALID',
    ],
    ['a cancel without `by`', { type: 'cancel', data: null }, 'INPUT_INVALID'],
    ['a cancel by an id without roles', { type: 'cancel', by: { id: 'eve' }, data: null }, 'INPUT_INVALID'],
    ['a cancel by someone without the right to', { type: 'cancel', by: nobody as Json, data: null }, 'DENIED'],
    ['steering by someone without the right to', { type: 'steer', by: nobody as Json, data: 'faster' }, 'DENIED'],
    [
      'a reset of the overseer by someone without the right to',
      { type: 'reset-overseer', by: nobody as Json, data: null },
      'DENIED',
    ],
    [
      'an approval by someone without the right to',
      { type: 'respond', by: nobody as Json, data: { request: 2, response: { answer: 'approve' } } },
      'APPROVAL_REFUSED',
    ],
    [
      'an answer without a moment',
      { type: 'respond', at: null, by: owner as Json, data: { request: 2, response: { answer: 'approve' } } },
      'INPUT_INVALID',
    ],
  ]
  for (const [what, signal, code] of signals) {
    test(`${what} is recorded as refused, and gone`, async () => {
      const world = await waiting({ minds: [one] })
      await world.journal.signal('r', { id: 'odd', at: 1, ...(signal as object) } as never)
      // It keeps nobody from answering.
      await world.respond('B', { answer: 'approve' })
      expect(outputOf(await world.kernel.resume('r'))).toBe('ok')
      const refused = (await entriesOf(world.journal, 'note')).map(({ data }) => data)
      expect(refused).toMatchObject([{ name: 'signal-refused', value: { code } }])
      expect([await world.journal.signals('r'), world.deeds.length]).toEqual([[], 1])
    })
  }

  test('an invalid answer does not use up the request whose id it has', async () => {
    const world = await waiting({ minds: [one] })
    const data = { request: 2, response: { answer: 'approve' } }
    await world.journal.signal('r', { id: 'respond:2', type: 'respond', at: 1, data } as never)
    await world.kernel.resume('r')
    await world.respond('B', { answer: 'reject' })
    expect([outputOf(await world.kernel.resume('r')), world.deeds]).toEqual(['denied', []])
  })

  test('the starter of a run may cancel and steer it without further permissions, others may not', async () => {
    const mandate = { roles: { runner: ['run-agent'] } } as const
    for (const [id, state] of [
      ['ana', 'cancelled'],
      ['eve', 'suspended'],
    ] as const) {
      const kernel = kernelWith({ engine: nowhere, minds: [one], tools: [paying([])], mandate })
      const identity = { id: 'ana', roles: ['runner'] }
      await kernel.run({ kind: 'program', name: 'main', input: null, runId: 'r', identity })
      const by = { id, roles: ['runner'] }
      const given = await Promise.allSettled([kernel.steer('r', 'faster', by), kernel.cancel('r', 'enough', by)])
      expect(given.map(({ status }) => status)).toEqual(Array(2).fill(id === 'ana' ? 'fulfilled' : 'rejected'))
      await kernel.journal.signal('r', { id: 'direct', type: 'cancel', at: 1, by, data: null })
      expect((await kernel.resume('r')).state).toBe(state)
    }
  })

  test('a cancel that was refused does not stand in the way of one that is not', async () => {
    const world = await waiting({ minds: [one] })
    await world.journal.signal('r', { id: 'cancel', type: 'cancel', at: 1, by: nobody, data: null })
    expect((await world.kernel.resume('r')).state).toBe('suspended')
    await world.kernel.cancel('r')
    expect((await world.kernel.resume('r')).state).toBe('cancelled')
    expect(world.deeds).toEqual([])
  })
})
