#!/usr/bin/env node
import { inspect } from 'node:util'
import { MandateError, messageOf, secretRedactor } from '../core/index.ts'
import { COMMANDS } from './commands/index.ts'
import { EXIT, exitCodeOf } from './exit-codes.ts'
import { OPTIONS, readFlags } from './flags.ts'
import { note, paint, table } from './output.ts'

function help(): string {
  const commands = [...COMMANDS.values()].map(({ usage, about }) => [`  mandate ${usage}`, about])
  const options = OPTIONS.map(([flag, about]) => [`  ${flag}`, about])
  return `Usage:\n${table(commands)}\n\nOptions:\n${table(options)}\n\nExit codes: 0 ok, 1 failed, 2 usage, 3 denied, 4 suspended, 5 limit, 6 store or configuration, 7 replay diverged, 130 interrupted`
}

async function main(argv: readonly string[]): Promise<number> {
  const { flags, words } = readFlags(argv)
  const [name, ...rest] = words
  if (flags.help || name === undefined) {
    process.stdout.write(`${help()}\n`)
    return flags.help ? EXIT.ok : EXIT.usage
  }
  const command = COMMANDS.get(name)
  if (command === undefined)
    throw new MandateError('INPUT_INVALID', `"${name}" is not a command. Commands: ${[...COMMANDS.keys()].join(', ')}.`)
  return command.run(flags, rest)
}

// A tool or a library that throws where nobody can catch it: what it says is shown without the secrets it may hold.
process.on('uncaughtException', (error) => {
  note(`${paint('red', 'crashed')} ${secretRedactor().text(inspect(error))}`)
  process.exit(EXIT.failed)
})

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const isUsage = error instanceof TypeError && (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') === true
  const code = MandateError.isInstance(error) ? error.code : isUsage ? 'USAGE' : 'INTERNAL'
  note(`${paint('red', `error[${code}]`)} ${secretRedactor().text(messageOf(error))}`)
  process.exitCode = isUsage ? EXIT.usage : exitCodeOf(error)
}
