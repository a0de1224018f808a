import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { messageOf } from '../../core/index.ts'
import type { ClosedPath } from './closed-paths.ts'

/** The isolation of a program: in its own namespaces, or none. */
export type Isolation = 'bubblewrap' | 'none'

/** The isolation that is available on this machine, determined by running a program. */
interface IsolationReport {
  readonly isolation: Isolation
  /** The properties that hold. */
  readonly holds: readonly string[]
  /** The properties that do not, and how to get them. */
  readonly missing: readonly string[]
}

export interface Bounds {
  readonly processes: number
  readonly memoryBytes: number
  readonly fileBytes: number
  readonly cpuSeconds: number
}

interface Sandbox {
  readonly root: string
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
  readonly bounds: Bounds
  readonly isolation: Isolation
  /** Shares the machine's network. */
  readonly network: boolean
  /** Further readable folders. */
  readonly readable: readonly string[]
  /** Paths of the workspace that the program cannot read. */
  readonly closed: readonly ClosedPath[]
}

const BWRAP = ['/usr/bin/bwrap', '/usr/local/bin/bwrap']
const PRLIMIT = ['/usr/bin/prlimit', '/usr/local/bin/prlimit']

/** The folders of programs and libraries. They contain no secrets; homes, `/etc`, `/var` and `/run` are not mounted at all. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store']
/** The configuration by which programs and libraries are found. */
const SETTINGS = ['/etc/alternatives', '/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/localtime']
/** The configuration of names and certificates, if the network is granted. Contains no keys. */
const NETWORK_SETTINGS = [
  ...['/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf', '/etc/gai.conf', '/etc/services', '/etc/protocols'],
  ...['/etc/ssl/certs', '/etc/ssl/openssl.cnf', '/etc/ca-certificates', '/etc/pki/tls/certs', '/etc/pki/ca-trust'],
]

/** Attempts what an isolated program must not be able to do, and prints what succeeded. */
const PROBE = `
[ -e "$1" ] && echo "files outside the workspace are seen"
( : > /usr/.mandate-probe ) 2>/dev/null && echo "the system is writable"
( : > inside ) 2>/dev/null || echo "the workspace is not writable"
[ "$(grep -c : /proc/net/dev)" = 1 ] || echo "the network is there"
[ "$$" -gt 64 ] && echo "the processes of the machine are seen"
exit 0
`

let report: IsolationReport | undefined

/**
 * Determines the isolation of this machine, once, by running a program: being installed is not enough if the kernel or a container forbids
 * namespaces.
 *
 * @example
 * ```ts
 * import { shellIsolation } from 'mandate/connect'
 * const { isolation, missing } = shellIsolation()
 * if (isolation === 'none') console.log(missing.join('\n'))
 * ```
 */
export function isolationHere(): IsolationReport {
  report ??= probe()
  return report
}

function probe(): IsolationReport {
  const bounded = PRLIMIT.some(existsSync)
    ? { holds: ['memory, processor time, processes and file sizes are bounded (prlimit)'], missing: [] }
    : { holds: [], missing: ['memory and processor time are not bounded: install util-linux (prlimit)'] }
  const why = whyNot()
  if (why !== undefined)
    return {
      isolation: 'none',
      holds: bounded.holds,
      missing: [
        `programs cannot be isolated: ${why}. Install \`bubblewrap\`, and allow user namespaces (in a container: \`--security-opt seccomp=unconfined\`, or one that permits them)`,
        ...bounded.missing,
      ],
    }
  return {
    isolation: 'bubblewrap',
    holds: [
      'outside the workspace only the system is seen, read-only',
      'links do not lead out of the workspace',
      'there is no network unless granted',
      'all processes of a command end with it',
      ...bounded.holds,
    ],
    missing: bounded.missing,
  }
}

/** Why programs cannot be isolated here; `undefined` if they can. */
function whyNot(): string | undefined {
  if (process.platform !== 'linux') return `bubblewrap needs Linux, and this is ${process.platform}`
  if (!BWRAP.some(existsSync)) return 'bubblewrap is not installed'
  const outside = realpathSync(mkdtempSync(join(tmpdir(), 'mandate-probe-')))
  try {
    const root = mkdtempSync(join(outside, 'workspace-'))
    const canary = join(outside, 'outside')
    writeFileSync(canary, '')
    const bounds = { processes: 512, memoryBytes: 2 ** 31, fileBytes: 1_000_000, cpuSeconds: 5 }
    const env = { PATH: '/usr/bin:/bin' }
    const own = { readable: [], closed: [] }
    const place: Sandbox = { root, cwd: root, env, bounds, isolation: 'bubblewrap', network: false, ...own }
    const [program = '', ...args] = wrapped(['/bin/sh', '-c', PROBE, 'probe', canary], place)
    const tried = spawnSync(program, args, { timeout: 10_000, encoding: 'utf8', env })
    if (tried.status !== 0) return `bubblewrap does not work here (${lastLine(tried.stderr) ?? messageOf(tried.error)})`
    return lastLine(tried.stdout)
  } finally {
    rmSync(outside, { recursive: true, force: true })
  }
}

function lastLine(text: string | null): string | undefined {
  const line = (text ?? '').trim().split('\n').at(-1)
  return line === '' ? undefined : line
}

/** The command line that runs a program in its sandbox. Isolated: a read-only system, the workspace, no capabilities, and no network unless granted. */
export function wrapped(command: readonly string[], sandbox: Sandbox): readonly string[] {
  const { root, cwd, env, bounds, isolation, network, readable, closed } = sandbox
  const limited = [...limits(bounds), ...command]
  if (isolation === 'none') return limited
  const [program = ''] = command
  // A program outside the system folders (for example a Node of the project) is mounted individually.
  const isElsewhere = ![...SYSTEM, ...readable, root].some((path) => program.startsWith(`${path}/`))
  const own = isElsewhere ? ['--ro-bind', program, program] : []
  return [
    BWRAP.find(existsSync)!,
    // A root without capabilities: otherwise mounts could be changed.
    ...['--unshare-all', '--die-with-parent', '--new-session', '--clearenv', '--cap-drop', 'ALL', '--chdir', cwd],
    ...(network ? ['--share-net'] : []),
    ...[...SYSTEM, ...SETTINGS, ...(network ? NETWORK_SETTINGS : [])].flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    ...readable.flatMap((path) => ['--ro-bind', path, path]),
    ...['--bind', root, root],
    // A folder is empty and cannot be written; a file cannot be opened, because bubblewrap mounts without devices.
    ...closed.flatMap(({ path, isFolder }) =>
      isFolder ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path],
    ),
    ...own,
    // The created parent folders of these mounts are read-only.
    ...['--remount-ro', '/'],
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    '--',
    ...limited,
  ]
}

/** Whether a workspace would expose a system folder, or the whole system. */
export function isSystemFolder(root: string): boolean {
  return root === '/' || [...SYSTEM, '/etc', '/dev', '/proc', '/sys', '/boot'].some((path) => isAtOrAbove(root, path))
}

function isAtOrAbove(root: string, path: string): boolean {
  return root === path || dirname(path) === root
}

function limits({ processes, memoryBytes, fileBytes, cpuSeconds }: Bounds): readonly string[] {
  const program = PRLIMIT.find(existsSync)
  if (program === undefined) return []
  // The kernel counts processes per user, so the limit has no effect for root outside of namespaces.
  return [
    program,
    `--nproc=${processes}`,
    `--as=${memoryBytes}`,
    `--fsize=${fileBytes}`,
    `--cpu=${cpuSeconds}`,
    '--core=0',
    '--',
  ]
}
