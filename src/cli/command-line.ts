import { MandateError, messageOf, nearest } from '../core/index.ts'
import { loadCommand } from './commands/index.ts'
import { EXIT, exitCodeOf } from './exit-codes.ts'
import { checkFlags, readFlags } from './flags.ts'
import type { Flags } from './flags.ts'
import { COMMANDS } from './help/commands.ts'
import { commandHelp, helpData, overview, textWidth } from './help/help-text.ts'
import { checkWords } from './help/word-count.ts'
import { alert, paint, print, printLine, setOutput } from './output.ts'
import { ownCommand, pastable } from './help/own-command.ts'
import { PACKAGE, localPage } from './package-facts.ts'

function unknownCommand(name: string): MandateError {
  const meant = nearest(name, [...COMMANDS.keys()])
  const hint = meant === undefined ? '' : `Did you mean "${meant}"? `
  return new MandateError('INPUT_INVALID', `"${name}" is not a command. ${hint}List them with: mandate help`)
}

/** Prints the help of a command, or the overview. */
function printHelp(flags: Flags, name: string | undefined): void {
  if (name !== undefined && !COMMANDS.has(name)) throw unknownCommand(name)
  const data = name === undefined ? { commands: [...COMMANDS.keys()].map(helpData) } : helpData(name)
  print(flags, data, () =>
    name === undefined ? overview(PACKAGE.version, textWidth()) : commandHelp(name, textWidth()),
  )
}

async function main(argv: readonly string[]): Promise<number> {
  const { flags, words } = readFlags(argv)
  setOutput(flags)
  if (flags.version) {
    print(flags, { version: PACKAGE.version }, () => PACKAGE.version)
    return EXIT.ok
  }
  const [name, ...rest] = words
  if (flags.help || name === undefined || name === 'help') {
    if (name === 'help') checkWords(name, rest)
    printHelp(flags, name === 'help' ? rest[0] : name)
    return flags.help || name === 'help' ? EXIT.ok : EXIT.usage
  }
  if (!COMMANDS.has(name)) throw unknownCommand(name)
  checkFlags(name, argv)
  checkWords(name, rest)
  const command = await loadCommand(name)
  if (command === undefined) throw unknownCommand(name)
  return command.run(flags, rest)
}

/** Runs a command line and returns its exit code. It leaves the process alone, so that many command lines can run in one process. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  try {
    return await main(argv)
  } catch (error) {
    const told = fileError(error) ?? addressError(error) ?? error
    await showError(told, argv)
    return exitCodeOf(told)
  }
}

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'it is not permitted',
  EROFS: 'it is on a read-only file system',
  ENOENT: 'it does not exist',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  EEXIST: 'it exists already',
  ENOSPC: 'no space is left',
}

/** Converts a Node error about a file that a command reads or writes. */
function fileError(error: unknown): MandateError | undefined {
  if (MandateError.isInstance(error) || !(error instanceof Error)) return undefined
  const { code = '', path, syscall } = error as NodeJS.ErrnoException
  const problem = FILE_PROBLEMS[code]
  if (problem === undefined || path === undefined) return undefined
  return new MandateError(
    code === 'ENOSPC' ? 'DISK_FULL' : 'CONFIG_INVALID',
    `${path} cannot be used: ${problem} (${code}, ${syscall}). Correct the path or its permissions.`,
    { cause: error },
  )
}

const ADDRESS_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses this port. Stop it, or use any free port with --port 0',
  EACCES: 'this port needs more rights. Use one from 1024 up',
  EADDRNOTAVAIL: 'this machine does not have this address. Correct --host',
}

/** Converts a Node error about an address that a server cannot listen on. */
function addressError(error: unknown): MandateError | undefined {
  if (MandateError.isInstance(error) || !(error instanceof Error)) return undefined
  const { code = '', syscall, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number }
  const problem = syscall === 'listen' ? ADDRESS_PROBLEMS[code] : undefined
  if (problem === undefined) return undefined
  return new MandateError('INPUT_INVALID', `Cannot listen on ${address}:${port}: ${problem}.`, { cause: error })
}

/** Shows an error with its code and a link to its documentation; with --json also as data on stdout. */
async function showError(error: unknown, argv: readonly string[]): Promise<void> {
  const { secretRedactor } = await import('../redact/index.ts')
  const code = MandateError.isInstance(error) ? error.code : 'INTERNAL'
  const message = pastable(secretRedactor().text(messageOf(error)))
  const anchor = code.toLowerCase().replaceAll('_', '-')
  const docs = `${PACKAGE.homepage.replace(/#.*$/, '')}/blob/main/docs/errors.md#${anchor}`
  if (argv.includes('--json') || argv.includes('--jsonl')) printLine({ error: { code, message, docs } })
  // A user who interrupted a question needs no documentation.
  if (code === 'CANCELLED') return alert(message)
  alert(`${paint('red', `error[${code}]`)} ${message}`)
  if (argv.includes('--verbose') || argv.includes('-v')) alert(paint('dim', secretRedactor().text(causesOf(error))))
  const command = argv.find((word) => COMMANDS.has(word))
  const isUsage = code === 'INPUT_INVALID' && command !== undefined && command !== 'help'
  if (isUsage) alert(paint('dim', `  help: ${ownCommand()} help ${command}`))
  const page = localPage()
  if (page !== undefined) alert(paint('dim', `  docs: ${page} (${anchor})`))
  alert(paint('dim', `  ${page === undefined ? 'docs: ' : '      '}${docs}`))
}

/** Returns the stack of an error and of its causes. */
function causesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `\ncaused by: ${causesOf(error.cause)}`
  return `${error.stack ?? error.message}${cause}`
}
