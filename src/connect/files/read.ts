import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { MandateError } from '../../core/index.ts'
import { isChecked } from '../checks.ts'
import { refused } from './names.ts'
import { fault, shown } from './workspace.ts'
import type { Folder } from './workspace.ts'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/** A file's content as text, with what is needed to write it back in the same encoding. */
interface FileText {
  readonly text: string
  readonly encoding: Encoding
  readonly hasMark: boolean
  readonly bytes: number
  readonly mode: number
}

// Without O_NONBLOCK, opening a FIFO would block until it has a writer.
const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Opens a regular file with a single hard link: another link to it may be anywhere. */
export async function openFile(
  folder: Folder,
  name: string,
  parts: readonly string[],
): Promise<{ handle: FileHandle; mode: number }> {
  let handle: FileHandle
  try {
    handle = await open(folder.at(name), FILE)
  } catch (error) {
    throw fault(error as NodeJS.ErrnoException, parts)
  }
  try {
    const facts = await handle.stat()
    if (facts.isDirectory()) throw refused(`${shown(parts)} is a folder. Give the path of a file.`)
    if (!facts.isFile() && isChecked('files.regular-only')) throw refused(`${shown(parts)} is not a regular file.`)
    if (facts.nlink > 1 && isChecked('files.hard-links'))
      throw refused(`${shown(parts)} has other names (hard links), which may lie outside the workspace. Copy it first.`)
    return { handle, mode: facts.mode & 0o777 }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Reads a whole file as text. The limit is enforced while reading, whatever the file's size claimed. */
export async function readText(
  folder: Folder,
  name: string,
  { parts, maxBytes }: { parts: readonly string[]; maxBytes: number },
): Promise<FileText> {
  const { handle, mode } = await openFile(folder, name, parts)
  try {
    const bytes = await readBounded(handle, maxBytes)
    if (bytes === undefined)
      throw new MandateError(
        'LIMIT_EXCEEDED',
        `${shown(parts)} has more than ${maxBytes} bytes. Read a part of it with \`offset\` and \`limit\`, or raise \`maxFileBytes\`.`,
      )
    return { ...decode(bytes, parts), bytes: bytes.length, mode }
  } finally {
    await handle.close()
  }
}

/** All bytes of a file; `undefined` if there are more than allowed. */
export async function readBounded(handle: FileHandle, maxBytes: number): Promise<Buffer | undefined> {
  const pieces: Buffer[] = []
  let size = 0
  for (;;) {
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.allocUnsafe(64 * 1024) })
    if (bytesRead === 0) return Buffer.concat(pieces)
    size += bytesRead
    if (size > maxBytes && isChecked('files.size-cap')) return undefined
    pieces.push(buffer.subarray(0, bytesRead))
  }
}

function decode(bytes: Buffer, parts: readonly string[]): Pick<FileText, 'text' | 'encoding' | 'hasMark'> {
  const encoding: Encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8'
  const hasMark = encoding !== 'utf-8' || (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
  if (encoding === 'utf-8' && isBinary(bytes)) throw refused(`${shown(parts)} is not text.`)
  try {
    // The decoder removes the byte order mark.
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding, hasMark }
  } catch {
    throw refused(`${shown(parts)} is not text in UTF-8 or UTF-16.`)
  }
}

/** Whether the bytes are not text: text has no zero bytes. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8_192).includes(0)
}
