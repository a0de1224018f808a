import { expect, test } from 'vitest'
import { COMMANDS } from './commands.ts'
import { checkWords } from './word-count.ts'

/** A command line with as many words as a usage names, and one more. */
function oneMore(name: string, usage: string): readonly string[] {
  const words = usage
    .replaceAll(/(?<=^| )\[?--?[a-z-]+(?: <[^>]+>)?\]?/gu, '')
    .split(' ')
    .filter((word) => word !== '')
  return [...words.map((word) => (/^[<[]/u.test(word) ? 'x' : word.split('|')[0]!)), 'extra']
}

/** Usages that end with a text or a list, which may have any number of words. */
const OPEN = /(?:\.\.\.|<prompt>|\[prompt\]|\[reason\]|<value>|<message>|\[input\])$/u

const USAGES = [...COMMANDS].flatMap(([name, { usage, actions = [[usage, '']] }]) =>
  actions.map(([words]) => [name, words] as const),
)

test.each(USAGES)('`%s %s` takes what its usage names, and refuses one word more', (name, usage) => {
  const words = oneMore(name, usage)
  expect(() => checkWords(name, words.slice(0, -1))).not.toThrow()
  if (OPEN.test(usage)) expect(() => checkWords(name, [...words, 'and', 'more'])).not.toThrow()
  else expect(() => checkWords(name, words)).toThrow('"extra" is one word too many')
})

test('words with a dash in them are words, and options are none', () => {
  expect(() => checkWords('eval', ['from-run', 'run_1'])).not.toThrow()
  expect(() => checkWords('eval', ['from-run', 'run_1', 'x'])).toThrow('"x" is one word too many')
  expect(() => checkWords('prices', ['refresh'])).not.toThrow()
  expect(() => checkWords('logs', ['run_1', 'x'])).toThrow('Use: mandate logs <run> [-f]')
})

test('a verb that is not known is left to its command, which names those that are', () => {
  expect(() => checkWords('graph', ['chekc', 'a', 'b', 'c'])).not.toThrow()
})
