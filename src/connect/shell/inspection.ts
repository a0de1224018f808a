import { resolve } from 'node:path'
import { MandateError } from '../../core/index.ts'
import { isChecked } from '../checks.ts'
import { checkWhole } from '../whole-text.ts'
import { type Argument, readArguments } from './argument-list.ts'
import { type CommandPlace, isLinkOut, leadsOut } from './command-paths.ts'
import { GIT_SETTINGS } from './git-programs.ts'
import type { ProgramTable, Role } from './option-table.ts'
import { tableOf } from './programs.ts'

interface Inspected extends CommandPlace {
  readonly name: string
  readonly args: readonly string[]
  /** The number of arguments that the grant itself has. They were chosen by the host, so they are not inspected. */
  readonly granted: number
  /** A program that runs others, allowed explicitly: only paths are inspected. */
  readonly isLauncher: boolean
  /** There is no isolation: unknown options are refused, and links are checked. */
  readonly strict: boolean
}

/**
 * Inspects the arguments of a command before it runs: options that run programs, write files or follow links, and paths and links that leave the
 * workspace. A second line of defence beside isolation, because arguments alone never show all that a program will do.
 */
export function inspect(command: Inspected): void {
  for (const arg of command.args) {
    if (arg.includes('\0')) throw new MandateError('INPUT_INVALID', 'An argument must not hold a zero character.')
    checkWhole(arg, 'An argument')
  }
  const table = tableOf(command.name)
  if (command.isLauncher) for (const arg of command.args) checkLoose(arg, command, [command.cwd])
  else if (table === undefined) inspectUnknown(command)
  else inspectBy(table, command, 0)
}

function inspectBy(table: ProgramTable, command: Inspected, from: number): void {
  const found = readArguments(command.args, table, from)
  const isMine = ({ at }: Argument): boolean => at >= command.granted
  const bases = basesOf(found, command)
  for (const argument of found) {
    if (argument.kind === 'unknown' && isMine(argument)) checkUnknown(argument, command, bases)
    else if (argument.kind === 'option') {
      if (isMine(argument)) checkOption(argument, table, command, found)
      checkValue(argument, table, command, bases)
    }
  }
  checkOperands(table, command, found, bases)
}

/** The folders to which a relative path may be relative: the working directory, and those set by options. */
function basesOf(found: readonly Argument[], { cwd }: Inspected): readonly string[] {
  const bases = [cwd]
  for (const { role, value } of found)
    if (role === 'chdir' && value !== undefined) bases.push(resolve(bases.at(-1)!, value))
  return bases
}

const WORDS: { readonly [role in Role]?: string } = {
  run: 'runs another program',
  write: 'writes a file',
  reach: 'takes names from where they are not inspected',
  follow: 'follows links',
}

function checkOption(
  { name, role, value }: Argument,
  table: ProgramTable,
  command: Inspected,
  found: readonly Argument[],
): void {
  if (!isChecked('shell.options')) return
  const isSandboxed = table.sandbox !== undefined && found.some((other) => other.name === table.sandbox)
  if (role === 'follow' && !command.strict) return
  if (role === 'run' && isSandboxed) return
  if (role === 'config' && GIT_SETTINGS.test((value ?? '').replace(/=[^]*$/, ''))) return
  const what = role === 'config' ? `sets "${(value ?? '').slice(0, 60)}"` : WORDS[role]
  if (what === undefined) return
  const hint = table.sandbox === undefined ? '' : ` Or add ${table.sandbox}.`
  throw denied(
    `"${name}" of "${command.name}" ${what}. Name it in \`allow\` behind the program if that is meant.${hint}`,
  )
}

/** Common options that run programs or write files, for programs without a table. */
const SUSPECT =
  /^--(?:ext-diff|textconv|upload-pack|receive-pack|exec|exec-path|exec-batch|checkpoint-action|to-command|use-compress-program|compress-program|unzip-command|rsh|rsync-path|pager|paginate|open-files-in-pager|pre|hostname-bin|filter|output|config-env)(?:=|$)/i

function checkUnknown(argument: Argument, command: Inspected, bases: readonly string[]): void {
  const { name, value } = argument
  if (isChecked('shell.options') && SUSPECT.test(name))
    throw denied(
      `"${name}" lets programs run others or write files. Name it in \`allow\` behind "${command.name}" if that is meant.`,
    )
  if (command.strict && isChecked('shell.unknown-options'))
    throw denied(
      `"${name.slice(0, 100)}" is no option of "${command.name}" that is known here, and nothing isolates the program. Name it in \`allow\` behind the program, or use isolation.`,
    )
  if (value !== undefined) checkPath(value, command, bases)
}

function checkValue(argument: Argument, table: ProgramTable, command: Inspected, bases: readonly string[]): void {
  const { role, value, valueAt, at } = argument
  if (value === undefined || valueAt < command.granted) return
  const isPath = role === 'path' || role === 'chdir'
  // A value of an option that takes none, such as `--directory=/etc`, is treated as a path.
  if (!isPath && (role !== 'flag' || valueAt !== at)) return
  for (const piece of new Set([value, ...value.split(/[=@<]/).slice(1)])) checkPath(piece, command, bases)
  if (table.remotes === true) checkRemote(value, command)
}

