import { describe, expect, test } from 'vitest'
import type { Json } from '../../core/index.ts'
import type { MandateEvent } from '../../journal/index.ts'
import type { ContentFilter, Mandate } from '../../gate/index.ts'
import { memoryJournal, readAll } from '../../journal/index.ts'
import { scripted, userMessage } from '../../model/index.ts'
import { call, cutAfter, kernelWith, outputOf, program, runMain, tool } from '../kernel/kernel.fixture.ts'

type ContentRule = NonNullable<Mandate['content']>[number]

const hide: ContentRule = { id: 'hide', on: ['tool-output'], words: ['hunter2'], then: 'redact' }
const main = program('main', async (_, context) => (await call(context, 'fetch')) as unknown as Json)

async function outcomeOf(content: readonly ContentRule[], run: () => unknown, filters: readonly ContentFilter[] = []) {
  const journal = memoryJournal()
  const seen: MandateEvent[] = []
  const kernel = kernelWith({ minds: [main], tools: [tool('fetch', run)], journal, mandate: { content }, filters })
  kernel.events.on('*', (event) => void seen.push(event))
  const outcome = outputOf(await runMain(kernel)) as {
    status: string
    value?: Json
    error?: { code: string; message: string }
  }
  return { outcome, bytes: JSON.stringify(await readAll(journal, 'r')) + JSON.stringify(seen), journal }
}

describe('what a tool gives', () => {
  test('is filtered before the journal, listeners and the mind get it', async () => {
    const { outcome, bytes } = await outcomeOf([hide], () => ({ page: 'the password is hunter2' }))
    expect(outcome).toMatchObject({ status: 'ok', value: { page: 'the password is [redacted]' } })
    expect(bytes).not.toContain('hunter2')
    expect(bytes).toContain('content/hide')
  })

  test('is withheld when a filter blocks it, and the call still counts as made', async () => {
    const { outcome, bytes } = await outcomeOf([{ ...hide, then: 'block' }], () => 'hunter2')
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code: 'CONTENT_BLOCKED', message: expect.stringContaining('content/hide') },
    })
    expect(bytes).not.toContain('hunter2')
  })

  test('is filtered in its errors too', async () => {
    const { outcome, bytes } = await outcomeOf([hide], () => {
      throw new Error('cannot log in with hunter2')
    })
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code: 'TOOL_FAILED', message: 'cannot log in with [redacted]' },
    })
    expect(bytes).not.toContain('hunter2')
  })

  test('is not shown piece by piece before the filters have seen it', async () => {
    const { bytes } = await outcomeOf([hide], async function* () {
      yield 'hunter2'
      yield 'done'
    })
    expect(bytes).not.toContain('hunter2')
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ])('is withheld when a filter %s', async (_, check) => {
    const rule: ContentRule = { id: 'own', on: ['tool-output'], filter: 'own' }
    const { outcome, bytes } = await outcomeOf([rule], () => 'hunter2', [{ name: 'own', check }])
    expect(outcome).toMatchObject({ error: { code: 'CONTENT_BLOCKED', message: expect.stringContaining('broken') } })
    expect(bytes).not.toContain('hunter2')
  })

  test('is withheld when its filter is not there', async () => {
    const { outcome } = await outcomeOf([{ id: 'own', on: ['tool-output'], filter: 'missing' }], () => 'x')
    expect(outcome).toMatchObject({ error: { code: 'CONTENT_BLOCKED' } })
  })
})

describe('what a model is sent', () => {
  const content: readonly ContentRule[] = [
    { id: 'hide', on: ['prompt'], words: ['hunter2'], then: 'rewrite', with: '***' },
  ]
  const asking = program(
    'main',
    async (_, context) =>
      (await context.perform({
        kind: 'model',
        name: 'm',
        input: { of: 'h' },
        carry: { messages: [userMessage('it is hunter2')] },
      })) as unknown as Json,
  )

  test('is filtered, and the decision says so', async () => {
    const journal = memoryJournal()
    const kernel = kernelWith({ minds: [asking], journal, mandate: { content } })
    const model = scripted(['ok'])
    kernel.registry.registerModel('m', model)
    await runMain(kernel)
    expect(model.requests).toEqual([{ messages: [userMessage('it is ***')] }])
    expect(JSON.stringify(await readAll(journal, 'r'))).toContain('"rule":"content/hide","verdict":"modify"')
    expect(await kernel.replay('r')).toMatchObject({ identical: true })
  })

  test('is filtered again when a crash cut the call', async () => {
    const journal = memoryJournal()
    const first = kernelWith({ minds: [asking], journal, mandate: { content } })
    first.registry.registerModel('m', scripted(['ok']))
    await runMain(first)
    // Up to the start of the call.
    const second = kernelWith({ minds: [asking], journal: await cutAfter(journal, 'r', 2), mandate: { content } })
    const model = scripted(['ok'])
    second.registry.registerModel('m', model)
    await second.resume('r')
    expect(model.requests).toEqual([{ messages: [userMessage('it is ***')] }])
  })
})
