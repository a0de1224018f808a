import { constants } from 'node:fs'
import { lstat, open, rename, unlink } from 'node:fs/promises'
import { MandateError, systemRandom } from '../../core/index.ts'
import { refused } from './names.ts'
import type { Encoding } from './read.ts'
import { fault, shown } from './workspace.ts'
import type { Folder } from './workspace.ts'

interface Content {
  readonly text: string
  readonly encoding?: Encoding | undefined
  readonly hasMark?: boolean | undefined
  readonly mode?: number | undefined
}

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** Replaces a file atomically: readers see the old content or the new, even after a crash. */
export async function writeText(
  folder: Folder,
  name: string,
  parts: readonly string[],
  content: Content,
): Promise<number> {
  await checkTarget(folder.at(name), parts)
  const bytes = encode(content)
  const temporary = folder.at(`.${name.slice(0, 100)}.${systemRandom.hex(6)}.tmp`)
  try {
    const handle = await open(temporary, NEW, content.mode ?? 0o644)
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
    // The folder may have been moved meanwhile; then the file must not be written into it.
    await folder.check()
    await rename(temporary, folder.at(name))
    await folder.sync()
    return bytes.length
  } catch (error) {
    await unlink(temporary).catch(() => {})
    throw error instanceof MandateError ? error : fault(error as NodeJS.ErrnoException, parts)
  }
}

/** Refuses links: a rename would only replace the link, but a write through a link is meant for its target. */
async function checkTarget(path: string, parts: readonly string[]): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw fault(error, parts)
  })
  if (found === undefined || found.isFile()) return
  if (found.isSymbolicLink()) throw refused(`${shown(parts)} is a link. Links are not followed.`)
  throw refused(found.isDirectory() ? `${shown(parts)} is a folder.` : `${shown(parts)} is not a regular file.`)
}

function encode({ text, encoding = 'utf-8', hasMark = false }: Content): Buffer {
  const marked = hasMark ? `\uFEFF${text}` : text
  if (encoding === 'utf-8') return Buffer.from(marked, 'utf8')
  const bytes = Buffer.from(marked, 'utf16le')
  return encoding === 'utf-16be' ? bytes.swap16() : bytes
}
