import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'

/** The place where a command runs. */
export interface CommandPlace {
  /** The workspace, with its own path resolved. */
  readonly root: string
  /** The working directory of the command. */
  readonly cwd: string
  /** Whether the network was granted: arguments may then be URLs. */
  readonly network: boolean
}

const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i
const OTHER_SCHEME = /^(?:file|data|ftp|gopher|dict|ldaps?|scp|sftp|tftp|telnet|smb|jar):/i

/** Why an argument leaves the workspace, relative to any of the possible folders; `undefined` if it does not. */
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

/** Whether a path of the workspace contains a link out of it. A path that does not exist yet is judged by its folder. */
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
    // A cycle of links is treated as leading outside.
    if (above === path || links > LINKS_MAX) return sep
    const real = realOf(above, links)
    const target = linkAt(join(real, basename(path)))
    // A link to a missing target: a program that writes would create it.
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
