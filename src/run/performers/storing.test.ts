import { expect, test } from 'vitest'
import { manualClock } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { Effect } from '../../gate/index.ts'
import { inMemory, inMemoryDatabase } from '../../memory/index.ts'
import type { MemoryPolicy } from '../../memory/index.ts'
import type { EmbeddingModel } from '../../model/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { RunContext } from '../mind/mind.ts'
import { entriesOf, kernelWith, outputOf, program, runMain, tool } from '../kernel/kernel.fixture.ts'
import type { KernelParts } from '../kernel/kernel.fixture.ts'
import type { Embedded } from './embed.ts'

const clock = manualClock(1_000_000)

function append(entry: Json, more: Record<string, Json> = {}): Effect {
  return { kind: 'memory', name: 'memory', input: { op: 'append', stream: 's', entry, ...more } }
}

function write(key: string, value: Json, more: Record<string, Json> = {}): Effect {
  return { kind: 'database', name: 'database', input: { op: 'write', collection: 'c', key, value, ...more } }
}

function kernelFor(
  start: (context: RunContext) => Promise<unknown>,
  parts: KernelParts & { policy?: MemoryPolicy },
): Kernel {
  const { policy, ...rest } = parts
  const resources = policy === undefined ? {} : { memoryPolicy: policy }
  const main = program('main', async (_, context) => (await start(context)) as Json, { resources })
  const kernel = kernelWith({ minds: [main], ...rest })
  kernel.registry.memory = inMemory({ clock })
  kernel.registry.database = inMemoryDatabase({ clock })
  return kernel
}

async function all(context: RunContext, ...effects: readonly Effect[]): Promise<string[]> {
  const statuses: string[] = []
  for (const effect of effects) statuses.push((await context.perform(effect)).status)
  return statuses
}

/** Counts letters: texts with the same letters are alike. */
function letters(asked: string[][] = []): EmbeddingModel {
  return {
    id: 'test/letters',
    provider: 'test',
    modelId: 'letters',
    async embed({ values }) {
      asked.push([...values])
      const embeddings = values.map((text) =>
        Array.from('abcdefghijklmnopqrstuvwxyz', (letter) => text.split(letter).length - 1 + 0.01),
      )
      return { embeddings, usage: { inputTokens: 7 }, warnings: [] }
    },
  }
}

test('a run that may write twice writes twice: the third is refused before it happens', async () => {
  const kernel = kernelFor((context) => all(context, append(1), write('k', 2), append(3)), {
    mandate: { budget: { storeWrites: 2 } },
  })
  expect(outputOf(await runMain(kernel))).toEqual(['ok', 'ok', 'denied'])
  expect(await kernel.registry.memory!.read('s')).toEqual([1])
  expect((await kernel.replay('r')).identical).toBe(true)
})

test('reading is not counted as writing', async () => {
  const read: Effect = { kind: 'memory', name: 'memory', input: { op: 'read', stream: 's' } }
  const kernel = kernelFor((context) => all(context, read, append(1), read), {
    mandate: { budget: { storeWrites: 1 } },
  })
  expect(outputOf(await runMain(kernel))).toEqual(['ok', 'ok', 'ok'])
})

test('a dry run journals what it would have written, and writes nothing', async () => {
  const kernel = kernelFor((context) => all(context, append(1), write('k', 2)), { policy: { dryRun: true } })
  expect(outputOf(await runMain(kernel))).toEqual(['ok', 'ok'])
  expect(await kernel.registry.memory!.read('s')).toEqual([])
  expect(await kernel.registry.database!.read('c', 'k')).toBeNull()
  expect((await entriesOf(kernel.journal, 'effect-end')).map(({ data }) => data)).toMatchObject([
    { meta: { performed: { dryRun: true } } },
    { meta: { performed: { dryRun: true } } },
  ])
})

