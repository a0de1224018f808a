import { readdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { MandateError } from '../../core/index.ts'
import { isListed } from '../files/names.ts'

/** A path in the workspace that a command must not read. */
export interface ClosedPath {
  readonly path: string
  readonly isFolder: boolean
}

/** The maximum number of closed paths: bubblewrap accepts 9,000 arguments, and each path takes up to four. */
const CLOSED_MAX = 1_000

/** Finds the existing files and folders of a workspace that match the patterns. A folder is closed with its contents; for a link, its target is closed. */
export async function closedPaths(
  root: string,
  patterns: readonly string[],
  signal: AbortSignal,
): Promise<readonly ClosedPath[]> {
  if (patterns.length === 0) return []
  const closed = new Map<string, ClosedPath>()
  const folders: (readonly string[])[] = [[]]
  for (let parts = folders.pop(); parts !== undefined; parts = folders.pop()) {
    signal.throwIfAborted()
    for (const entry of await entriesOf(join(root, ...parts))) {
      const inside = [...parts, entry.name]
      const path = join(root, ...inside)
      if (!isListed(inside, patterns)) {
        if (entry.isDirectory()) folders.push(inside)
      } else if (entry.isSymbolicLink()) {
        const target = await targetOf(path, root)
        if (target !== undefined) closed.set(target.path, target)
      } else closed.set(path, { path, isFolder: entry.isDirectory() })
    }
    if (closed.size > CLOSED_MAX)
      throw new MandateError(
        'DENIED',
        `Refused: more than ${CLOSED_MAX} files of this folder are closed to commands (\`deny\`). Work in a smaller folder.`,
      )
  }
  return [...closed.values()]
}

/** The entries of a folder. None if it cannot be read or no longer exists: then the command cannot read it either. */
async function entriesOf(
  path: string,
): Promise<readonly { name: string; isDirectory(): boolean; isSymbolicLink(): boolean }[]> {
  return readdir(path, { withFileTypes: true }).catch(() => [])
}

/** The target of a link. `undefined` if it is missing or outside the workspace, where the patterns do not apply. */
async function targetOf(link: string, root: string): Promise<ClosedPath | undefined> {
  const path = await realpath(link).catch(() => undefined)
  if (path === undefined || !path.startsWith(root + sep)) return undefined
  const isFolder = await readdir(path).then(
    () => true,
    () => false,
  )
  return { path, isFolder }
}
