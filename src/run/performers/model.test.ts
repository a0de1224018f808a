import { describe, expect, test } from 'vitest'
import { manualClock } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { scripted } from '../../model/index.ts'
import type { ModelRequest } from '../../model/index.ts'
import {
  cutAfter,
  entriesOf,
  eventually,
  kernelWith,
  linesOf,
  outputOf,
  program,
  rest,
  runMain,
} from '../kernel/kernel.fixture.ts'

const request: ModelRequest = { messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] } as never
const asking = program(
  'main',
  async (_, context) =>
    (await context.perform({
      kind: 'model',
      name: 'm',
      input: { transcript: 'h' },
      carry: request,
    })) as unknown as Json,
)

function kernelOf(
  script: Parameters<typeof scripted>[0],
  more = {},
): { kernel: ReturnType<typeof kernelWith>; model: ReturnType<typeof scripted> } {
  const kernel = kernelWith({ minds: [asking], ...more })
  const model = scripted(script)
  kernel.registry.registerModel('m', model)
  return { kernel, model }
}

describe('a model call', () => {
  test('gives the whole reply, the same text that listeners saw in parts, and what it took', async () => {
    const { kernel } = kernelOf(['Hello there, friend.'])
    let streamed = ''
    kernel.events.on('text-delta', ({ data }) => void (streamed += data.text))
    const output = outputOf(await runMain(kernel))
    expect([streamed, JSON.stringify(output).includes('Hello there, friend.')]).toEqual(['Hello there, friend.', true])
    const end = (await entriesOf(kernel.journal, 'effect-end'))[0]!.data
    expect(end.spent).toMatchObject({ modelCalls: 1, outputTokens: expect.any(Number) })
    expect((await kernel.replay('r')).identical).toBe(true)
  })

  test('that fails for a passing reason is made again after a while, and parts that were shown are taken back', async () => {
    const clock = manualClock(0)
    const { kernel } = kernelOf([{ error: 'busy', retriable: true }, 'ok'], { clock })
    const seen: string[] = []
    kernel.events.on('*', ({ type }) => void seen.push(type))
    const outcome = runMain(kernel)
    await eventually(() => seen.includes('stream-reset'))
    await rest()
    clock.advance(60_000)
    expect(outputOf(await outcome)).toMatchObject({ status: 'ok' })
    expect(await linesOf(kernel.journal)).toContain('effect-retry model')
  })

  test('that fails for good is a failure for the mind', async () => {
    const { kernel } = kernelOf([{ error: 'no such key', retriable: false }])
    expect(outputOf(await runMain(kernel))).toMatchObject({ status: 'failed', error: { code: 'MODEL_FAILED' } })
    expect(await linesOf(kernel.journal)).not.toContain('effect-retry model')
  })

  test('a call in flight at a crash is repeated and paid once more, with the next attempt number, without asking a person', async () => {
    const { kernel } = kernelOf(['first'])
    await runMain(kernel)
    const { kernel: second, model } = kernelOf(['first'], { journal: await cutAfter(kernel.journal, 'r', 2) })
    expect(outputOf(await second.resume('r'))).toMatchObject({ status: 'ok' })
    expect(model.requests).toHaveLength(1)
    expect((await entriesOf(second.journal, 'effect-end'))[0]!.data).toMatchObject({
      meta: { performed: { attempt: 2 } },
    })
  })

  test('that is not registered, or has no price where money is limited, is denied', async () => {
    const kernel = kernelWith({ minds: [asking] })
    expect(outputOf(await runMain(kernel))).toMatchObject({ status: 'denied' })
    const { kernel: priced, model } = kernelOf(['x'], { prices: { date: '2026-01-01', currency: 'USD', models: {} } })
    const outcome = await priced.run({ kind: 'program', name: 'main', input: null, budget: { money: 1 } })
    expect(outputOf(outcome)).toMatchObject({ status: 'denied', code: 'PRICE_UNKNOWN' })
    expect(model.requests).toEqual([])
  })

  test.each(['modelCalls', 'inputTokens', 'outputTokens', 'totalTokens'] as const)(
    'whose worst case passes the limit `%s` is denied before the provider is asked',
    async (unit) => {
      const carry = { ...request, maxOutputTokens: 60 }
      const main = program(
        'main',
        async (_, context) =>
          (await context.perform({ kind: 'model', name: 'm', input: null, carry })) as unknown as Json,
      )
      const { kernel, model } = kernelOf(['x'], { minds: [main] })
      const outcome = await kernel.run({ kind: 'program', name: 'main', input: null, budget: { [unit]: 0 } })
      expect(outputOf(outcome)).toMatchObject({ status: 'denied', code: 'LIMIT_EXCEEDED' })
      expect(model.requests).toEqual([])
    },
  )

  test('what was reserved for it is given back down to what it took', async () => {
    const main = program('main', async (_, context) => {
      const statuses: string[] = []
      for (let turn = 0; turn < 3; turn++)
        statuses.push(
          (await context.perform({ kind: 'model', name: 'm', input: null, carry: { ...request, maxOutputTokens: 60 } }))
            .status,
        )
      return statuses
    })
    const { kernel } = kernelOf(() => 'short', { minds: [main] })
    const outcome = await kernel.run({ kind: 'program', name: 'main', input: null, budget: { outputTokens: 100 } })
    expect(outputOf(outcome)).toEqual(['ok', 'ok', 'ok'])
  })
})
