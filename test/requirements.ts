import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { announceSkip } from './rotation.ts'

/** A program that some tests need and the package does not bring. */
export interface Requirement {
  /** The name of the executable, as on the PATH. */
  readonly program: string
  /** The Debian package that holds it; the same as `program` when absent. */
  readonly aptPackage?: string | undefined
  /** What is not tested without it, in a few words. */
  readonly neededFor: string
  /** Folders to look into besides the PATH; some servers live outside of it. */
  readonly folders?: readonly string[] | undefined
}

/** The path of the program: found, or installed where that is allowed, or undefined after one loud line.
 *
 * @example
 * ```ts
 * const strace = findProgram({ program: 'strace', neededFor: 'killing the store at every system call' })
 * test.skipIf(strace === undefined)('an entry is whole or absent after every kill', () => {})
 * ``` */
export function findProgram(requirement: Requirement): string | undefined {
  const found = locate(requirement)
  if (found !== undefined) return found
  const aptPackage = requirement.aptPackage ?? requirement.program
  if (mayInstall() && installWithApt(aptPackage)) return locate(requirement)
  announceSkip(
    `${requirement.neededFor} (${requirement.program} is not here)`,
    `apt-get install ${aptPackage}, or run as root on Debian with MANDATE_INSTALL=1`,
  )
  return undefined
}

/** Looks through the PATH without starting anything. */
export function locate(requirement: Requirement): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...(requirement.folders ?? [])]
  return folders.map((folder) => join(folder, requirement.program)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Only on request, because a test run that changes the machine and waits for a mirror is a surprise. */
function mayInstall(): boolean {
  const isAsked = process.env['MANDATE_INSTALL'] === '1' || Boolean(process.env['CI'])
  return isAsked && process.getuid?.() === 0 && existsSync('/etc/debian_version')
}

function installWithApt(aptPackage: string): boolean {
  const options = {
    stdio: 'ignore',
    timeout: 120_000,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  } as const
  // Several test files may ask at once: apt then waits for its lock instead of failing.
  const install = ['-o', 'DPkg::Lock::Timeout=100', 'install', '-y', '--no-install-recommends', aptPackage]
  if (spawnSync('apt-get', install, options).status === 0) return true
  spawnSync('apt-get', ['-q', 'update'], options)
  return spawnSync('apt-get', install, options).status === 0
}
