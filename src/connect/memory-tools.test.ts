import { expect, test } from 'vitest'
import type { Json, Label } from '../core/index.ts'
import { inMemoryDatabase } from '../memory/index.ts'
import type { ToolContext } from '../tool/index.ts'
import { toolContext } from '../../test/tools/tool-context.fixture.ts'
import { type MemoryToolsOptions, memoryTools } from './memory-tools.ts'

type Found = { memories: { id: string; text: string; tags: string[] }[] }

/** Calls a tool the way a run does: validated first. */
function caller(options: Partial<MemoryToolsOptions> = {}) {
  const tools = new Map(memoryTools({ database: inMemoryDatabase(), ...options }).map((tool) => [tool.name, tool]))
  let calls = 0
  return async (name: string, input: Json, context: Partial<ToolContext> = {}): Promise<unknown> => {
    const checked = await tools.get(name)!.validate(input)
    if (!checked.valid) throw new Error(checked.issues.map(({ path, message }) => `${path}: ${message}`).join('; '))
    const idempotencyKey = `call ${(calls += 1)}`
    return tools.get(name)!.run(checked.value, toolContext({ idempotencyKey, ...context }))
  }
}

test('what was saved is found by its words and by its tags, and gone once it is forgotten', async () => {
  const call = caller()
  const { id } = (await call('memory_save', { text: 'Ada likes tea', tags: ['ada', 'drinks'] })) as { id: string }
  await call('memory_save', { text: 'Bob likes tea', tags: ['bob'] })
  expect(((await call('memory_search', { query: 'tea' })) as Found).memories).toHaveLength(2)
  expect(await call('memory_search', { query: 'tea', tags: ['ada'] })).toEqual({
    memories: [{ id, text: 'Ada likes tea', tags: ['ada', 'drinks'] }],
  })
  expect(await call('memory_forget', { id })).toEqual({ forgotten: true })
  expect(await call('memory_forget', { id })).toEqual({ forgotten: false })
  expect(((await call('memory_search', { query: 'ada' })) as Found).memories).toEqual([])
})

test('with vectors, what means the same is found without a word in common', async () => {
  const meaning: Record<string, number[]> = { 'a cup of tea': [1, 0.1], 'the tax office': [0, 1], 'hot drinks': [1, 0] }
  const call = caller({ embed: async (texts) => texts.map((text) => meaning[text]!) })
  await call('memory_save', { text: 'the tax office' })
  await call('memory_save', { text: 'a cup of tea' })
  const { memories } = (await call('memory_search', { query: 'hot drinks', limit: 1 })) as Found
  expect(memories.map(({ text }) => text)).toEqual(['a cup of tea'])
})

test('labels are stored with a memory and come back with it, and only with it', async () => {
  const call = caller()
  await call('memory_save', { text: 'read on a page' }, { labels: ['untrusted:web'] })
  await call('memory_save', { text: 'said by the user' }, { labels: [] })
  const labelsFor = async (query: string): Promise<readonly Label[]> => {
    const seen: Label[] = []
    await call('memory_search', { query }, { addLabels: (labels) => void seen.push(...labels) })
    return seen
  }
  expect(await labelsFor('page')).toEqual(['untrusted:web'])
  expect(await labelsFor('user')).toEqual([])
})

test('a call that is repeated keeps one memory', async () => {
  const call = caller()
  for (let attempt = 1; attempt <= 2; attempt++)
    await call('memory_save', { text: 'once' }, { idempotencyKey: 'same', attempt })
  expect(((await call('memory_search', { query: 'once' })) as Found).memories).toHaveLength(1)
})

test('too much text, unknown members and a database that cannot search are refused', async () => {
  const call = caller({ maxTextLength: 10 })
  await expect(call('memory_save', { text: 'x'.repeat(11) })).rejects.toThrow(/text/)
  await expect(call('memory_save', { text: 'x', key: 'y' })).rejects.toThrow(/key/)
  await expect(call('memory_search', { query: 'x', limit: 1_000 })).rejects.toThrow(/limit/)
  const { search: _search, ...database } = inMemoryDatabase()
  expect(() => memoryTools({ database })).toThrow('`search`')
})
