#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { MandateError, messageOf } from '../core/index.ts'
import { COMMANDS } from './commands.ts'
import type { Flags } from './commands.ts'
import { EXIT, exitCodeOf } from './exit-codes.ts'
import { note } from './progress.ts'

function help(): string {
  const lines = Object.values(COMMANDS).map(({ usage, about }) => `  mandate ${usage.padEnd(28)} ${about}`)
  return ['Usage:', ...lines, '', 'Options:', '  --json        one JSON object on stdout', '  --dir <dir>   where runs are kept (default .mandate)', '  --file <file> the agents of a run, when its journal does not say', '  --no-input    never ask on the terminal'].join('\n')
}

async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { json: { type: 'boolean' }, dir: { type: 'string' }, file: { type: 'string' }, 'no-input': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  })
  const [name, ...words] = positionals
  if (values.help === true || name === undefined) {
    process.stdout.write(`${help()}\n`)
    return name === undefined && values.help !== true ? EXIT.usage : EXIT.ok
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined) throw new MandateError('INPUT_INVALID', `"${name}" is not a command. Commands: ${Object.keys(COMMANDS).join(', ')}.`)
  const flags: Flags = { json: values.json ?? false, dir: values.dir, file: values.file, noInput: values['no-input'] ?? false }
  return command.run(flags, ...words)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const isUsage = error instanceof TypeError && (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') === true
  note(`error[${MandateError.isInstance(error) ? error.code : isUsage ? 'USAGE' : 'INTERNAL'}] ${messageOf(error)}`)
  process.exitCode = isUsage ? EXIT.usage : exitCodeOf(error)
}
