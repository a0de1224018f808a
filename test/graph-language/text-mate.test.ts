import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CHANNEL_KINDS, NODE_KINDS } from '../../src/graph/blueprint/blueprint.ts'
import {
  ALLOW_LISTS,
  DEFAULT_SETTINGS,
  FIELD_TYPES,
  GRAPH_ITEMS,
  INNER_WORDS,
  KIND_ALIASES,
  NODE_ITEMS,
  RETRY_SETTINGS,
} from '../../src/graph/language/syntax/keywords.ts'
import { UNITS } from '../../src/graph/language/syntax/token.ts'
import { compileSample, readSamples } from './samples.ts'
import { rulesOf, tokenise } from './text-mate.ts'
import type { Grammar, Rule } from './text-mate.ts'

const grammar = JSON.parse(
  readFileSync(new URL('../../editors/rag.tmLanguage.json', import.meta.url), 'utf8'),
) as Grammar

const ITEM = 'keyword.other'
/** The words in the first group of a rule that is a list of words. */
const wordsOf = (rule: string): string[] => {
  const lists = grammar.repository[rule]!.match!.match(/[a-z_]+(?:\|[a-z_]+)+/g)!
  return lists
    .at(rule === 'type' || rule === 'duration' ? -1 : 0)!
    .split('|')
    .toSorted()
}
const sorted = (words: readonly string[]): string[] => [...new Set(words)].toSorted()

test('the words of the grammar are those of the language', () => {
  expect(wordsOf('item')).toEqual(
    sorted(
      [GRAPH_ITEMS, NODE_ITEMS, ALLOW_LISTS, DEFAULT_SETTINGS, RETRY_SETTINGS]
        .flatMap((each) => Object.keys(each))
        .concat(INNER_WORDS),
    ),
  )
  expect(wordsOf('kind')).toEqual(sorted([...NODE_KINDS, ...Object.keys(KIND_ALIASES)]))
  expect(wordsOf('channel')).toEqual(sorted(CHANNEL_KINDS))
  expect(wordsOf('type')).toEqual(sorted(FIELD_TYPES))
  expect(wordsOf('duration')).toEqual(sorted(Object.keys(UNITS)))
})

test('every pattern is a regular expression, every include leads to a rule, and every rule is used', () => {
  expect(grammar.scopeName).toBe('source.rag')
  expect(grammar.fileTypes).toEqual(['rag'])
  const check = (rule: Rule): void => {
    for (const pattern of [rule.match, rule.begin, rule.end])
      if (pattern !== undefined) expect(() => new RegExp(pattern, 'u')).not.toThrow()
    for (const inner of rulesOf(rule.patterns ?? [], grammar)) check(inner)
  }
  check(grammar)
  const text = JSON.stringify(grammar)
  for (const name of Object.keys(grammar.repository)) expect(text).toContain(`"#${name}"`)
})

test('a graph is coloured by what its words are', () => {
  const source = `graph g { // a comment
  channel log topic
  state { topic string[]? }
  node a {
    kind agent
    prompt "Hello \\n {{ state.x }} \\q"
    timeout 5s
    visits 3
    routes { when "x" -> END yes -> b }
    metadata { text: """
      two
      lines """ on: true }
  }
}`
  const scopes = tokenise(source, grammar).map(({ text, scope }) => `${text} ${scope}`)
  expect(scopes).toEqual([
    'graph storage.type',
    'g entity.name.type',
    '{ punctuation.section',
    '// a comment comment.line.double-slash',
    `channel ${ITEM}`,
    'log variable.other.channel',
    'topic support.type.reducer',
    `state ${ITEM}`,
    '{ punctuation.section',
    'topic variable.other.field',
    'string support.type',
    '[]? keyword.operator.type',
    '} punctuation.section',
    'node storage.type',
    'a entity.name.type',
    '{ punctuation.section',
    `kind ${ITEM}`,
    'agent support.type.kind',
    `prompt ${ITEM}`,
    '" string.quoted.double',
    'Hello string.quoted.double',
    '\\n constant.character.escape',
    '{{ state.x }} variable.other.template',
    '\\q invalid.illegal.escape',
    '" string.quoted.double',
    `timeout ${ITEM}`,
    '5s constant.numeric.duration',
    `visits ${ITEM}`,
    '3 constant.numeric',
    `routes ${ITEM}`,
    '{ punctuation.section',
    `when ${ITEM}`,
    '" string.quoted.double',
    'x string.quoted.double',
    '" string.quoted.double',
    '-> keyword.operator.arrow',
    'END constant.language.end',
    'yes variable.other',
    '-> keyword.operator.arrow',
    'b entity.name.type',
    '} punctuation.section',
    `metadata ${ITEM}`,
    '{ punctuation.section',
    'text variable.other',
    ': punctuation.separator',
    '""" string.quoted.triple',
    'two string.quoted.triple',
    'lines string.quoted.triple',
    '""" string.quoted.triple',
    'on variable.other',
    ': punctuation.separator',
    'true constant.language',
    '} punctuation.section',
    '} punctuation.section',
    '} punctuation.section',
  ])
})

test('nothing of a text without errors is left without a colour, or marked as wrong', () => {
  for (const sample of readSamples('valid')) {
    if (compileSample(sample).graphs.length === 0) continue
    const bare = tokenise(sample.source.replace('\uFEFF', ''), grammar).filter(
      ({ scope }) => scope === '' || scope.startsWith('invalid'),
    )
    expect(bare, sample.id).toEqual([])
  }
})
