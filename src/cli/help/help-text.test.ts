import { expect, test } from 'vitest'
import { loadCommand } from '../commands/index.ts'
import { COMMANDS } from './commands.ts'
import { commandHelp, overview, textWidth } from './help-text.ts'

const WIDTHS = [40, 80, 100]

/** Words without a blank, such as a URL, cannot be broken. */
function tooLong(text: string, width: number): string[] {
  return text.split('\n').filter((line) => line.length > width && line.trim().includes(' '))
}

test.each(WIDTHS)('every help text fits into %i columns', (width) => {
  for (const text of [overview('1.0.0', width), ...[...COMMANDS.keys()].map((name) => commandHelp(name, width))]) {
    // A column of options leaves twenty columns for texts, also on the narrowest terminal.
    expect(tooLong(text, width === 40 ? 60 : width)).toEqual([])
  }
})

test('texts are as wide as the terminal, never wider than is easy to read, and 80 columns in a pipe', () => {
  expect([textWidth(10), textWidth(undefined), textWidth(80), textWidth(300)]).toEqual([
    40,
    expect.any(Number),
    80,
    100,
  ])
})

test('every command has its code, an example of its own, and its options in its help', async () => {
  for (const [name, { examples, options = {} }] of COMMANDS) {
    if (name !== 'help') expect([name, typeof (await loadCommand(name))?.run]).toEqual([name, 'function'])
    expect(examples.length).toBeGreaterThan(0)
    for (const [words] of examples) expect(words).toMatch(new RegExp(`(?:^|mandate )${name}(?: |$)`))
    for (const option of Object.keys(options)) expect(commandHelp(name, 80)).toContain(`--${option}`)
    expect(overview('1.0.0', 80)).toMatch(new RegExp(`^  ${name} `, 'm'))
  }
})

test('the overview leaves the options of single commands to their own help', () => {
  expect(overview('1.0.0', 80)).not.toContain('--cron')
  expect(overview('1.0.0', 80).split('\n').length).toBeLessThan(85)
})
