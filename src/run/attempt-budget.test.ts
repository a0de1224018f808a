import { describe, expect, it } from 'vitest'
import { MandateError } from '../core/index.ts'
import type { BudgetLimits, Json, Outcome } from '../core/index.ts'
import { foldRun, memoryJournal, readAll } from '../journal/index.ts'
import type { Spend } from '../journal/index.ts'
import { userMessage } from '../model/index.ts'
import type { Model, ModelCallContext, ModelPart } from '../model/index.ts'
import { call, cutAfter, entriesOf, kernelWith, program, tool } from './kernel/kernel.fixture.ts'
import type { Kernel } from './kernel/kernel.ts'

const PRICES = {
  date: '2026-01-01',
  currency: 'USD',
  models: { 'fake/m': { inputPerMillion: 1_000, outputPerMillion: 1_000 } },
} as const
const REQUEST = { messages: [userMessage('What is it?')], maxOutputTokens: 500 } as unknown as Json
const FINISH: ModelPart = { type: 'finish', reason: 'stop' }
const GOOD: ModelPart = { type: 'usage', usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } }

const text = (words: number): ModelPart => ({ type: 'text-delta', text: 'word '.repeat(words) })
const fault = (status?: number): ModelPart => ({
  type: 'error',
  message: 'broken off',
  retriable: true,
  retryAfterMs: 0,
  ...(status === undefined ? {} : { status }),
})

interface World {
  readonly kernel: Kernel
  readonly outcomes: Outcome<Json>[]
  calls: number
  spent(): Promise<Spend>
}

type Script = (attempt: number, context: ModelCallContext) => AsyncIterable<ModelPart> | Iterable<ModelPart>

function worldWith(script: Script, journal = memoryJournal()): World {
  const outcomes: Outcome<Json>[] = []
  const kernel = kernelWith({
    journal,
    prices: PRICES,
    limits: { attempts: 10, modelTimeoutMs: 50, cancelGraceMs: 5 },
    minds: [
      program('main', async (_input, context) => {
        const outcome = await context.perform({ kind: 'model', name: 'm', input: REQUEST })
        outcomes.push(outcome)
        return outcome.status
      }),
    ],
  })
  const world: World = { kernel, outcomes, calls: 0, spent: async () => foldRun(await readAll(journal, 'r')).spent }
  const model: Model = {
    id: 'fake/m',
    provider: 'fake',
    modelId: 'm',
    async *stream(_request, context) {
      world.calls += 1
      yield* script(world.calls, context)
    },
  }
  kernel.registry.registerModel('m', model)
  return world
}

async function run(world: World, budget: BudgetLimits = {}): Promise<string> {
  const outcome = await world.kernel.run({ kind: 'program', name: 'main', input: null, runId: 'r', budget })
  return outcome.state
}

describe('attempts of a model call', () => {
  it('that fail in the middle of a stream count what was streamed, and what was asked', async () => {
    const world = worldWith((attempt) => (attempt < 3 ? [text(100), fault()] : [text(1), GOOD, FINISH]))
    await run(world)
    const { modelCalls, outputTokens, inputTokens, money } = await world.spent()
    expect(modelCalls).toBe(3)
    // Two hundred words of two failed attempts, whatever a token is, and the five of the last.
    expect(outputTokens).toBeGreaterThan(200)
    expect(inputTokens).toBeGreaterThan(10)
    expect(money).toBeCloseTo(((inputTokens ?? 0) + (outputTokens ?? 0)) / 1_000, 6)
  })

  it('never spend more money than the limit, however often they are cut', async () => {
    // The worst case of one attempt is a little more than 0.5; each one streams nearly all of it.
    const world = worldWith(() => [text(300), fault()])
    await run(world, { money: 1.2 })
    expect(world.calls).toBe(2)
    expect((await world.spent()).money).toBeLessThanOrEqual(1.2)
    expect(world.outcomes[0]).toMatchObject({
      status: 'failed',
      error: { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('`budget.money`') },
    })
  })

  it('are as many as `modelCalls` allows, and the error names it', async () => {
    const world = worldWith(() => [fault(529)])
    await run(world, { modelCalls: 2 })
    expect(world.calls).toBe(2)
    expect((await world.spent()).modelCalls).toBe(2)
    expect(world.outcomes[0]).toMatchObject({
      error: { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('`budget.modelCalls` is 2') },
    })
  })

  it('count the worst case where nothing is known of them', async () => {
    // eslint-disable-next-line require-yield
    const world = worldWith(async function* (_attempt, { signal }) {
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    })
    await run(world, { modelCalls: 1 })
    expect(await world.spent()).toMatchObject({ modelCalls: 1, outputTokens: 500 })
  })

  it('that the provider refused before it wrote anything count their input and no output', async () => {
    const world = worldWith(() => [fault(429)])
    await run(world, { modelCalls: 1 })
    const { inputTokens, outputTokens } = await world.spent()
    expect(outputTokens).toBe(0)
    expect(inputTokens).toBeGreaterThan(0)
  })

  it('of a model that could not be made count no tokens, because nothing was asked', async () => {
    const world = worldWith(() => {
      throw new MandateError('CONFIG_INVALID', 'It needs a package that is not installed.')
    })
    await run(world)
    expect(await world.spent()).toMatchObject({ modelCalls: 1, inputTokens: 0, outputTokens: 0, money: 0 })
  })

  it('that are cancelled count what was streamed', async () => {
    const world = worldWith(async function* (_attempt, { signal }) {
      yield text(100)
      world.kernel.cancel('r').catch(() => {})
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    })
    expect(await run(world)).toBe('cancelled')
    expect((await world.spent()).outputTokens).toBeGreaterThan(100)
    expect((await world.spent()).outputTokens).toBeLessThan(500)
  })

  it('believe usage that a failed attempt reported where it is not less than what was streamed', async () => {
    const usage = (outputTokens: number): ModelPart => ({
      type: 'usage',
      usage: { inputTokens: 77, outputTokens, totalTokens: 77 + outputTokens },
    })
    const more = worldWith(() => [text(10), usage(321), fault()])
    await run(more, { modelCalls: 1 })
    expect(await more.spent()).toMatchObject({ inputTokens: 77, outputTokens: 321 })
    const less = worldWith(() => [text(100), usage(1), fault()])
    await run(less, { modelCalls: 1 })
    expect((await less.spent()).outputTokens).toBeGreaterThan(100)
  })

  it('that a process died in count as well, each with its worst case', async () => {
    const journal = memoryJournal()
    const first = worldWith(() => [text(1), GOOD, FINISH], journal)
    await run(first, { modelCalls: 2 })
    const cut = await cutAfter(journal, 'r', 2)
    const second = worldWith(() => [fault()], cut)
    await second.kernel.resume('r')
    expect(second.calls).toBe(1)
    expect(await second.spent()).toMatchObject({ modelCalls: 2 })
    expect((await second.spent()).outputTokens).toBeGreaterThanOrEqual(1_000)
  })
})

