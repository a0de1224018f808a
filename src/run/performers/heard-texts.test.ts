import { expect, test } from 'vitest'
import type { EffectEndData, MandateEvent } from '../../journal/index.ts'
import type { Part } from '../../model/index.ts'
import { HeardTexts, spokenTexts } from './heard-texts.ts'

const end = (...content: readonly Part[]): EffectEndData => ({
  outcome: { status: 'ok', value: { finishReason: 'stop', message: { role: 'assistant', content } as never } },
  spent: {},
  durationMs: 1,
})
const text = (said: string): Part => ({ type: 'text', text: said })
const reasoning = (said: string): Part => ({ type: 'reasoning', text: said })
const event = (type: 'text-delta' | 'reasoning-delta' | 'stream-reset', said = ''): MandateEvent =>
  ({ type, key: 'turn:1/model', data: { text: said } }) as never

/** What listeners lack that have heard these events of a call with this end. */
function lacking(heard: readonly MandateEvent[], data: EffectEndData, pins: object = {}): unknown[] {
  const texts = new HeardTexts()
  for (const one of heard) texts.add(one)
  return texts.rest('turn:1/model', data, pins as never).map(({ type, data: unheard }) => {
    return 'text' in unheard ? [type, unheard.text] : type
  })
}

test('who has heard a text lacks nothing of it, and who has heard its beginning lacks the rest', () => {
  const all = end(reasoning('Well.'), text('Hello, '), text('world.'))
  const heard = [event('reasoning-delta', 'Well.'), event('text-delta', 'Hello'), event('text-delta', ', wo')]
  expect(lacking([...heard, event('text-delta', 'rld.')], all)).toEqual([])
  expect(lacking(heard, all)).toEqual([['text-delta', 'rld.']])
  expect(lacking([], all)).toEqual([
    ['reasoning-delta', 'Well.'],
    ['text-delta', 'Hello, '],
    ['text-delta', 'world.'],
  ])
})

test('who has heard the text of an attempt that was lost gets the whole text after a reset', () => {
  const heard = [event('reasoning-delta', 'Well'), event('text-delta', 'Good m')]
  const whole = ['stream-reset', ['reasoning-delta', 'Well.'], ['text-delta', 'Hello.']]
  expect(lacking(heard, end(reasoning('Well.'), text('Hello.')))).toEqual(whole)
  expect(lacking([...heard, event('stream-reset')], end(text('Hello.')))).toEqual([['text-delta', 'Hello.']])
  expect(lacking([event('reasoning-delta', 'Hm.')], end(text('Hello.')))).toEqual([
    'stream-reset',
    ['text-delta', 'Hello.'],
  ])
})

test('texts that were written in parallel are complete in whatever order they were heard', () => {
  const heard = [event('text-delta', 'one '), event('text-delta', 'uno '), event('text-delta', 'two')]
  expect(lacking(heard, end(text('one two'), text('uno ')))).toEqual([])
})

test('a call that failed, and an effect that is no model call, have no text', () => {
  const failed = { ...end(text('Hello.')), outcome: { status: 'failed', code: 'X', message: 'x' } as never }
  expect(lacking([], failed)).toEqual([])
  expect(lacking([], { ...end(), outcome: { status: 'ok', value: { text: 'a row' } } })).toEqual([])
})

test('the code of a cell is a thought, and declared intents are left out where the run hides them', () => {
  expect(spokenTexts('turn:1/code', end(text('answer(1)')), false)).toEqual([
    { type: 'reasoning-delta', text: 'answer(1)' },
  ])
  const said = end(text('I pay.\n<intent>{"toolName":"pay"}</intent>'))
  expect(lacking([event('text-delta', 'I ')], said, { intent: 'hidden' })).toEqual([['text-delta', 'pay.']])
})
