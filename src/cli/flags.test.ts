import { expect, test } from 'vitest'
import { COMMANDS } from './commands/index.ts'
import { OPTIONS, checkFlags, readFlags } from './flags.ts'

const NAMES = OPTIONS.flatMap(([flag]) => [...flag.matchAll(/--([a-z-]+)/g)].map(([, name]) => name!))

test.each(NAMES)('--%s with a letter twice is refused, and the right one is named', (name) => {
  const wrong = `--${name.slice(0, 2)}${name.slice(1)}`
  expect(() => readFlags(['runs', wrong])).toThrow(`${wrong} is not an option. Did you mean --`)
})

test.each(NAMES.filter((name) => !['json', 'jsonl', 'dir', 'file', 'no-input', 'help', 'version'].includes(name)))(
  '--%s is taken by some commands and refused by the others, which would ignore it',
  (name) => {
    const argv = ['x', `--${name}`, ...(/follow|all|agents-md|servers/.test(name) ? [] : ['1'])]
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
