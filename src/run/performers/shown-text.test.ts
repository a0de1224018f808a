import { expect, test } from 'vitest'
import { noRedaction, secretRedactor } from '../../redact/index.ts'
import type { Redactor } from '../../redact/index.ts'
import type { ModelPart } from '../../model/index.ts'
import type { KernelCall } from './performer.ts'
import { ShownText } from './shown-text.ts'

/** Made here, so that no scanner of repositories trips over it. */
const KEY = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')

function shown(
  parts: readonly ModelPart[],
  redactor: Redactor = secretRedactor(),
  effect: { readonly isThought?: boolean } = {},
): readonly (readonly [string, string])[] {
  const told: [string, string][] = []
  const tell = (type: string, data: { text: string }): void => void told.push([type, data.text])
  const call = { run: { redactor, tell, wants: () => true }, effect, signal: new AbortController().signal }
  const text = new ShownText(call as unknown as KernelCall)
  for (const part of parts) expect(text.show(part)).toBeUndefined()
  text.end()
  return told
}

const say = (text: string, id?: string): ModelPart => ({
  type: 'text-delta',
  text,
  ...(id === undefined ? {} : { id }),
})
const think = (text: string): ModelPart => ({ type: 'reasoning-delta', text })

test('a secret in pieces is shown as one token, and ordinary pieces as they come', () => {
  const told = shown([
    say('The'),
    say(' key is '),
    say(KEY.slice(0, 6)),
    say(KEY.slice(6, 20)),
    say(KEY.slice(20)),
    say(', keep it'),
  ])
  expect(told.map(([, text]) => text).join('')).toMatch(/^The key is \[secret:github-token#[0-9a-f]{6}\], keep it$/)
  expect(told.slice(0, 2)).toEqual([
    ['text-delta', 'The'],
    ['text-delta', ' key is '],
  ])
})

test('blocks that are streamed side by side are held apart', () => {
  const told = shown([
    say(KEY.slice(0, 20), 'a'),
    say(KEY.slice(0, 20), 'b'),
    say(KEY.slice(20), 'a'),
    say(KEY.slice(20), 'b'),
  ])
  expect(told).toHaveLength(2)
  for (const [, text] of told) expect(text).toMatch(/^\[secret:github-token#[0-9a-f]{6}\]$/)
})

test('what was held is shown before another kind of text, or anything else, follows', () => {
  const told = shown([say('ghp_'), think('hm'), say('ghp_x'), { type: 'finish', reason: 'stop' }])
  expect(told).toEqual([
    ['text-delta', 'ghp_'],
    ['reasoning-delta', 'hm'],
    ['text-delta', 'ghp_x'],
  ])
})

test('without redaction nothing waits', () => {
  expect(shown([say('ghp_'), say('x')], noRedaction)).toEqual([
    ['text-delta', 'ghp_'],
    ['text-delta', 'x'],
  ])
})

test('a listener that joins in the middle gets what follows, redacted as for one that listened from the start', () => {
  const told: string[] = []
  let isHeard = false
  const tell = (_: string, data: { text: string }): void => void told.push(data.text)
  const call = {
    run: { redactor: secretRedactor(), tell, wants: () => isHeard },
    effect: {},
    signal: new AbortController().signal,
  }
  const text = new ShownText(call as unknown as KernelCall)
  text.show(say('The key is '))
  text.show(say(KEY.slice(0, 20)))
  isHeard = true
  text.show(say(KEY.slice(20)))
  text.show(say(', keep it'))
  text.end()
  expect(told.join('')).toMatch(/^\[secret:github-token#[0-9a-f]{6}\], keep it$/)
})

test('all text of a call that is not an answer is emitted as reasoning', () => {
  expect(shown([say('A cell.')], noRedaction, { isThought: true })).toEqual([['reasoning-delta', 'A cell.']])
})

test('a text that nobody listens to is told to nobody', () => {
  const told: string[] = []
  const call = {
    run: { redactor: secretRedactor(), tell: (type: string) => told.push(type), wants: () => false },
    signal: new AbortController().signal,
  }
  const text = new ShownText(call as unknown as KernelCall)
  text.show(say('The key is '))
  text.end()
  expect(told).toEqual([])
})