test('what a run writes has an end; what the run asks for can only be sooner', async () => {
  const kernel = kernelFor(
    (context) => all(context, write('a', 1), write('b', 1, { ttlMs: 10 }), write('c', 1, { ttlMs: 9e9 })),
    {
      policy: { ttlMs: 100 },
    },
  )
  await runMain(kernel)
  const keys = async (): Promise<string[]> => (await kernel.registry.database!.query('c', {})).map(({ key }) => key)
  clock.advance(50)
  expect(await keys()).toEqual(['a', 'c'])
  clock.advance(50)
  expect(await keys()).toEqual([])
})

test('a stream keeps only so many entries', async () => {
  const kernel = kernelFor((context) => all(context, append(1), append(2), append(3)), { policy: { maxEntries: 2 } })
  await runMain(kernel)
  expect(await kernel.registry.memory!.read('s')).toEqual([2, 3])
})

test('deleting is a write like any other', async () => {
  const erase: Effect = { kind: 'database', name: 'database', input: { op: 'delete', collection: 'c', key: 'k' } }
  const kernel = kernelFor((context) => all(context, write('k', 1), erase), {
    mandate: { rules: [{ id: 'no', when: { kind: 'database', 'input.op': 'delete' }, then: 'deny' }] },
  })
  expect(outputOf(await runMain(kernel))).toEqual(['ok', 'denied'])
  expect(await kernel.registry.database!.read('c', 'k')).toBe(1)
})

test('texts become vectors in an effect, and what is like them is found; a replay asks no model', async () => {
  const asked: string[][] = []
  const kernel = kernelFor(
    async (context) => {
      const vectors = await context.perform<Embedded>({
        kind: 'embed',
        name: 'test/letters',
        input: { values: ['listen', 'apple', 'silent'] },
      })
      if (vectors.status !== 'ok') return vectors.status
      const [listen, apple, silent] = vectors.value.vectors
      await all(context, write('listen', 'listen', { vector: listen! }), write('apple', 'apple', { vector: apple! }))
      const found = await context.perform<{ key: string }[]>({
        kind: 'database',
        name: 'database',
        input: { op: 'search', query: '', vector: silent!, limit: 1, collection: 'c' },
      })
      return found.status === 'ok' ? found.value.map(({ key }) => key) : found.status
    },
    { mandate: { budget: { modelCalls: 1, inputTokens: 100 } } },
  )
  kernel.registry.embedding = letters(asked)
  expect(outputOf(await runMain(kernel))).toEqual(['listen'])
  expect(asked).toHaveLength(1)
  expect((await entriesOf(kernel.journal, 'effect-end'))[0]!.data).toMatchObject({
    spent: { modelCalls: 1, inputTokens: 7 },
  })
  expect((await kernel.replay('r')).identical).toBe(true)
  expect(asked).toHaveLength(1)
})

test('without a model for it, embedding is denied; what is no text fails', async () => {
  const embed = (input: Json): Effect => ({ kind: 'embed', name: 'embedding', input })
  const without = kernelFor((context) => all(context, embed({ values: ['a'] })), {})
  expect(outputOf(await runMain(without))).toEqual(['denied'])
  const kernel = kernelFor((context) => all(context, embed({ values: [1] }), embed(null)), {})
  kernel.registry.embedding = letters()
  expect(outputOf(await runMain(kernel))).toEqual(['failed', 'failed'])
})

test('what a tool keeps in memory is redacted and keeps its labels, and what it reads labels its result', async () => {
  const keep = tool('keep', async (_input, { memory }) => memory!.append('s', 'key sk-ant-api03-' + 'a1B2'.repeat(24)))
  const look = tool('look', async (_input, { memory }) => memory!.read('s'))
  const kernel = kernelFor(
    async (context) => {
      await context.perform({ kind: 'tool', name: 'keep', input: {}, labels: ['untrusted:web'] })
      const found = await context.perform({ kind: 'tool', name: 'look', input: {}, labels: [] })
      return found.status === 'ok' ? (found.labels ?? []) : found.status
    },
    { tools: [keep, look] },
  )
  expect(outputOf(await runMain(kernel))).toEqual(['untrusted:web'])
  expect(JSON.stringify(await kernel.registry.memory!.read('s'))).not.toContain('a1B2')
})
