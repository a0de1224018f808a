import { describe, expect, test } from 'vitest'
import { manualClock } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { Mandate } from '../../gate/index.ts'
import { memoryJournal, readAll } from '../../journal/index.ts'
import type { Identity } from '../../journal/index.ts'
import type { Tool } from '../../tool/index.ts'
import type { Engine } from '../engine/engine.ts'
import type { ApprovalResponse } from '../kernel/host.ts'
import type { Kernel } from '../kernel/kernel.ts'
import {
  call,
  cutAfter,
  entriesOf,
  eventually,
  holdAppends,
  kernelWith,
  linesOf,
  outputOf,
  program,
  rest,
  runMain,
  tool,
  value,
} from '../kernel/kernel.fixture.ts'
import type { KernelParts } from '../kernel/kernel.fixture.ts'

/** Drives nothing, like a process that only answers. */
const nowhere: Engine = {
  name: 'nowhere',
  attach: async () => {},
  dispatch: async () => {},
  schedule: async () => {},
  stop: async () => {},
}

const once = program('main', async (input, context) => (await call(context, 'deploy', input)) as unknown as Json)

function deploying(calls: Json[], facts = {}): ReturnType<typeof tool> {
  return tool('deploy', (input) => (calls.push(input), `deployed ${JSON.stringify(input)}`), {
    needsApproval: true,
    risk: 'exec',
    ...facts,
  })
}

/** Waits until something can be answered, answers the first, and waits for what comes of it. */
async function answer(kernel: Kernel, response: ApprovalResponse, by?: Identity): Promise<void> {
  const [request] = await eventually(async () => (await kernel.approvals('r')).length > 0 && kernel.approvals('r'))
  await kernel.respond(request!.id, response, by)
}

async function ended(kernel: Kernel, run = 'r'): Promise<Json> {
  await eventually(async () => !['running', 'suspended'].includes((await kernel.journal.summary(run))!.state))
  return outputOf(await kernel.resume(run))
}

async function suspended(parts: KernelParts, input: Json = { to: 'prod' }): Promise<Kernel> {
  const kernel = kernelWith({ minds: [once], ...parts })
  expect(await runMain(kernel, input)).toMatchObject({
    state: 'suspended',
    reason: 'approval',
    pending: [{ key: 'tool', approvalId: expect.any(String) }],
  })
  return kernel
}

