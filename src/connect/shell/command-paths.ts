import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'

/** Where a command runs. */
export interface CommandPlace {
  /** The workspace, without links in its own path. */
  readonly root: string
  /** The folder the command begins in. */
  readonly cwd: string
  /** Whether the network was granted: addresses may then be arguments. */
  readonly network: boolean
}

const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i
const OTHER_SCHEME = /^(?:file|data|ftp|gopher|dict|ldaps?|scp|sftp|tftp|telnet|smb|jar):/i

/** Why an argument leads out of the workspace, from any of the folders it may be resolved in; `undefined` where it does not. */
export function leadsOut(
  path: string,
  place: CommandPlace,
  bases: readonly string[] = [place.cwd],
): string | undefined {
  if (ADDRESS.test(path) || OTHER_SCHEME.test(path)) {
    if (place.network && /^https?:\/\//i.test(path)) return undefined
    return 'is an address'
  }
  if (path.startsWith('~')) return 'points outside the workspace'
  const isRelative = !isAbsolute(path) && !path.split(/[\\/]/).includes('..')
  if (isRelative || bases.every((base) => isInside(resolve(base, path), place.root))) return undefined
  return 'points outside the workspace'
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)
}

/** Whether a path of the workspace goes through a link that leads out of the workspace. What is not there yet is judged by the folder it would be in. */
export function isLinkOut(path: string, root: string, bases: readonly string[]): boolean {
  return bases
    .map((base) => resolve(base, path))
    .some((whole) => isInside(whole, root) && !isInside(realOf(whole), root))
}

const LINKS_MAX = 40

function realOf(path: string, links = 0): string {
  try {
    return realpathSync(path)
  } catch {
    const above = dirname(path)
    // A circle leads nowhere that is known to be inside.
    if (above === path || links > LINKS_MAX) return sep
    const real = realOf(above, links)
    const target = linkAt(join(real, basename(path)))
    // A link to what is not there yet: a program that writes would make it.
    return target === undefined ? join(real, basename(path)) : realOf(resolve(real, target), links + 1)
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
