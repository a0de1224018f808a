import { describe, expect, it } from 'vitest'
import type { Json } from '../../core/index.ts'
import { filterContent, rulesAt } from './content-filters.ts'
import type { ContentFilter, FilterAnswer } from './content-filters.ts'
import type { ContentRule } from '../mandate/guard-fields.ts'

const words = (parts: Partial<ContentRule> = {}): ContentRule => ({
  id: 'w',
  on: ['tool-input'],
  words: ['secret'],
  then: 'redact',
  ...parts,
})
const named: ContentRule = { id: 'n', on: ['tool-input'], filter: 'own' }

async function outcome(rules: readonly ContentRule[], value: Json, check?: (value: Json) => unknown): Promise<unknown> {
  const filter: ContentFilter | undefined =
    check === undefined ? undefined : { name: 'own', check: (content) => check(content.value) as FilterAnswer }
  const filters = new Map(filter === undefined ? [] : [['own', filter] as const])
  const filtered = await filterContent(rules, filters, { place: 'tool-input', name: 't', value })
  return filtered.blocked ?? [filtered.value, filtered.changes.map(({ rule }) => rule)]
}

describe('words', () => {
  it.each<[string, Json, Partial<ContentRule>, Json]>([
    ['redacts', 'a secret thing', {}, 'a [redacted] thing'],
    ['whatever the case', 'SeCrEt', {}, '[redacted]'],
    ['every time', 'secret secret', {}, '[redacted] [redacted]'],
    ['in members and their names', { secret: ['x secret'] }, {}, { '[redacted]': ['x [redacted]'] }],
    ['rewrites', 'a secret', { then: 'rewrite', with: 'thing' }, 'a thing'],
    ['beside letters that grow with their case', 'İİ SECRET', {}, 'İİ [redacted]'],
    ['beside letters beyond the basic plane', '𝒳 SECRET 𝒳', {}, '𝒳 [redacted] 𝒳'],
  ])('%s', async (_, value, parts, expected) => {
    expect(await outcome([words(parts)], value)).toEqual([expected, ['w']])
  })

  it('block, without repeating the word', async () => {
    const blocked = await outcome([words({ then: 'block' })], 'my SECRET')
    expect(blocked).toEqual({ rule: 'w', reason: expect.not.stringMatching(/secret/i) })
  })

  it('leave alone what does not have them', async () => {
    expect(await outcome([words()], { a: 'nothing' })).toEqual([{ a: 'nothing' }, []])
  })
})

describe('a filter of the host', () => {
  it.each<[string, (value: Json) => unknown, unknown]>([
    ['has nothing against it', () => undefined, ['in', []]],
    ['blocks', () => ({ action: 'block', reason: 'no' }), { rule: 'n', reason: 'no' }],
    ['rewrites', () => ({ action: 'rewrite', value: 'out', reason: 'r' }), ['out', ['n']]],
    ['redacts later', async () => ({ action: 'redact', value: 'out', reason: 'r' }), ['out', ['n']]],
    ['blocks later', async () => ({ action: 'block', reason: 'no' }), { rule: 'n', reason: 'no' }],
    [
      'throws',
      () => {
        throw new Error('broken')
      },
      { rule: 'n', reason: expect.stringContaining('broken') },
    ],
    ['rejects', () => Promise.reject(new Error('broken')), { rule: 'n', reason: expect.stringContaining('broken') }],
    ['answers with nonsense', () => ({ action: 'allow' }), { rule: 'n', reason: expect.stringContaining('"n"') }],
    ['answers with nothing to put there', () => ({ action: 'rewrite', reason: 'r' }), { rule: 'n', reason: 'r' }],
    ['answers with a truth', () => true, { rule: 'n', reason: expect.any(String) }],
    ['answers with null', () => null, { rule: 'n', reason: expect.any(String) }],
  ])('that %s', async (_, check, expected) => {
    expect(await outcome([named], 'in', check)).toEqual(expected)
  })

  it('that is not there blocks', async () => {
    expect(await outcome([named], 'in')).toEqual({ rule: 'n', reason: expect.stringContaining('no filter "own"') })
  })
})

it('each rule sees what the one before it left', async () => {
  const seen: Json[] = []
  const check = (value: Json): unknown => (
    seen.push(value),
    Promise.resolve({ action: 'rewrite', value: `${value as string}!`, reason: 'r' })
  )
  expect(await outcome([words(), named, words({ id: 'later', words: ['!'] })], 'secret', check)).toEqual([
    '[redacted][redacted]',
    ['w', 'n', 'later'],
  ])
  expect(seen).toEqual(['[redacted]'])
})

it('nothing after a block is asked', async () => {
  let asked = 0
  await outcome([words({ then: 'block' }), named], 'secret', () => void (asked += 1))
  expect(asked).toBe(0)
})

it('rules look only where, and at which tools, they say', () => {
  const rules = [words({ id: 'a', tools: ['mail*'] }), words({ id: 'b', on: ['tool-output', 'prompt'] })]
  const at = (...args: Parameters<typeof rulesAt> extends [unknown, ...infer R] ? R : never): string[] =>
    rulesAt(rules, ...args).map(({ id }) => id)
  expect([
    at('tool-input', 'mail.send'),
    at('tool-input', 'other'),
    at('tool-output', 'other'),
    at('memory-write', 'mail'),
  ]).toEqual([['a'], [], ['b'], []])
})