describe('an answer', () => {
  test('without a handler the run suspends durably, and an approval continues exactly that call', async () => {
    const calls: Json[] = []
    const kernel = await suspended({ tools: [deploying(calls)] })
    expect(await kernel.approvals()).toMatchObject([
      { run: 'r', key: 'tool', name: 'deploy', input: { to: 'prod' }, reason: 'approval', risk: 'exec' },
    ])
    expect(calls).toEqual([])
    await answer(kernel, { answer: 'approve' })
    expect(await ended(kernel)).toMatchObject({ status: 'ok', value: 'deployed {"to":"prod"}' })
    expect([
      calls,
      await kernel.approvals(),
      (await kernel.replay('r')).identical,
      (await kernel.verify('r')).ok,
    ]).toEqual([[{ to: 'prod' }], [], true, true])
  })

  test('is no longer asked for by the inbox, as soon as it is given: the run need not have read it', async () => {
    const pay = program('main', async (_input, context) => {
      const both = [1, 2].map((n) => call(context, 'deploy', { n }))
      return (await Promise.all(both)) as unknown as Json
    })
    const calls: Json[] = []
    const kernel = kernelWith({ minds: [pay], tools: [deploying(calls)], engine: nowhere })
    await runMain(kernel)
    const [first, second] = await kernel.approvals()
    await kernel.respond(first!.id, { answer: 'approve' })
    expect(await kernel.approvals()).toEqual([second])
    expect((await kernel.inbox({ run: 'r' })).requests).toEqual([second])
    // An answer that the run will refuse does not count.
    const forged = { id: 'forged', type: 'respond', at: 1, by: { id: 'eve', roles: [] } } as const
    const seq = Number(second!.id.split('-ap')[1])
    await kernel.journal.signal('r', { ...forged, data: { request: seq, response: { answer: 'approve' } } })
    expect(await kernel.approvals()).toEqual([second])
    await kernel.cancel('r')
    expect(await kernel.approvals()).toEqual([])
    expect(calls).toEqual([])
  })

  test('approvals outlive the process: another kernel on the same journal answers and continues', async () => {
    const calls: Json[] = []
    const first = await suspended({ tools: [deploying(calls)] })
    await first.stop()
    const second = kernelWith({ journal: first.journal, minds: [once], tools: [deploying(calls)] })
    await answer(second, { answer: 'approve' })
    expect(await ended(second)).toMatchObject({ status: 'ok' })
    expect(calls).toHaveLength(1)
  })

  test('a rejected call never runs, and the mind is told why', async () => {
    const calls: Json[] = []
    const kernel = await suspended({ tools: [deploying(calls)] })
    await answer(kernel, { answer: 'reject', text: 'not on a Friday' })
    expect(await ended(kernel)).toEqual({
      status: 'denied',
      code: 'DENIED',
      rule: 'approval',
      reason: 'not on a Friday',
    })
    expect([calls, (await kernel.verify('r')).ok, (await kernel.replay('r')).identical]).toEqual([[], true, true])
  })

  test('an edit runs instead of what was asked, and replay still knows what the mind asked', async () => {
    const calls: Json[] = []
    const kernel = await suspended({ tools: [deploying(calls)] })
    await answer(kernel, { answer: 'approve', edit: { to: 'staging' } })
    expect(await ended(kernel)).toMatchObject({ status: 'ok', value: 'deployed {"to":"staging"}' })
    expect([calls, (await kernel.replay('r')).identical]).toEqual([[{ to: 'staging' }], true])
  })

  test('the guards judge an edit again, and an approval lifts nothing but ask', async () => {
    const calls: Json[] = []
    const mandate: Mandate = {
      rules: [
        {
          id: 'never',
          when: { tool: 'deploy', 'input.to': 'moon' },
          then: 'deny',
          reason: 'nobody deploys to the moon',
        },
      ],
    }
    const kernel = await suspended({ tools: [deploying(calls)], mandate })
    await answer(kernel, { answer: 'approve', edit: { to: 'moon' } })
    expect(await ended(kernel)).toMatchObject({ status: 'denied', reason: expect.stringContaining('moon') })
    expect(calls).toEqual([])
  })

  test('to a run that has just been cancelled is refused, wherever the run is, and nothing runs', async () => {
    for (const isAway of [false, true]) {
      const calls: Json[] = []
      const kernel = await suspended({ tools: [deploying(calls)], ...(isAway ? { engine: nowhere } : {}) })
      const [request] = await kernel.approvals('r')
      await kernel.cancel('r', 'too late')
      await expect(kernel.respond(request!.id, { answer: 'approve' })).rejects.toMatchObject({
        code: 'APPROVAL_STALE',
        message: expect.stringContaining('cancelled'),
      })
      expect([(await kernel.resume('r')).state, calls]).toEqual(['cancelled', []])
    }
  })

  test('to a child of a run that has just been cancelled is refused', async () => {
    const calls: Json[] = []
    const parent = program('main', async (_, context) => {
      return (await context.perform({ kind: 'program', name: 'child', input: { to: 'prod' } })) as unknown as Json
    })
    const child = program('child', once.start)
    const kernel = kernelWith({ minds: [parent, child], tools: [deploying(calls)], engine: nowhere })
    expect(await runMain(kernel)).toMatchObject({ state: 'suspended' })
    const [request] = await kernel.approvals('r')
    expect(request!.run).not.toBe('r')
    await kernel.cancel('r')
    await expect(kernel.respond(request!.id, { answer: 'approve' })).rejects.toMatchObject({ code: 'APPROVAL_STALE' })
    expect(calls).toEqual([])
  })

  test('an edit that the tool does not understand is refused at once, and the approval stays open for a better one', async () => {
    const calls: Json[] = []
    const validate: Tool['validate'] = (input) =>
      typeof (input as { to: Json }).to === 'string'
        ? { valid: true, value: input }
        : { valid: false, issues: [{ path: '/to', message: 'must be a text' }] }
    const kernel = await suspended({ tools: [deploying(calls, { validate })] })
    await expect(answer(kernel, { answer: 'approve', edit: { to: 7 } })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining('/to: must be a text'),
    })
    expect(await kernel.approvals('r')).toHaveLength(1)
    await answer(kernel, { answer: 'approve', edit: { to: 'staging' } })
    expect(await ended(kernel)).toMatchObject({ status: 'ok' })
    expect(calls).toEqual([{ to: 'staging' }])
  })

  test('a handler whose edit the tool does not understand leaves the question open', async () => {
    const calls: Json[] = []
    let asked = 0
    const validate: Tool['validate'] = (input) =>
      asked === 0 ? { valid: true, value: input } : { valid: false, issues: [{ path: '', message: 'never' }] }
    const kernel = await suspended({
      tools: [deploying(calls, { validate })],
      onApproval: async () => (asked++, { answer: 'approve', edit: { to: 7 } }),
    })
    expect([asked, calls, (await kernel.approvals('r')).length]).toEqual([1, [], 1])
  })

  test('an edit from a process without the tool is taken, and judged by the gate', async () => {
    const calls: Json[] = []
    const validate: Tool['validate'] = (input) =>
      (input as { to: Json }).to === 'prod' ? { valid: true, value: input } : { valid: false, issues: [] }
    const kernel = await suspended({ tools: [deploying(calls, { validate })] })
    await answer(kernelWith({ journal: kernel.journal, engine: nowhere }), { answer: 'approve', edit: { to: 'moon' } })
    expect(outputOf(await kernel.resume('r'))).toMatchObject({ status: 'denied', code: 'SCHEMA_INVALID' })
    expect(calls).toEqual([])
  })

  test('an edit that the schema changes is asked about once more, as what will really run', async () => {
    const calls: Json[] = []
    const validate = (input: Json) => ({
      valid: true as const,
      value: { to: (input as { to: string }).to, dry: (input as { dry?: boolean }).dry ?? false },
    })
    const kernel = await suspended({ tools: [deploying(calls, { validate })] })
    await answer(kernel, { answer: 'approve', edit: { to: 'staging' } })
    await eventually(async () => (await entriesOf(kernel.journal, 'approval-request')).length === 2)
    await answer(kernel, { answer: 'approve' })
    expect(await ended(kernel)).toMatchObject({ status: 'ok' })
    expect(calls).toEqual([{ to: 'staging', dry: false }])
  })

  test('an edit that the schema turns back into the call it replaced does not go round for ever', async () => {
    const calls: Json[] = []
    const validate = (input: Json) => ({ valid: true as const, value: { to: (input as { to: string }).to } })
    const kernel = await suspended({ tools: [deploying(calls, { validate })] })
    await answer(kernel, { answer: 'approve', edit: { to: 'prod', unknown: true } })
    await eventually(async () => (await entriesOf(kernel.journal, 'approval-request')).length === 2)
    await answer(kernel, { answer: 'approve' })
    expect(await ended(kernel)).toMatchObject({ status: 'ok' })
    expect(calls).toEqual([{ to: 'prod' }])
  })

  test('after a crash behind any entry the answer still counts, once', async () => {
    for (const edit of [undefined, { to: 'staging' }]) {
      const whole = await suspended({ tools: [deploying([])] })
      await answer(whole, { answer: 'approve', ...(edit === undefined ? {} : { edit }) })
      const expected = await ended(whole)
      const lines = await linesOf(whole.journal)
      const answered = lines.indexOf('approval-response tool')
      for (let count = answered + 1; count < lines.length; count++) {
        const calls: Json[] = []
        const parts = { minds: [once], tools: [deploying(calls)], journal: await cutAfter(whole.journal, 'r', count) }
        const kernel = kernelWith({
          ...parts,
          onApproval: () => ({ answer: 'happened', value: (expected as { value: Json }).value }),
        })
        expect(outputOf(await kernel.resume('r')), `cut after ${lines[count - 1]}`).toEqual(expected)
        expect(calls.length, `cut after ${lines[count - 1]}`).toBe(count === answered + 1 ? 1 : 0)
      }
    }
  })
})

