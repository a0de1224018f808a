import { accessSync, constants, statSync } from 'node:fs'
import { isAbsolute, join, resolve, sep } from 'node:path'
import { MandateError } from '../../core/index.ts'

/** A program that may be run, with the first arguments it must have. */
export interface Grant {
  readonly name: string
  readonly first: readonly string[]
  readonly file: string
}

/** Programs whose business it is to run others: with one of them on the list, the list would say nothing. */
const LAUNCHERS = new Set(
  (
    'sh bash dash ash zsh ksh fish csh tcsh busybox toybox env xargs sudo doas su nohup setsid timeout nice ionice stdbuf time watch script expect unshare ' +
    'nsenter chroot systemd-run at batch crontab ssh scp sftp rsync docker podman kubectl make cmake ninja vi vim nvim emacs nano ed less more man ' +
    'awk gawk mawk nawk sed perl python python3 ruby php lua tclsh node deno bun npx npm yarn pnpm java gdb strace ltrace bwrap prlimit find parallel'
  ).split(' '),
)

/** Reads the list of what may be run: `ls`, or `git log` for a program with its first words. Each is found once, on the given path, and pinned. */
export function readGrants(list: readonly string[], path: readonly string[], launchers: boolean): readonly Grant[] {
  return list.map((entry) => {
    const [name = '', ...first] = entry.trim().split(/\s+/)
    if (!/^[\w.+-]+$/.test(name) || name.startsWith('-'))
      throw new MandateError(
        'CONFIG_INVALID',
        `"${entry}" in \`allow\` must begin with the bare name of a program, such as "git log".`,
      )
    if (LAUNCHERS.has(name) && first.length === 0 && !launchers)
      throw new MandateError(
        'CONFIG_INVALID',
        `"${name}" runs other programs, so a list with it allows everything. Name its first words ("${name} …"), or set \`launchers: true\`.`,
      )
    const file = path.map((folder) => join(folder, name)).find(isProgram)
    if (file === undefined)
      throw new MandateError(
        'CONFIG_INVALID',
        `The program "${name}" is not in ${path.join(', ')}. Install it, or take it off \`allow\`.`,
      )
    return { name, first, file }
  })
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** The program behind a list of arguments, or a refusal that says what may be run. */
export function grantFor(argv: readonly string[], grants: readonly Grant[], root: string): Grant {
  const [name = '', ...args] = argv
  const found = grants.find((grant) => grant.name === name && grant.first.every((word, index) => args[index] === word))
  if (found === undefined) {
    const known = grants.map((grant) => [grant.name, ...grant.first].join(' ')).join(', ')
    throw new MandateError(
      'DENIED',
      `Refused: "${[name, ...args].join(' ').slice(0, 100)}" may not be run. Allowed: ${known || 'nothing'}.`,
    )
  }
  for (const arg of args.slice(found.first.length)) checkOption(arg, name)
  for (const arg of args) checkArgument(arg, root)
  return found
}

/** Options by which ordinary programs run others, or write where they should only read: version control, archives, searches, sorting. */
const RUNNING =
  /^--(?:ext-diff|textconv|upload-pack|receive-pack|exec|exec-path|exec-batch|checkpoint-action|to-command|use-compress-program|compress-program|unzip-command|rsh|rsync-path|pager|paginate|open-files-in-pager|pre|hostname-bin|filter|output|config-env)(?:=|$)/i

/** What one of these does is not what the program on the list does; whoever means it names it with the program. */
function checkOption(arg: string, name: string): void {
  if (RUNNING.test(arg))
    throw new MandateError(
      'DENIED',
      `Refused: "${arg.slice(0, 100)}" lets "${name}" run another program or write a file. Put it on \`allow\` behind the program if that is meant.`,
    )
}

/** An argument that names a place outside the workspace, by itself or behind `=`, is refused; the program would follow it. */
function checkArgument(arg: string, root: string): void {
  if (arg.includes('\0')) throw new MandateError('INPUT_INVALID', 'An argument must not hold a zero character.')
  for (const piece of new Set([arg, arg.slice(arg.indexOf('=') + 1), arg.replace(/^-{1,2}[A-Za-z]/, '')])) {
    const isPath =
      isAbsolute(piece) ||
      piece.split(/[\\/]/).includes('..') ||
      /^[a-z][a-z+.-]*:\/\//i.test(piece) ||
      piece.startsWith('~')
    if (isPath && !isInside(piece, root))
      throw new MandateError('DENIED', `Refused: the argument "${arg.slice(0, 100)}" points outside the workspace.`)
  }
}

function isInside(path: string, root: string): boolean {
  if (/^[a-z][a-z+.-]*:\/\//i.test(path) || path.startsWith('~')) return false
  const whole = resolve(root, path)
  return whole === root || whole.startsWith(root + sep)
}
