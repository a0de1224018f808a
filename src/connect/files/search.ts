import type { FileHandle } from 'node:fs/promises'
import { walk } from './list.ts'
import { isListed, showName } from './names.ts'
import { isBinary, openFile, readBounded } from './read.ts'
import type { Workspace } from './workspace.ts'

interface Searched {
  readonly workspace: Workspace
  readonly deny: readonly string[]
  readonly maxBytes: number
}

interface Search {
  readonly text: string
  readonly path?: string | undefined
  readonly name?: string | undefined
  readonly ignoreCase?: boolean | undefined
}

interface Found {
  readonly matches: readonly { readonly path: string; readonly line: number; readonly text: string }[]
  readonly files: number
  readonly truncated?: string
}

const MATCHES_MAX = 200
const LINE_MAX = 300
const FILES_MAX = 20_000

/** Searches a text in all files below a folder. Links are not followed; files that are binary, too large or unreadable are skipped. */
export async function searchFiles(files: Searched, search: Search, signal: AbortSignal): Promise<Found> {
  const matches: Found['matches'][number][] = []
  let looked = 0
  let isCut = false
  for await (const listed of walk(files.workspace, search.path ?? '', { depth: 32, entries: FILES_MAX })) {
    signal.throwIfAborted()
    if (listed === 'more') isCut = true
    else if (listed.kind === 'file' && isWanted(listed.parts, files, search)) {
      looked += 1
      for (const match of await searchFile(files, listed.parts, search)) matches.push(match)
    }
    if (matches.length >= MATCHES_MAX) {
      isCut = true
      break
    }
  }
  return {
    matches: matches.slice(0, MATCHES_MAX),
    files: looked,
    ...(isCut
      ? { truncated: 'There is more than could be looked at. Search in a smaller folder, or for a longer text.' }
      : {}),
  }
}

function isWanted(parts: readonly string[], { deny }: Searched, { name }: Search): boolean {
  return !isListed(parts, deny) && (name === undefined || isListed([parts.at(-1)!], [name]))
}

async function readAndClose(handle: FileHandle, maxBytes: number): Promise<Buffer | undefined> {
  try {
    return await readBounded(handle, maxBytes)
  } finally {
    await handle.close()
  }
}

async function searchFile(
  files: Searched,
  parts: readonly string[],
  { text, ignoreCase = false }: Search,
): Promise<Found['matches']> {
  const folder = await files.workspace.folder(parts.slice(0, -1)).catch(() => undefined)
  if (folder === undefined) return []
  try {
    const { handle } = await openFile(folder, parts.at(-1)!, parts)
    const bytes = await readAndClose(handle, files.maxBytes)
    if (bytes === undefined || isBinary(bytes)) return []
    const wanted = ignoreCase ? text.toLowerCase() : text
    return bytes
      .toString('utf8')
      .split('\n')
      .flatMap((line, index) =>
        (ignoreCase ? line.toLowerCase() : line).includes(wanted)
          ? [{ path: parts.map(showName).join('/'), line: index + 1, text: line.slice(0, LINE_MAX) }]
          : [],
      )
  } catch {
    return []
  } finally {
    await folder.close()
  }
}