describe('who answers, and when', () => {
  const kinds: readonly [string, ApprovalResponse, Identity | undefined, string][] = [
    ['for another call', { answer: 'approve', hash: '0'.repeat(64) }, undefined, 'APPROVAL_STALE'],
    ['without the right to', { answer: 'approve' }, { id: 'eve', roles: ['guest'] }, 'APPROVAL_REFUSED'],
    ['as an agent', { answer: 'approve' }, { id: 'bot', roles: ['owner'], agent: true }, 'APPROVAL_REFUSED'],
    ['that does not fit', { answer: 'happened' }, undefined, 'INPUT_INVALID'],
  ]
  for (const [how, response, by, code] of kinds) {
    test(`an answer ${how} is refused, and the call keeps waiting`, async () => {
      const calls: Json[] = []
      const kernel = await suspended({ tools: [deploying(calls)] })
      await expect(answer(kernel, response, by)).rejects.toMatchObject({ code })
      expect([calls, (await kernel.approvals()).length]).toEqual([[], 1])
    })
  }

  test('an answer to an unknown request fails with that reason', async () => {
    const kernel = await suspended({ tools: [deploying([])] })
    for (const id of ['r-ap99', 'nowhere-ap2', 'no id at all', '../r-ap2']) {
      await expect(kernel.respond(id, { answer: 'approve' }), id).rejects.toMatchObject({ code: 'NOT_FOUND' })
    }
  })

  test('of two answers the first counts; the second is refused, and kept where everybody can read it', async () => {
    const calls: Json[] = []
    const kernel = await suspended({ tools: [deploying(calls)] })
    const { id } = (await kernel.approvals())[0]!
    await Promise.allSettled([kernel.respond(id, { answer: 'approve' }), kernel.respond(id, { answer: 'reject' })])
    await ended(kernel)
    const answers = (await entriesOf(kernel.journal, 'approval-response')).map(({ data }) => data.answer)
    expect([answers.length, calls.length]).toEqual([1, answers[0] === 'approve' ? 1 : 0])
    const notes = await entriesOf(kernel.journal, 'note')
    if (notes.length > 0)
      expect(notes[0]!.data).toMatchObject({ name: 'signal-refused', value: { code: 'APPROVAL_STALE' } })
    await expect(kernel.respond(id, { answer: 'approve' })).rejects.toMatchObject({ code: 'APPROVAL_STALE' })
  })

  test('an approval that nobody answers in time expires: the call is denied, and a late answer is refused', async () => {
    const clock = manualClock(1_000)
    const calls: Json[] = []
    const kernel = await suspended({ clock, limits: { approvalTtlMs: 60_000 }, tools: [deploying(calls)] })
    const { id } = (await kernel.approvals())[0]!
    clock.advance(60_000)
    expect(await ended(kernel)).toMatchObject({ status: 'denied', code: 'APPROVAL_STALE' })
    await expect(kernel.respond(id, { answer: 'approve' })).rejects.toMatchObject({ code: 'APPROVAL_STALE' })
    expect([calls, (await kernel.replay('r')).identical]).toEqual([[], true])
  })

  test('it expires on the real clock too, also while no process was there', async () => {
    const first = await suspended({ limits: { approvalTtlMs: 30 }, tools: [deploying([])] })
    await first.stop()
    await new Promise((done) => setTimeout(done, 40))
    const second = kernelWith({ journal: first.journal, minds: [once], tools: [deploying([])] })
    expect(outputOf(await second.resume('r'))).toMatchObject({ status: 'denied', code: 'APPROVAL_STALE' })
    expect((await linesOf(first.journal)).filter((line) => line === 'run-suspend')).toHaveLength(1)
  })
})

