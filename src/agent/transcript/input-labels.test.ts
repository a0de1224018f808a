import { describe, expect, it } from 'vitest'
import type { Json, LabelMap } from '../../core/index.ts'
import { inputLabels } from './input-labels.ts'

const WEB = ['untrusted:web']

/** The parts of an input that count as the user's own. */
function own(input: Json, ...said: readonly string[]): readonly string[] {
  const labels = inputLabels(input, said, WEB)
  if (labels === undefined || Array.isArray(labels)) return []
  const { at } = labels as LabelMap
  return Object.keys(at).filter((pointer) => at[pointer]!.length === 0)
}

describe('values that stand in the user’s own words', () => {
  it.each([
    ['Mail ana@corp.example.', 'ana@corp.example'],
    ['Mail "ana@corp.example", please', 'ana@corp.example'],
    ['Mail <ana@corp.example>; thanks', 'ana@corp.example'],
    ['Is it https://a.example/x?', 'https://a.example/x'],
    ['Pay 100 to DE12 now', 100],
    ['Pay 100 to DE12 now', 'DE12'],
    ['Open docs/a.md', 'docs/a.md'],
    ['Tell Ana Smith', 'Ana Smith'],
  ])('are clean: %s → %j', (said, value) => {
    expect(own({ value }, said)).toEqual(['/value'])
  })

  it.each([
    ['Mail ana@corp.example.org', 'ana@corp.example'],
    ['Mail mariana@corp.example', 'ana@corp.example'],
    ['Mail first.ana@corp.example', 'ana@corp.example'],
    ['Fetch https://a.example/x/y', 'https://a.example/x'],
    ['Fetch https://a.example/x?q=1', 'https://a.example/x'],
    ['Pay 1000', 100],
    ['Pay 1.50', 1],
    ['Read all mails', 'all'],
    ['Mail Ana@corp.example', 'ana@corp.example'],
    ['anything', ''],
    ['anything   at all', ' '],
    ['yes', true],
  ])('are not those that are only a piece of them, or a word: %s → %j', (said, value) => {
    expect(own({ value }, said)).toEqual([])
  })

  it('are found at any depth, by any of the texts', () => {
    expect(own({ a: [{ 'b/c': 'x-1' }, 'y-2'], d: 'z-3' }, 'x-1', 'and z-3!')).toEqual(['/a/0/b~1c', '/d'])
  })
})

it('nothing is labelled before anything was shown', () => {
  expect(inputLabels({ to: 'a@b.example' }, [], [])).toBeUndefined()
})

it('without such a value one set of labels is for all of it', () => {
  expect(inputLabels({ to: 'a@b.example' }, [], WEB)).toEqual(WEB)
})

it('what led to the call is never the user’s alone', () => {
  expect(inputLabels({ to: 'a@b.example' }, ['a@b.example'], WEB)).toEqual({ at: { '': WEB, '/to': [] }, pc: WEB })
})