describe('usage that cannot be', () => {
  it.each([
    ['NaN', { inputTokens: Number.NaN, outputTokens: Number.NaN }],
    ['negative', { inputTokens: -3, outputTokens: -9 }],
    ['text', { inputTokens: '3', outputTokens: 'many' }],
    ['no object', 'a lot'],
    ['missing on one side', { inputTokens: 12 }],
  ])('(%s) is estimated, with a warning, and never counts as nothing', async (_name, usage) => {
    const world = worldWith(() => [text(100), { type: 'usage', usage } as unknown as ModelPart, FINISH])
    await run(world)
    const { inputTokens, outputTokens, money } = await world.spent()
    expect(inputTokens).toBeGreaterThan(3)
    expect(outputTokens).toBeGreaterThan(100)
    expect(money).toBeGreaterThan(0.1)
    expect(world.outcomes[0]).toMatchObject({
      value: { usage: { estimated: true }, warnings: [expect.stringContaining('estimated')] },
    })
  })

  it('of an embedding is estimated too', async () => {
    const journal = memoryJournal()
    const kernel = kernelWith({
      journal,
      prices: PRICES,
      minds: [
        program('main', async (_input, context) => {
          await context.perform({ kind: 'embed', name: 'embed', input: { values: ['some words to be read'] } })
          return null
        }),
      ],
    })
    const usage = { inputTokens: Number.NaN }
    kernel.registry.embedding = {
      ...{ id: 'fake/m', provider: 'fake', modelId: 'm' },
      embed: async () => ({ embeddings: [[1]], usage, warnings: [] }),
    }
    await kernel.run({ kind: 'program', name: 'main', input: null, runId: 'r' })
    const [end] = await entriesOf(journal, 'effect-end')
    const { spent, meta } = end!.data
    expect(spent.inputTokens).toBeGreaterThan(0)
    expect(JSON.stringify(meta)).toContain('estimated')
  })
})

describe('attempts of a tool', () => {
  it('are as many as `toolCalls` allows, and the error names it', async () => {
    let executions = 0
    const outcomes: Outcome<Json>[] = []
    const journal = memoryJournal()
    const flaky = tool('flaky', () => (executions++, Promise.reject(new Error('not now'))), {
      idempotent: true,
      retry: { attempts: 6, backoffMs: 0 },
    })
    const main = program('main', async (_input, context) => {
      outcomes.push(await call(context, 'flaky'))
      return null
    })
    const kernel = kernelWith({ journal, tools: [flaky], minds: [main] })
    await kernel.run({ kind: 'program', name: 'main', input: null, runId: 'r', budget: { toolCalls: 2 } })
    expect(executions).toBe(2)
    expect(outcomes[0]).toMatchObject({
      status: 'failed',
      error: { code: 'LIMIT_EXCEEDED', message: expect.stringMatching(/not now.*`budget\.toolCalls` is 2/su) },
    })
    expect(foldRun(await readAll(journal, 'r')).spent.toolCalls).toBe(2)
  })
})
