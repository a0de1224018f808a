import { describe, expect, test } from 'vitest'
import { memoryJournal } from '../../journal/index.ts'
import type { Tool, ToolContext } from '../../tool/index.ts'
import { blobContext } from './blob-source.ts'
import { call as callMethod, sourceOf } from './context.fixture.ts'
import { contextTools } from './context-tools.ts'
import { contextOf } from './context.ts'
import type { Context, ContextFacts } from './context.ts'
import { describeContext } from './describe.ts'
import { CONTEXT_OPERATIONS } from './operations.ts'

/** Calls a tool of a context as the kernel does. */
async function call(
  context: Context,
  name: string,
  input: object,
): Promise<{ value: never; labels: readonly string[] }> {
  const tool = contextTools(context).find((one: Tool) => one.name === name)!
  const checked = await tool.validate(input as never)
  if (!checked.valid) throw new Error(JSON.stringify(checked.issues))
  const labels: string[] = []
  const host = {
    signal: new AbortController().signal,
    addLabels: (more: readonly string[]) => void labels.push(...more),
  }
  const value = await tool.run(checked.value, host as unknown as ToolContext)
  return { value: value as never, labels }
}

describe('the tools of a context', () => {
  const context = contextOf(sourceOf('one\ntwo\nthree', 'count.txt'), { labels: ['untrusted:file'] })

  test('give what is known of it without its text', async () => {
    const { value } = await call(context, 'context.open', {})
    expect(value).toEqual({
      label: 'count.txt',
      ref: expect.stringMatching(/^[0-9a-f]{32}$/),
      length: 13,
      bytes: 13,
      lineCount: 3,
    })
  })

  test('put its labels on everything that is read', async () => {
    const { ref }: ContextFacts = (await call(context, 'context.open', {})).value
    for (const { name, required } of CONTEXT_OPERATIONS) {
      if (name.startsWith('record')) continue
      const { labels } = await call(context, `context.${name}`, { context: ref, ...(required && { pattern: 't' }) })
      expect(labels).toEqual(['untrusted:file'])
    }
  })

  test('read the content that the call names, and a range of it', async () => {
    const { ref }: ContextFacts = (await call(context, 'context.open', {})).value
    expect((await call(context, 'context.lines', { context: ref })).value).toEqual(['one', 'two', 'three'])
    expect((await call(context, 'context.slice', { context: `${ref}@4-13`, to: 3 })).value).toBe('two')
    await expect(call(context, 'context.slice', { context: `${ref}@4-14` })).rejects.toThrow('not in this context')
  })

  test('refuse a source whose content is another one than the call names', async () => {
    const { ref }: ContextFacts = (await call(context, 'context.open', {})).value
    const other = contextOf(sourceOf('one\ntwo\nfour!', 'count.txt'))
    await expect(call(other, 'context.slice', { context: ref })).rejects.toMatchObject({
      code: 'RUN_STATE',
      message: expect.stringContaining('"count.txt" has changed'),
    })
  })

  test('refuse an input that no operation has', async () => {
    await expect(call(context, 'context.search', { context: 'x', pattern: 't', limits: 1 })).rejects.toThrow('limits')
    await expect(call(context, 'context.slice', { context: 'nothing' })).rejects.toThrow('names no context')
  })
})

test('a blob of a journal is a context', async () => {
  const journal = memoryJournal()
  const lease = await journal.acquire({ run: 'r1', owner: 'test', ttlMs: 1_000, now: 0 })
  expect(lease).toBeDefined()
  const hash = await journal.writeBlob!('r1', new TextEncoder().encode('text of the blob'))
  const context = contextOf(blobContext(journal, { run: 'r1', hash, label: 'blob.txt' }))
  expect(await callMethod(context, 'search', /b\w+$/)).toMatchObject([{ at: 12, match: 'blob' }])
  const missing = contextOf(blobContext(journal, { run: 'r1', hash: 'f'.repeat(64) }))
  await expect(missing.open()).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('what a model is told of a context declares every method and holds nothing of its text', async () => {
  const { facts } = await contextOf('The secret is 42.', { label: 'note.txt' }).open()
  const text = describeContext(facts)
  for (const { name } of CONTEXT_OPERATIONS) expect(text).toContain(`  ${name}(`)
  expect(text).toContain('"note.txt" with 17 characters')
  expect(text).not.toContain('secret')
})
