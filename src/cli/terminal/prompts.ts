import { createInterface } from 'node:readline/promises'
import { MandateError } from '../../core/index.ts'
import { hanging } from './layout.ts'

/** Asks for a line; an empty line selects the default. Ctrl-C and Ctrl-D end the command. */
export async function askLine(question: string, usual: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const closed = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)))
  try {
    const said = await Promise.race([terminal.question(`${question} (${usual}) `), closed])
    if (said === undefined) {
      process.stderr.write('\n')
      throw new MandateError('CANCELLED', 'Nothing was done.')
    }
    return said.trim() === '' ? usual : said.trim()
  } finally {
    terminal.close()
  }
}

/** Asks for one of several choices, by number or name, until the answer is valid. */
export async function askChoice(question: string, choices: readonly (readonly [string, string])[]): Promise<string> {
  const width = Math.max(...choices.map(([name]) => name.length))
  for (const [index, [name, about]] of choices.entries())
    process.stderr.write(`${hanging(`  ${index + 1}. ${name.padEnd(width)}  `, about)}\n`)
  for (;;) {
    const said = await askLine(question, choices[0]![0])
    const chosen = choices[Number(said) - 1] ?? choices.find(([name]) => name === said)
    if (chosen !== undefined) return chosen[0]
    process.stderr.write(`  Type a number from 1 to ${choices.length}, or a name.\n`)
  }
}
