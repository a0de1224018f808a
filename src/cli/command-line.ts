import { MandateError, messageOf, nearest } from '../core/index.ts'
import { loadCommand } from './commands/index.ts'
import { EXIT, exitCodeOf } from './exit-codes.ts'
import { checkFlags, readFlags } from './flags.ts'
import { COMMANDS } from './help/commands.ts'
import { commandHelp, overview, textWidth } from './help/help-text.ts'
import { alert, paint, printLine, setOutput } from './output.ts'
import { PACKAGE } from './package-facts.ts'

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

function unknownCommand(name: string): MandateError {
  const meant = nearest(name, [...COMMANDS.keys()])
  const hint = meant === undefined ? '' : `Did you mean "${meant}"? `
  return new MandateError('INPUT_INVALID', `"${name}" is not a command. ${hint}List them with: mandate help`)
}

/** The help of a command, or the overview. */
function helpOf(name: string | undefined): string {
  if (name === undefined) return overview(PACKAGE.version, textWidth())
  if (!COMMANDS.has(name)) throw unknownCommand(name)
  return commandHelp(name, textWidth())
}

async function main(argv: readonly string[]): Promise<number> {
  checkNode()
  const { flags, words } = readFlags(argv)
  setOutput(flags)
  if (flags.version) {
    process.stdout.write(`${PACKAGE.version}\n`)
    return EXIT.ok
  }
  const [name, ...rest] = words
  if (flags.help || name === undefined || name === 'help') {
    process.stdout.write(`${helpOf(name === 'help' ? rest[0] : name)}\n`)
    return flags.help || name === 'help' ? EXIT.ok : EXIT.usage
  }
  if (!COMMANDS.has(name)) throw unknownCommand(name)
  checkFlags(name, argv)
  const command = await loadCommand(name)
  if (command === undefined) throw unknownCommand(name)
  return command.run(flags, rest)
}

/** Does what a command line says and gives the exit code: everything but the process around it, so that many can run in one. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  try {
    return await main(argv)
  } catch (error) {
    await showError(error, argv)
    return exitCodeOf(error)
  }
}

/** An error with its code, what to read about it, and with --json as data on stdout as well. */
async function showError(error: unknown, argv: readonly string[]): Promise<void> {
  const { secretRedactor } = await import('../redact/index.ts')
  const code = MandateError.isInstance(error) ? error.code : 'INTERNAL'
  const message = secretRedactor().text(messageOf(error))
  const docs = `${PACKAGE.homepage.replace(/#.*$/, '')}/blob/main/docs/errors.md`
  if (argv.includes('--json') || argv.includes('--jsonl')) printLine({ error: { code, message, docs } })
  alert(`${paint('red', `error[${code}]`)} ${message}`)
  if (argv.includes('--verbose') || argv.includes('-v')) alert(paint('dim', secretRedactor().text(causesOf(error))))
  const command = argv.find((word) => COMMANDS.has(word))
  const isUsage = code === 'INPUT_INVALID' && command !== undefined
  alert(paint('dim', isUsage ? `  help: mandate help ${command}` : `  docs: ${docs}`))
}

/** Where an error came from, and what caused it. */
function causesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `\ncaused by: ${causesOf(error.cause)}`
  return `${error.stack ?? error.message}${cause}`
}
