import { expect, it } from 'vitest'
import type { Json } from '../../core/index.ts'
import { assistantMessage, toolMessage, userMessage } from '../../model/index.ts'
import type { ModelRequest } from '../../model/index.ts'
import type { ContentPlace, ContentRule } from '../mandate/guard-fields.ts'
import { viewOf } from '../view.fixture.ts'
import type { ViewParts } from '../view.fixture.ts'
import { contentGuard } from './content.ts'

const rule = (on: ContentPlace, then: ContentRule['then'] = 'redact'): ContentRule => ({
  id: 'w',
  on: [on],
  words: ['secret'],
  then,
})
const check = async (content: ContentRule, parts: ViewParts): Promise<unknown> =>
  contentGuard.check(viewOf({ ...parts, mandate: { content: [content] } }))

it.each<[string, ContentPlace, ViewParts, object | undefined]>([
  ['the input of a tool', 'tool-input', { input: { q: 'secret' } }, { q: '[redacted]' }],
  ['the input of a tool, when prompts are filtered', 'prompt', { input: { q: 'secret' } }, undefined],
  [
    'a memory write',
    'memory-write',
    { kind: 'memory', input: { op: 'append', entry: 'secret' } },
    { op: 'append', entry: '[redacted]' },
  ],
  [
    'a database write',
    'memory-write',
    { kind: 'database', input: { op: 'write', value: 'secret' } },
    { op: 'write', value: '[redacted]' },
  ],
  ['a memory read', 'memory-write', { kind: 'memory', input: { op: 'search', query: 'secret' } }, undefined],
  ['a question', 'prompt', { kind: 'question', input: 'secret' }, undefined],
])('%s', async (_, on, parts, input) => {
  expect(await check(rule(on), parts)).toEqual(
    input === undefined ? undefined : expect.objectContaining({ verdict: 'modify', rule: 'w', input }),
  )
  expect(await check(rule(on, 'block'), parts)).toEqual(
    input === undefined ? undefined : expect.objectContaining({ verdict: 'deny', code: 'CONTENT_BLOCKED' }),
  )
})

const request: ModelRequest = {
  messages: [
    userMessage('my secret'),
    assistantMessage([{ type: 'tool-call', toolCallId: 'secret-1', name: 'secret', input: { q: 'secret' } }]),
    toolMessage([
      { type: 'tool-result', toolCallId: 'secret-1', name: 'secret', status: 'ok', value: { a: 'secret' } },
    ]),
  ],
}

it('changes everything a model would read, and nothing by which calls and results find each other', async () => {
  const verdict = (await check(rule('prompt'), {
    kind: 'model',
    input: { hash: 'h' },
    effect: { carry: request },
  })) as {
    carry: ModelRequest
    input: Json
  }
  expect(verdict).toMatchObject({ verdict: 'modify', input: { hash: 'h' } })
  expect(verdict.carry.messages).toEqual([
    userMessage('my [redacted]'),
    assistantMessage([{ type: 'tool-call', toolCallId: 'secret-1', name: 'secret', input: { q: '[redacted]' } }]),
    toolMessage([
      { type: 'tool-result', toolCallId: 'secret-1', name: 'secret', status: 'ok', value: { a: '[redacted]' } },
    ]),
  ])
})

it('changes messages where they are the input themselves', async () => {
  const verdict = await check(rule('prompt'), { kind: 'model', input: request })
  expect(verdict).toMatchObject({ verdict: 'modify', input: { messages: [userMessage('my [redacted]'), {}, {}] } })
})

it('looks at each message once, however often it is sent', async () => {
  let looks = 0
  const filters = new Map([['own', { name: 'own', check: () => void (looks += 1) }]])
  const mandate = { content: [{ id: 'n', on: ['prompt' as const], filter: 'own' }] }
  for (let turn = 0; turn < 3; turn++)
    await contentGuard.check(viewOf({ kind: 'model', mandate, filters, effect: { carry: request } }))
  expect(looks).toBe(3)
})

it('is not asked where nothing is filtered', () => {
  expect(
    [{}, { content: [] }, { content: [rule('prompt')] }].map((mandate) => contentGuard.appliesTo!(mandate)),
  ).toEqual([false, false, true])
})
