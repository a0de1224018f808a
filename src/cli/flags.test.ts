import { expect, test } from 'vitest'
import { checkFlags, readFlags } from './flags.ts'
import { COMMANDS, optionsOf } from './help/commands.ts'
import { GENERAL, optionNames, optionOf } from './help/options.ts'

test.each(optionNames())('--%s with a letter twice is refused, and the right one is named', (name) => {
  const wrong = `--${name.slice(0, 2)}${name.slice(1)}`
  expect(() => readFlags(['runs', wrong])).toThrow(`${wrong} is not an option. Did you mean --`)
})

test.each([...COMMANDS.keys()])(
  '%s refuses each of its options with a letter twice, and names the right one',
  (command) => {
    for (const name of optionsOf(command)) {
      const wrong = `--${name.slice(0, 2)}${name.slice(1)}`
      for (const argv of [
        [command, wrong],
        [command, `${wrong}=1`],
      ])
        expect(() => checkFlags(command, argv), wrong).toThrow(`${wrong} is not an option. Did you mean --`)
    }
  },
)

test.each(optionNames().filter((name) => !GENERAL.includes(name)))(
  '--%s is taken by some commands and refused by the others, which would ignore it',
  (name) => {
    const argv = [`--${name}`, ...(optionOf(name).type === 'boolean' ? [] : ['1'])]
    const takers = [...COMMANDS.keys()].filter((command) => {
      try {
        checkFlags(command, argv)
        return true
      } catch (error) {
        expect(String(error)).toContain(`does not take --${name}`)
        return false
      }
    })
    expect(takers.length).toBeGreaterThan(0)
    expect(takers.length).toBeLessThan(COMMANDS.size)
  },
)

test('an option of one verb is refused by the others, and taken by its own', () => {
  const refused = [
    ['policy', 'explain', 'r', '4', '--input', '{}'],
    ['graph', 'check', 'a.rag', '--mermaid'],
    ['graph', 'review', 'show', 'r', '--all'],
    ['eval', 'tasks.json', '--limit', '3'],
    ['schedule', 'list', '--cron', '@daily'],
  ]
  for (const argv of refused) expect(() => checkFlags(argv[0]!, argv), argv.join(' ')).toThrow(/belongs to `mandate/)
  const taken = [
    ['policy', 'test', 'a.ts', 'refund', '--input', '{}'],
    ['graph', 'show', '--mermaid', 'a.rag'],
    ['graph', 'review', 'list', '--all'],
    ['graph', 'review', 'reject', 'r', '--reason', 'no'],
    ['eval', 'list', '--limit', '3'],
    ['policy', '--input', '{}'],
  ]
  for (const argv of taken) checkFlags(argv[0]!, argv)
})

test('an option that was not given is false or nothing, and dashes become capitals', () => {
  const { flags, words } = readFlags(['run', 'a.ts', '--no-input', '--file', 'a', '--file', 'b'])
  expect(words).toEqual(['run', 'a.ts'])
  expect(flags).toMatchObject({ noInput: true, json: false, dir: undefined, file: 'b', files: ['a', 'b'] })
})
