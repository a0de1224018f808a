import { readFileSync } from 'node:fs'
import { MandateError, messageOf, nearest } from '../core/index.ts'
import { secretRedactor } from '../redact/index.ts'
import { COMMANDS } from './commands/index.ts'
import { EXIT, exitCodeOf } from './exit-codes.ts'
import { OPTIONS, checkFlags, readFlags } from './flags.ts'
import { note, paint, table } from './output.ts'

function help(): string {
  // A long one stands on a line of its own, so that the others need not be as wide.
  const commands = [...COMMANDS.values()].flatMap(({ usage, about }) =>
    usage.length > 30 ? [[`  mandate ${usage}`], ['', about]] : [[`  mandate ${usage}`, about]],
  )
  const options = OPTIONS.map(([flag, about]) => [`  ${flag}`, about])
  return `Usage:\n${table(commands)}\n\nOptions:\n${table(options)}\n\nExit codes: 0 ok, 1 failed, 2 usage, 3 denied, 4 suspended, 5 limit, 6 store or configuration, 7 replay diverged, 130 interrupted (129, 143: by SIGHUP, SIGTERM)`
}

/** What the package says of itself; it lies as far above the built files as above the sources. */
const PACKAGE = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string
  readonly engines: { readonly node: string }
}

/** An older Node would fail later with an unhelpful message. */
function checkNode(): void {
  const [major, minor] = numbersOf(process.versions.node)
  const [leastMajor, leastMinor] = numbersOf(PACKAGE.engines.node)
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return
  throw new MandateError(
    'CONFIG_INVALID',
    `mandate needs Node ${leastMajor}.${leastMinor} or newer, and this is ${process.versions.node}. Install a newer Node: https://nodejs.org`,
  )
}

function numbersOf(version: string): readonly [number, number] {
  const [major = 0, minor = 0] = version.match(/\d+/g)?.map(Number) ?? []
  return [major, minor]
}

function unknownCommand(name: string): string {
  const known = [...COMMANDS.keys()]
  const meant = nearest(name, known)
  const hint =
    meant === undefined
      ? `Commands: ${known.join(', ')}.`
      : `Did you mean "${meant}"? All commands: ${known.join(', ')}.`
  return `"${name}" is not a command. ${hint}`
}

async function main(argv: readonly string[]): Promise<number> {
  checkNode()
  const { flags, words } = readFlags(argv)
  if (flags.version) {
    process.stdout.write(`${PACKAGE.version}\n`)
    return EXIT.ok
  }
  const [name, ...rest] = words
  if (flags.help || name === undefined) {
    process.stdout.write(`${help()}\n`)
    return flags.help ? EXIT.ok : EXIT.usage
  }
  const command = COMMANDS.get(name)
  if (command === undefined) throw new MandateError('INPUT_INVALID', unknownCommand(name))
  checkFlags(name, argv)
  return command.run(flags, rest)
}

/** Does what a command line says and gives the exit code: everything but the process around it, so that many can run in one. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  try {
    return await main(argv)
  } catch (error) {
    const code = MandateError.isInstance(error) ? error.code : 'INTERNAL'
    note(`${paint('red', `error[${code}]`)} ${secretRedactor().text(messageOf(error))}`)
    return exitCodeOf(error)
  }
}