describe('scope', () => {
  const thrice = program('main', async (_, context) => [
    await value(context, 'deploy', { to: 'a' }),
    await value(context, 'deploy', { to: 'b' }),
    await value(context, 'deploy', { to: 'a' }),
  ])
  const asked = async (scope: 'once' | 'run' | 'rule', more: Partial<ApprovalResponse> = {}): Promise<Json[]> => {
    const requests: Json[] = []
    const onApproval = ({ input }: { input: Json }): ApprovalResponse => (
      requests.push(input),
      { answer: 'approve', scope, ...more }
    )
    const kernel = kernelWith({ minds: [thrice], tools: [deploying([])], onApproval })
    expect(outputOf(await runMain(kernel))).toHaveLength(3)
    return requests
  }

  test('once is for this call alone', async () =>
    expect(await asked('once')).toEqual([{ to: 'a' }, { to: 'b' }, { to: 'a' }]))
  test('run is for this tool until the run ends', async () => expect(await asked('run')).toEqual([{ to: 'a' }]))
  test('rule is for what the same rules ask', async () => expect(await asked('rule')).toEqual([{ to: 'a' }]))
  test('a standing approval reaches as far as its pattern', async () => {
    expect(await asked('rule', { standing: { input: { to: 'b' } } })).toEqual([{ to: 'a' }, { to: 'a' }])
  })
})

