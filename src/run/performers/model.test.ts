import { describe, expect, test } from 'vitest'
import { manualClock } from '../../core/index.ts'
import type { Json, MandateEvent } from '../../core/index.ts'
import type { EffectEndData } from '../../journal/index.ts'
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
} from '../kernel.fixture.ts'

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

/** Says something while the model is asked, so that there is a start in the journal. */
const telling = program('main', async (_, context) => {
  const asked = context.perform({ kind: 'model', name: 'm', input: { transcript: 'h' }, carry: request })
  context.append('asking')
  return (await asked) as unknown as Json
})

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
    kernel.events.on('text-delta', ({ data }: MandateEvent) => void (streamed += (data as { text: string }).text))
    const output = outputOf(await runMain(kernel))
    expect([streamed, JSON.stringify(output).includes('Hello there, friend.')]).toEqual(['Hello there, friend.', true])
    const end = (await entriesOf(kernel.journal, 'effect-end'))[0]!.data as unknown as EffectEndData
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

  test('that was in flight at a crash, and left nothing, is asked for again', async () => {
    const { kernel } = kernelOf(['first'])
    await runMain(kernel)
    expect(await linesOf(kernel.journal)).toEqual(['run-start', 'effect-end model', 'run-end'])
    const { kernel: second, model } = kernelOf(['first'], { journal: await cutAfter(kernel.journal, 'r', 1) })
    expect(outputOf(await second.resume('r'))).toMatchObject({ status: 'ok' })
    expect(model.requests).toHaveLength(1)
    expect(await second.verify('r')).toMatchObject({ ok: true })
    expect((await second.replay('r')).identical).toBe(true)
  })

  test('that takes long has a start of its own, so that whoever follows the journal sees it', async () => {
    const clock = manualClock(0)
    const reply = Promise.withResolvers<string>()
    const { kernel, model } = kernelOf(() => reply.promise, { clock })
    const outcome = runMain(kernel)
    await eventually(() => model.requests.length === 1)
    await rest()
    expect(await linesOf(kernel.journal)).toEqual(['run-start'])
    clock.advance(1_000)
    await rest()
    expect(await linesOf(kernel.journal)).toEqual(['run-start', 'effect-start model'])
    reply.resolve('late')
    expect(outputOf(await outcome)).toMatchObject({ status: 'ok' })
    expect(await linesOf(kernel.journal)).toEqual(['run-start', 'effect-start model', 'effect-end model', 'run-end'])
  })

  test('that somebody listens to has a start of its own, told before anything that the model says', async () => {
    const { kernel } = kernelOf(['Hello.'])
    const told: unknown[] = []
    kernel.events.on('*', ({ type, seq }) => void told.push([type, seq]))
    await runMain(kernel)
    const types = told.map((one) => (one as [string])[0])
    expect(types.indexOf('effect-start')).toBeLessThan(types.indexOf('text-delta'))
    expect(told).toContainEqual(['effect-start', 2])
    expect(await linesOf(kernel.journal)).toEqual(['run-start', 'effect-start model', 'effect-end model', 'run-end'])
  })

  test('that was in flight at a crash is paid again, once, with the next number, and nobody is asked', async () => {
    const { kernel } = kernelOf(['first'], { minds: [telling] })
    await runMain(kernel)
    const { kernel: second, model } = kernelOf(['first'], {
      minds: [telling],
      journal: await cutAfter(kernel.journal, 'r', 3),
    })
    expect(outputOf(await second.resume('r'))).toMatchObject({ status: 'ok' })
    expect(model.requests).toHaveLength(1)
    expect((await entriesOf(second.journal, 'effect-end'))[0]!.data).toMatchObject({
      meta: { performed: { attempt: 2 } },
    })
  })

  test('that is not registered, or has no price where money is limited, is denied', async () => {
    const kernel = kernelWith({ minds: [asking] })
    expect(outputOf(await runMain(kernel))).toMatchObject({ status: 'denied' })
    const { kernel: priced, model } = kernelOf(['x'], { prices: { date: '2026-01-01', models: {} } as never })
    const outcome = await priced.run({ kind: 'program', name: 'main', input: null, budget: { money: 1 } })
    expect(outputOf(outcome)).toMatchObject({ status: 'denied', code: 'PRICE_UNKNOWN' })
    expect(model.requests).toEqual([])
  })

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
