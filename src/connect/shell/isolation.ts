import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** How far a program is kept apart: in namespaces of its own, or only in a process group. */
export type Isolation = 'bubblewrap' | 'process-group'

export interface Bounds {
  readonly processes: number
  readonly memoryBytes: number
  readonly fileBytes: number
  readonly cpuSeconds: number
}

const BWRAP = ['/usr/bin/bwrap', '/usr/local/bin/bwrap']
const PRLIMIT = ['/usr/bin/prlimit', '/usr/local/bin/prlimit']

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64']

let isolation: Isolation | undefined

/** What is in force on this machine, found out once by trying: being installed is not enough where the kernel forbids namespaces. */
export function isolationHere(): Isolation {
  isolation ??= canIsolate() ? 'bubblewrap' : 'process-group'
  return isolation
}

function canIsolate(): boolean {
  const program = BWRAP.find(existsSync)
  if (program === undefined) return false
  const tried = spawnSync(program, [...namespaces('/'), '--ro-bind', '/', '/', '--', '/bin/true'], {
    timeout: 5_000,
    stdio: 'ignore',
  })
  return tried.status === 0
}

function namespaces(root: string): readonly string[] {
  return ['--unshare-all', '--die-with-parent', '--new-session', '--clearenv', '--chdir', root]
}

/** The command that runs a program inside its bounds. In namespaces it sees the system read-only, the workspace, and no network. */
export function wrapped(
  command: readonly string[],
  {
    root,
    cwd,
    env,
    bounds,
    isolated,
  }: { root: string; cwd: string; env: { readonly [name: string]: string }; bounds: Bounds; isolated: Isolation },
): readonly string[] {
  const limited = [...limits(bounds), ...command]
  if (isolated === 'process-group') return limited
  const system = SYSTEM.flatMap((path) => ['--ro-bind-try', path, path])
  const [program = ''] = command
  // A program that lives elsewhere (a Node of the project's own) is brought along, alone.
  const own = SYSTEM.some((path) => program.startsWith(`${path}/`)) ? [] : ['--ro-bind', program, program]
  const set = Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value])
  const place = ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--bind', root, root]
  return [BWRAP.find(existsSync)!, ...namespaces(cwd), ...system, ...place, ...own, ...set, '--', ...limited]
}

function limits({ processes, memoryBytes, fileBytes, cpuSeconds }: Bounds): readonly string[] {
  const program = PRLIMIT.find(existsSync)
  if (program === undefined) return []
  // The number of processes is counted per user by the kernel, so it bounds nothing for root outside of namespaces.
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
