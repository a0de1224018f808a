import type { Dir } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { isChecked } from '../checks.ts'
import { partsOf } from './names.ts'
import { fault } from './workspace.ts'
import type { Folder, Workspace } from './workspace.ts'

interface Listed {
  readonly parts: readonly string[]
  readonly kind: 'file' | 'folder' | 'link' | 'other'
}

interface WalkLimits {
  /** The depth of the walk; 1 is the folder itself. */
  readonly depth: number
  /** The maximum number of names in total. */
  readonly entries: number
}

/** Walks a folder and its subfolders by name. Links are listed and not followed. */
export async function* walk(workspace: Workspace, path: unknown, limits: WalkLimits): AsyncGenerator<Listed | 'more'> {
  const left = { entries: limits.entries }
  const parts = partsOf(path ?? '')
  yield* walkFolder(await workspace.folder(parts), parts, { workspace, left, depth: limits.depth })
}

interface Walk {
  readonly workspace: Workspace
  readonly left: { entries: number }
  readonly depth: number
}

async function* walkFolder(folder: Folder, parts: readonly string[], walking: Walk): AsyncGenerator<Listed | 'more'> {
  const names: Listed[] = []
  try {
    const directory = await opendir(folder.at('.')).catch((error: NodeJS.ErrnoException) => {
      throw fault(error, parts)
    })
    if (await collect(directory, parts, names, walking.left)) yield 'more'
  } finally {
    await folder.close()
  }
  names.sort((a, b) => (a.parts.at(-1)! < b.parts.at(-1)! ? -1 : 1))
  for (const listed of names) {
    yield listed
    if (listed.kind !== 'folder' || (walking.depth <= 1 && isChecked('files.depth-cap'))) continue
    const below = await walking.workspace.folder(listed.parts).catch(() => undefined)
    // Deleted or replaced by a link since it was listed: then it is skipped.
    if (below !== undefined) yield* walkFolder(below, listed.parts, { ...walking, depth: walking.depth - 1 })
  }
}

/** Collects entries up to the limit, and reports whether there were more. */
async function collect(
  directory: Dir,
  parts: readonly string[],
  names: Listed[],
  left: { entries: number },
): Promise<boolean> {
  for await (const entry of directory) {
    if (left.entries === 0 && isChecked('files.listing-cap')) return true
    left.entries -= 1
    const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'other'
    names.push({ parts: [...parts, entry.name], kind })
  }
  return false
}
