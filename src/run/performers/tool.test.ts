import { expect, test } from 'vitest'
import { canonical, sha256 } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { ToolContext } from '../../tool/index.ts'
import { call, entriesOf, kernelWith, outputOf, program, runMain, tool } from '../kernel/kernel.fixture.ts'

const once = program('main', async (input, context) => (await call(context, 'act', input)) as unknown as Json)

test('a tool gets the identity, the run, and an idempotency key', async () => {
  const seen: ToolContext[] = []
  const main = program(
    'main',
    async (_, context) =>
      (await context.perform({
        kind: 'tool',
        name: 'act',
        input: null,
        carry: { toolCallId: 'c1', metadata: { a: 1 } },
      })) as unknown as Json,
  )
  const kernel = kernelWith({ minds: [main], tools: [tool('act', (_, context) => void seen.push(context))] })
  await kernel.run({
    kind: 'program',
    name: 'main',
    input: null,
    runId: 'r',
    sessionId: 's',
    identity: { id: 'ann', roles: ['owner'] },
  })
  expect(seen[0]).toMatchObject({
    runId: 'r',
    sessionId: 's',
    agentId: 'main',
    requestId: 'r',
    toolCallId: 'c1',
    identity: { id: 'ann' },
    idempotencyKey: 'r/tool',
    attempt: 1,
    metadata: { a: 1 },
  })
})

test('a result is made plain, and what was lost on the way is said beside it', async () => {
  const cyclic: Record<string, unknown> = { when: new Date(0), big: 10n, f: () => 1 }
  cyclic['self'] = cyclic
  const kernel = kernelWith({ minds: [once], tools: [tool('act', () => cyclic)] })
  expect(outputOf(await runMain(kernel))).toEqual({
    status: 'ok',
    value: { when: '1970-01-01T00:00:00.000Z', big: '10', self: '[cycle]' },
  })
  const [end] = await entriesOf(kernel.journal, 'effect-end')
  expect(end!.data.meta).toMatchObject({
    issues: expect.arrayContaining([expect.stringContaining('cycle')]),
  })
})

test('a result that is too large is truncated and marked; the mind, the journal and replay see the same', async () => {
  const act = tool('act', () => ({ status: 200, body: 'x'.repeat(5_000_000) }), { maxResultBytes: 2_000 })
  const kernel = kernelWith({ minds: [once], tools: [act] })
  const output = outputOf(await runMain(kernel)) as { value: { status: number; body: string } }
  expect([output.value.status, output.value.body.length < 2_000, output.value.body.includes('[cut:')]).toEqual([
    200,
    true,
    true,
  ])
  const [end] = await entriesOf(kernel.journal, 'effect-end')
  expect(end!.data.meta).toMatchObject({ truncated: true, whole: { bytes: 5_000_024 } })
  expect((await kernel.replay('r')).identical).toBe(true)
})

test('the digest of a result that was cut is on record', async () => {
  const given = { body: 'x'.repeat(50_000) }
  const kernel = kernelWith({ minds: [once], tools: [tool('act', () => given, { maxResultBytes: 2_000 })] })
  await runMain(kernel)
  const [end] = await entriesOf(kernel.journal, 'effect-end')
  expect(end!.data.meta).toMatchObject({ whole: { sha256: sha256(canonical(given)) } })
})

test('labels of the call and of the tool are on what it gives', async () => {
  const main = program(
    'main',
    async (_, context) =>
      (await context.perform({ kind: 'tool', name: 'act', input: null, labels: ['pii'] })) as unknown as Json,
  )
  const kernel = kernelWith({ minds: [main], tools: [tool('act', () => 1, { labels: ['untrusted:web'] })] })
  expect(outputOf(await runMain(kernel))).toEqual({ status: 'ok', value: 1, labels: ['pii', 'untrusted:web'] })
})

test('a result larger than `resultBytes` is truncated and marked', async () => {
  const main = program('main', async (_, context) => (await call(context, 'act')) as unknown as Json)
  const kernel = kernelWith({
    minds: [main],
    tools: [tool('act', () => 'x'.repeat(9_000))],
    limits: { resultBytes: 500 },
  })
  expect(JSON.stringify(outputOf(await runMain(kernel))).length).toBeLessThan(1_500)
})

test('the bytes of results count where they are limited', async () => {
  const main = program('main', async (_, context) => {
    const statuses: string[] = []
    for (let turn = 0; turn < 4; turn++) statuses.push((await call(context, 'act')).status)
    return statuses
  })
  const kernel = kernelWith({ minds: [main], tools: [tool('act', () => 'x'.repeat(400), { maxResultBytes: 500 })] })
  const outcome = await kernel.run({ kind: 'program', name: 'main', input: null, budget: { outputBytes: 1_000 } })
  expect(outputOf(outcome)).toEqual(['ok', 'ok', 'denied', 'denied'])
})

test('limits in bytes count bytes of UTF-8, in inputs and in results', async () => {
  const main = program('main', async (text, context) => (await call(context, 'act', { text })).status)
  const given = async (text: string): Promise<Json> => {
    const kernel = kernelWith({ minds: [main], tools: [tool('act', () => 'ok')], limits: { inputBytes: 1_000 } })
    return outputOf(await kernel.run({ kind: 'program', name: 'main', input: text }))
  }
  expect([await given('x'.repeat(900)), await given('日'.repeat(300)), await given('日'.repeat(400))]).toEqual([
    'ok',
    'ok',
    'denied',
  ])
  const gave = async (text: string): Promise<number | undefined> => {
    const kernel = kernelWith({ minds: [main], tools: [tool('act', () => text)] })
    await kernel.run({ kind: 'program', name: 'main', input: '', runId: 'r', budget: { outputBytes: 1_000_000 } })
    const [end] = await entriesOf(kernel.journal, 'effect-end')
    return end!.data.spent.outputBytes
  }
  expect([await gave('x'.repeat(10)), await gave('日🙂')]).toEqual([12, 9])
})

test('a tool may change its input without changing what the journal or the mind has of it', async () => {
  const frozen = Object.freeze({ list: Object.freeze([1, 2]) })
  const main = program('main', async (_, context) => [
    (await call(context, 'act', frozen)) as unknown as Json,
    (await call(context, 'act', frozen)) as unknown as Json,
  ])
  const act = tool('act', (input) => {
    const { list } = input as unknown as { list: number[] }
    list.push(3)
    return list.length
  })
  expect(outputOf(await runMain(kernelWith({ minds: [main], tools: [act] })))).toMatchObject([
    { value: 3 },
    { value: 3 },
  ])
})

test('a result that is nested too deep is truncated there, and the run continues', async () => {
  let deep: Json = 'bottom'
  for (let level = 0; level < 1_000; level++) deep = [deep]
  const kernel = kernelWith({ minds: [once], tools: [tool('act', () => deep)] })
  const outcome = outputOf(await runMain(kernel))
  expect(outcome).toMatchObject({ status: 'ok' })
  expect(JSON.stringify(outcome)).toContain('[too deep]')
})
