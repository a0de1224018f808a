import { accessSync, constants, statSync } from 'node:fs'
import { join } from 'node:path'
import { MandateError } from '../../core/index.ts'
import { isChecked } from '../checks.ts'

/** An allowed program with its required first arguments. */
export interface Grant {
  readonly name: string
  readonly first: readonly string[]
  readonly file: string
  /** A program that runs others, allowed explicitly. */
  readonly isLauncher: boolean
}

/** Programs that run other programs: one of them on the allow list would make the list void. */
const LAUNCHERS = new Set(
  (
    'sh bash dash ash zsh ksh fish csh tcsh busybox toybox env xargs sudo doas su runuser pkexec nohup setsid timeout nice ionice chrt taskset stdbuf time watch script expect unshare ' +
    'nsenter chroot flock setarch systemd-run at batch crontab ssh scp sftp rsync socat docker podman kubectl make cmake ninja vi vim nvim emacs nano ed less more man ' +
    'awk gawk mawk nawk sed perl python python3 ruby php lua tclsh node nodejs deno bun bunx npx npm yarn pnpm uv uvx pipx java gdb strace ltrace bwrap prlimit parallel'
  ).split(' '),
)

/** Parses the allow list: `ls`, or `git log` for a program with its first words. Each program is looked up once on the given path, and pinned. */
export function readGrants(list: readonly string[], path: readonly string[], launchers: boolean): readonly Grant[] {
  const grants = list.map((entry): Grant => {
    const [name = '', ...first] = entry.trim().split(/\s+/)
    if (!/^[\w.+-]+$/.test(name) || name.startsWith('-'))
      throw new MandateError(
        'CONFIG_INVALID',
        `"${entry}" in \`allow\` must begin with the bare name of a program, such as "git log".`,
      )
    const isLauncher = LAUNCHERS.has(name) && first.length === 0
    if (isLauncher && !launchers && isChecked('shell.launchers'))
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
    return { name, first, file, isLauncher }
  })
  // The most specific grant is used.
  return grants.toSorted((a, b) => b.first.length - a.first.length)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** The grant for a list of arguments; throws with the allowed commands if there is none. */
export function grantFor(argv: readonly string[], grants: readonly Grant[]): Grant {
  const [name = '', ...args] = argv
  const found = grants.find((grant) => grant.name === name && grant.first.every((word, index) => args[index] === word))
  if (found !== undefined) return found
  if (!isChecked('shell.programs') && grants[0] !== undefined) return grants[0]
  const known = grants.map((grant) => [grant.name, ...grant.first].join(' ')).join(', ')
  throw new MandateError(
    'DENIED',
    `Refused: "${[name, ...args].join(' ').slice(0, 100)}" may not be run. Allowed: ${known || 'nothing'}.`,
  )
}