describe('several at once', () => {
  const pair = program('main', async (_, context) => {
    const sibling = call(context, 'count')
    const both = await Promise.all(
      ['a', 'b'].map((to) => context.task(to, (strand) => value(strand, 'deploy', { to }))),
    )
    return [...both, (await sibling).status]
  })

  for (const order of [
    [0, 1],
    [1, 0],
  ] as const) {
    test(`two waiting calls of one tool are answered in the order ${order.join(', ')}, and their sibling is not repeated`, async () => {
      const calls: Json[] = []
      let siblings = 0
      const kernel = kernelWith({ minds: [pair], tools: [deploying(calls), tool('count', () => ++siblings)] })
      expect(await runMain(kernel)).toMatchObject({ state: 'suspended' })
      const requests = await kernel.approvals()
      expect(requests).toHaveLength(2)
      for (const index of order) {
        await kernel.respond(requests[index]!.id, index === 0 ? { answer: 'approve' } : { answer: 'reject' })
        await rest()
      }
      expect(await ended(kernel)).toEqual([`deployed ${JSON.stringify(requests[0]!.input)}`, 'denied', 'ok'])
      expect([calls, siblings, (await kernel.replay('r')).identical]).toEqual([[requests[0]!.input], 1, true])
    })
  }

  test('an approval inside a child suspends the whole tree and continues it, also in another process', async () => {
    const calls: Json[] = []
    const parent = program('main', async (_, context) => {
      const [child, beside] = await Promise.all([
        context.perform({ kind: 'program', name: 'inner', input: 7 }),
        value(context, 'count'),
      ])
      return [child as unknown as Json, beside]
    })
    const inner = program('inner', async (input, context) => [
      await value(context, 'count'),
      await value(context, 'deploy', input),
    ])
    let counted = 0
    const parts = { minds: [parent, inner], tools: [deploying(calls), tool('count', () => ++counted)] }
    const first = kernelWith(parts)
    expect(await runMain(first)).toMatchObject({
      state: 'suspended',
      reason: 'approval',
      pending: [{ approvalId: expect.stringMatching(/^r\..+-ap/) }],
    })
    await first.stop()
    const second = kernelWith({ ...parts, journal: first.journal })
    expect(await second.approvals('r')).toHaveLength(1)
    await answer(second, { answer: 'approve' })
    expect(await ended(second)).toEqual([
      { status: 'ok', value: [expect.any(Number), 'deployed 7'] },
      expect.any(Number),
    ])
    expect([calls, counted]).toEqual([[7], 2])
    for (const { run } of await second.list())
      expect([(await second.verify(run)).ok, (await second.replay(run)).identical]).toEqual([true, true])
  })
})

test('what waits inside children is listed with their parent, however long the ids have become', async () => {
  const inner = program('inner', async (input, context) =>
    (input as number) === 0
      ? value(context, 'deploy')
      : ((await context.perform({ kind: 'program', name: 'inner', input: (input as number) - 1 })) as unknown as Json),
  )
  const kernel = kernelWith({ minds: [inner], tools: [deploying([])] })
  const runId = 'long'.repeat(29)
  expect((await kernel.run({ kind: 'program', name: 'inner', input: 3, runId })).state).toBe('suspended')
  await kernel.run({ kind: 'program', name: 'inner', input: 0, runId: 'another' })
  const requests = await kernel.approvals(runId)
  expect([requests.length, (await kernel.approvals()).length]).toEqual([1, 2])
  await kernel.respond(requests[0]!.id, { answer: 'approve' })
  await eventually(async () => (await kernel.journal.summary(runId))!.state === 'completed')
})

describe('questions', () => {
  const asking = program(
    'main',
    async (_, context) =>
      (await context.perform({ kind: 'question', name: 'human', input: { text: 'Which colour?' } })) as unknown as Json,
  )

  test('a question is put to a human in its own words, and the answer is its value', async () => {
    const kernel = kernelWith({ minds: [asking] })
    expect(await runMain(kernel)).toMatchObject({ state: 'suspended', reason: 'question' })
    expect(await kernel.approvals()).toMatchObject([{ reason: 'question', text: 'Which colour?' }])
    await answer(kernel, { answer: 'answer', value: { colour: 'red' } })
    expect(await ended(kernel)).toEqual({ status: 'ok', value: { colour: 'red' } })
    expect((await kernel.replay('r')).identical).toBe(true)
  })

  test('an answer in words alone is an answer', async () => {
    const kernel = kernelWith({ minds: [asking], onApproval: () => ({ answer: 'answer', text: 'blue' }) })
    expect(outputOf(await runMain(kernel))).toEqual({ status: 'ok', value: 'blue' })
  })

  test('a question that is not answered but refused is a denial', async () => {
    const kernel = kernelWith({
      minds: [asking],
      onApproval: () => ({ answer: 'reject', text: 'none of your business' }),
    })
    expect(outputOf(await runMain(kernel))).toMatchObject({ status: 'denied', reason: 'none of your business' })
  })
})

