import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Json, canonical } from '../../core/index.ts'
import { userMessage } from '../message.ts'
import { scripted } from '../scripted.ts'
import { errorOf, partsOf, shelf } from './cassette.fixture.ts'
import { cassette } from './cassette.ts'
import { differences } from './difference.ts'
import { layout } from './layout.ts'

const json = fc.json({ maxDepth: 4 }).map((text) => JSON.parse(text) as Json)

test('any recording is written as JSON that parses to the same value', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(JSON.parse(layout(value))).toEqual(value)
    }),
  )
})

test('two values differ in some place exactly when they are not the same', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      expect(differences(a, JSON.parse(JSON.stringify(a)) as Json)).toEqual([])
      expect(differences(a, b).length === 0).toBe(canonical(a) === canonical(b))
    }),
  )
})

test('the text does not depend on the order in which calls were made, and a changed answer changes a line', async () => {
  const write = async (texts: readonly string[], answer = 'fine'): Promise<string> => {
    const storage = shelf()
    const tape = cassette({ mode: 'record', storage })
    const model = tape.model(scripted(() => ({ text: answer, chunks: 1 })))
    await Promise.all(texts.map((text) => partsOf(model, { messages: [userMessage(text)] })))
    return storage.texts.get('cassette')!
  }
  const first = await write(['a', 'b', 'c'])
  expect(await write(['c', 'a', 'b'])).toBe(first)
  const changed = (await write(['a', 'b', 'c'], 'good')).split('\n')
  const lines = first.split('\n')
  expect(changed.length).toBe(lines.length)
  expect(lines.filter((line, i) => line !== changed[i])).toHaveLength(3)
  expect(first).toMatch(/^\{\n {2}"format": "mandate-cassette",\n {2}"recordings": \[/)
  expect(first).toMatch(/ {2}"version": 1\n\}\n$/)
})

test.each([
  ['{"format":"mandate-cassette","version":2,"recordings":[]}', 'VERSION_UNSUPPORTED', 'has version 2'],
  ['{"recordings":[]}', 'CONFIG_INVALID', 'is no cassette'],
  ['{"format":"mandate-cassette","version":1,"recordings":[{"key":1}]}', 'CONFIG_INVALID', 'damaged at recordings[0]'],
  ['{"format":"mandate-cass', 'JSON_INVALID', 'is not valid JSON'],
])('a file that cannot be read is refused, not replaced: %s', async (text, code, message) => {
  const storage = shelf()
  storage.texts.set('cassette', text)
  const tape = cassette({ mode: 'replay', storage })
  const error = await errorOf(partsOf(tape.model(scripted(['x'])), { messages: [] }))
  expect(error).toMatchObject({ code, message: expect.stringContaining(message) })
})