function checkOperands(
  table: ProgramTable,
  command: Inspected,
  found: readonly Argument[],
  bases: readonly string[],
): void {
  const operands = found.filter(({ kind }) => kind === 'operand')
  const [first] = operands
  if (first === undefined) return
  switch (table.operands) {
    case 'text':
      return
    case 'subcommand':
      inspectSubcommand(table, command, first)
      return
    case 'command':
      checkCode(first, table, command, 'runs another program')
      for (const arg of command.args.slice(first.at + 1)) checkLoose(arg, command, bases)
      return
    case 'code':
      if (!found.some(({ name }) => name === table.sandbox)) checkCode(first, table, command, 'is code')
      for (const operand of operands.slice(1)) checkOperand(operand, table, command, bases)
      return
    case 'pattern': {
      const names = new Set(table.patterns?.split(' '))
      const isGiven = found.some(({ kind, name }) => kind === 'option' && names.has(name))
      for (const operand of isGiven ? operands : operands.slice(1)) checkOperand(operand, table, command, bases)
      return
    }
    case 'assignments':
      for (const { value = '', at } of operands)
        if (at >= command.granted) checkPath(value.slice(value.indexOf('=') + 1), command, bases)
      return
    default:
      for (const operand of operands) checkOperand(operand, table, command, bases)
  }
}

function inspectSubcommand(table: ProgramTable, command: Inspected, { name, at }: Argument): void {
  const own = table.commands !== undefined && Object.hasOwn(table.commands, name) ? table.commands[name] : undefined
  const named = { ...command, name: `${command.name} ${name}`.slice(0, 100) }
  if (own?.operands === 'command') {
    if (at >= command.granted && isChecked('shell.options'))
      throw denied(`"${named.name}" runs other programs, or sets which are run. Name it in \`allow\` if that is meant.`)
    inspectUnknown(named, at + 1)
  } else if (own === undefined) inspectUnknown(named, at + 1)
  else inspectBy(own, named, at + 1)
}

function checkCode({ at, value = '' }: Argument, table: ProgramTable, command: Inspected, what: string): void {
  if (at < command.granted || !isChecked('shell.options')) return
  const hint = table.sandbox === undefined ? '' : ` Or add ${table.sandbox}, under which it can do neither.`
  throw denied(
    `"${value.slice(0, 60)}" ${what}, which "${command.name}" would run or use on files. Name it in \`allow\` behind the program if that is meant.${hint}`,
  )
}

function checkOperand(
  { value = '', at }: Argument,
  table: ProgramTable,
  command: Inspected,
  bases: readonly string[],
): void {
  if (at < command.granted) return
  checkPath(value, command, bases)
  if (table.remotes === true) checkRemote(value, command)
}

/** `host:path` and `transport::address` are opened by programs that the caller names. */
function checkRemote(value: string, command: Inspected): void {
  if (!isChecked('shell.paths') || /^https?:\/\//i.test(value) || !/^[^/]+:/.test(value)) return
  throw denied(`"${value.slice(0, 100)}" is an address that "${command.name}" reaches by another program.`)
}

/** Without a table, every argument is inspected in all the ways in which it could be a path. */
function inspectUnknown(command: Inspected, from = 0): void {
  let isOver = false
  for (const [at, arg] of command.args.entries()) {
    if (at < Math.max(command.granted, from)) continue
    const isOption = !isOver && arg.startsWith('-') && arg !== '-' && arg !== '--'
    if (isOption) checkUnknown({ kind: 'unknown', name: arg, role: 'flag', at, valueAt: at }, command, [command.cwd])
    checkLoose(arg, command, [command.cwd])
    if (arg === '--') isOver = true
  }
}

function checkLoose(arg: string, command: Inspected, bases: readonly string[]): void {
  const pieces = [arg, arg.slice(arg.indexOf('=') + 1)]
  // In bundled short options a path may begin after any letter.
  if (/^-[^-]/.test(arg)) pieces.push(arg.slice(Math.max(2, arg.search(/[/~]|\.\.\//))), arg.slice(2))
  for (const piece of new Set(pieces)) checkPath(piece, command, bases)
}

function checkPath(path: string, command: Inspected, bases: readonly string[]): void {
  const why = isChecked('shell.paths') ? leadsOut(path, command, bases) : undefined
  if (why !== undefined) throw denied(`the argument "${path.slice(0, 100)}" ${why}.`)
  if (command.strict && isChecked('shell.links') && path !== '' && isLinkOut(path, command.root, bases))
    throw denied(`"${path.slice(0, 100)}" is a link, or lies behind one, that leads out of the workspace.`)
}

function denied(what: string): MandateError {
  return new MandateError('DENIED', `Refused: ${what}`)
}