describe('a handler in the process', () => {
  test('answers without a suspension, and sees everything it needs to decide', async () => {
    const seen: object[] = []
    const kernel = kernelWith({
      minds: [once],
      tools: [deploying([])],
      onApproval: async (request) => (seen.push(request), await rest(), { answer: 'approve' }),
    })
    expect(outputOf(await runMain(kernel, { to: 'prod' }))).toMatchObject({ status: 'ok' })
    expect(await linesOf(kernel.journal)).not.toContain('run-suspend')
    expect(seen).toMatchObject([
      {
        id: 'r-ap2',
        run: 'r',
        key: 'tool',
        name: 'deploy',
        input: { to: 'prod' },
        text: expect.any(String),
        hash: expect.any(String),
      },
    ])
  })

  test('the request is on disk before it is asked', async () => {
    const { journal, open } = holdAppends(memoryJournal(), (types) => types.includes('approval-request'))
    let asked = 0
    const outcome = runMain(
      kernelWith({
        journal,
        minds: [once],
        tools: [deploying([])],
        onApproval: () => ((asked += 1), { answer: 'approve' }),
      }),
    )
    await rest()
    expect(asked).toBe(0)
    open()
    await outcome
    expect(asked).toBe(1)
  })

  const silent: readonly [string, () => ApprovalResponse | undefined][] = [
    [
      'throws',
      () => {
        throw new Error('no terminal')
      },
    ],
    ['gives nothing', () => undefined],
    ['gives what is no answer', () => ({ answer: 'perhaps' as never })],
  ]
  for (const [how, onApproval] of silent) {
    test(`one that ${how} approves nothing: the run suspends, and can be answered later`, async () => {
      const calls: Json[] = []
      const kernel = await suspended({ tools: [deploying(calls)], onApproval })
      expect(calls).toEqual([])
      const second = kernelWith({ journal: kernel.journal, minds: [once], tools: [deploying(calls)] })
      await answer(second, { answer: 'approve' })
      expect(await ended(second)).toMatchObject({ status: 'ok' })
    })
  }

  test('an approval holds no reservation while it waits', async () => {
    const main = program('main', async (_, context) => {
      const waiting = call(context, 'deploy')
      const other = await value(context, 'count')
      return [other, (await waiting).status]
    })
    const kernel = kernelWith({
      minds: [main],
      tools: [deploying([]), tool('count', () => 'counted')],
      onApproval: async () => (await rest(), { answer: 'approve' }),
    })
    const outcome = await kernel.run({ kind: 'program', name: 'main', input: null, budget: { toolCalls: 1 } })
    // The call that did not have to wait took the only one there was; after its approval the other is judged again.
    expect(outputOf(outcome)).toEqual(['counted', 'denied'])
  })
})

test('an approval request that was open when the process was killed is asked again under the same id', async () => {
  const whole = await suspended({ tools: [deploying([])] })
  const journal = await cutAfter(whole.journal, 'r', 2)
  const kernel = kernelWith({ journal, minds: [once], tools: [deploying([])] })
  expect(await kernel.resume('r')).toMatchObject({ state: 'suspended', pending: [{ approvalId: 'r-ap2' }] })
  expect((await readAll(journal, 'r')).filter(({ type }) => type === 'approval-request')).toHaveLength(1)
})

test('with `selfApproval: false` another identity must approve than the one that started the run', async () => {
  const calls: Json[] = []
  const kernel = await suspended({ tools: [deploying(calls)], mandate: { selfApproval: false } })
  await expect(answer(kernel, { answer: 'approve' })).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' })
  expect(calls).toEqual([])
  await answer(kernel, { answer: 'approve' }, { id: 'bob', roles: ['owner'] })
  await ended(kernel)
  expect(calls).toHaveLength(1)
})
