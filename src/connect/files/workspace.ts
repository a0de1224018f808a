import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { MandateError } from '../../core/index.ts'
import { refused, showName } from './names.ts'

/** Whether open folders can be traversed by their handles. Then a folder that is replaced meanwhile cannot redirect an access. */
const HAS_HANDLES: boolean = process.platform === 'linux'

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** An open folder, with access to its entries. */
export interface Folder {
  /** The path by which an entry is accessed. */
  at(name: string): string
  /** Throws if it was moved out of the workspace since it was opened. */
  check(): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/** The root folder of file tools. Its own path is resolved once, at the start; below it no link is followed. */
export class Workspace {
  readonly #given: string
  #root: Promise<string> | undefined

  constructor(root: string) {
    if (typeof root !== 'string' || root === '')
      throw new MandateError('CONFIG_INVALID', 'File tools need a `root`: the folder they may see.')
    this.#given = root
  }

  root(): Promise<string> {
    this.#root ??= realpath(this.#given).catch((cause: unknown) => {
      this.#root = undefined
      throw new MandateError('CONFIG_INVALID', `The workspace ${this.#given} cannot be entered. Create it first.`, {
        cause,
      })
    })
    return this.#root
  }

  /** Opens the parent folder of a path, and returns it with the last name. */
  async parent(parts: readonly string[], make = false): Promise<{ folder: Folder; name: string }> {
    const name = parts.at(-1)
    if (name === undefined) throw refused('Give the path of a file, not of the workspace itself.')
    const folder = await this.folder(parts.slice(0, -1), make)
    return { folder, name: await settleName(folder, name) }
  }

  async folder(parts: readonly string[], make = false): Promise<Folder> {
    const root = await this.root()
    let folder = await openFolder(root, root, [])
    for (const index of parts.keys()) {
      const above = folder
      try {
        folder = await enter(above, root, { parts: parts.slice(0, index + 1), make })
      } finally {
        await above.close()
      }
    }
    return folder
  }
}

async function enter(
  folder: Folder,
  root: string,
  { parts, make }: { parts: readonly string[]; make: boolean },
): Promise<Folder> {
  const path = folder.at(await settleName(folder, parts.at(-1)!))
  if (make) {
    await mkdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw fault(error, parts)
    })
  }
  return openFolder(path, root, parts)
}

/** The existing name with the same Unicode normalization; a new name is normalized to form C. */
async function settleName(folder: Folder, name: string): Promise<string> {
  const composed = name.normalize('NFC')
  if (composed === name.normalize('NFD')) return name
  for (const spelling of new Set([name, composed, name.normalize('NFD')])) {
    if (
      await lstat(folder.at(spelling)).then(
        () => true,
        () => false,
      )
    )
      return spelling
  }
  return composed
}

async function openFolder(path: string, root: string, parts: readonly string[]): Promise<Folder> {
  const real = join(root, ...parts)
  if (!HAS_HANDLES) await checkNoLink(real, root)
  let handle: FileHandle
  try {
    handle = await open(path, parts.length === 0 ? FOLDER & ~constants.O_NOFOLLOW : FOLDER)
  } catch (error) {
    throw fault(error as NodeJS.ErrnoException, parts)
  }
  const own = HAS_HANDLES ? `/proc/self/fd/${handle.fd}` : real
  return {
    at: (name) => `${own}/${name}`,
    async check() {
      const where = HAS_HANDLES ? await readlink(own) : await realpath(real)
      if (where !== root && !where.startsWith(root + sep))
        throw refused(`${shown(parts)} was moved out of the workspace. Nothing was written.`)
    },
    async sync() {
      await handle.sync()
    },
    close: () => handle.close(),
  }
}

/** Where folders have no handles, every part is checked before it is opened; a replacement in between is only detected afterwards, by `check`. */
async function checkNoLink(path: string, root: string): Promise<void> {
  if (path === root) return
  const found = await lstat(path).catch(() => undefined)
  if (found?.isSymbolicLink() === true) throw refused(`${showName(path)} is a link. Links are not followed.`)
}

/** The error of a file operation, with the path in the workspace and not on the machine. */
export function fault(error: NodeJS.ErrnoException, parts: readonly string[]): MandateError {
  const path = shown(parts)
  switch (error.code) {
    case 'ENOENT':
      return new MandateError(
        'NOT_FOUND',
        `There is no ${path} in the workspace. List the folder to see what there is.`,
      )
    case 'ELOOP':
    case 'EMLINK':
      return refused(`${path} is a link, or lies behind one. Links are not followed.`)
    case 'ENOTDIR':
      return refused(`${path} is not a folder, or is a link. Links are not followed.`)
    case 'EISDIR':
      return refused(`${path} is a folder. Give the path of a file.`)
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new MandateError('DENIED', `${path} may not be accessed: its permissions, or a read-only disk, forbid it.`)
    case 'ENOSPC':
    case 'EDQUOT':
      return new MandateError('DISK_FULL', `There is no room for ${path}. The file is as it was.`)
    case 'ENAMETOOLONG':
      return refused(`${path} is too long a name for this disk.`)
    default:
      return new MandateError('TOOL_FAILED', `${path} cannot be used (${error.code ?? error.message}).`)
  }
}

export function shown(parts: readonly string[]): string {
  return parts.length === 0 ? 'the workspace' : `"${parts.map(showName).join('/')}"`
}
