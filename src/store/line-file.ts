import { mkdir, open, rename, truncate, writeFile } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'

interface LineFileListener {
  onFault(error: unknown): void
  onIdle(): void
}

/** A file of lines that is written behind its callers: they never wait for the disk, and lines never mix. */
export class LineFile {
  readonly #path: string
  readonly #told: LineFileListener
  #lines: string[] = []
  #writing: Promise<void> | undefined
  #isReady = false

  constructor(path: string, told: LineFileListener) {
    this.#path = path
    this.#told = told
  }

  add(line: string): void {
    this.#lines.push(line)
    this.#writing ??= this.#write()
  }

  /** Resolves when everything added so far was written, or could not be. */
  async settled(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
  }

  async #write(): Promise<void> {
    // One microtask later, so that lines of one moment go out together.
    await Promise.resolve()
    try {
      while (this.#lines.length > 0) {
        const lines = this.#lines
        this.#lines = []
        await this.#prepare()
        await appendLines(this.#path, lines)
      }
    } catch (error) {
      this.#lines = []
      this.#told.onFault(error)
    } finally {
      this.#writing = undefined
      this.#told.onIdle()
    }
  }

  async #prepare(): Promise<void> {
    if (this.#isReady) return
    await mkdir(dirname(this.#path), { recursive: true })
    await cutTornLine(this.#path)
    this.#isReady = true
  }
}

/** As much goes out in one write: the system puts that in one piece behind what others have written meanwhile, and more it may cut in two. */
const PIECE = 256 * 1024

async function appendLines(path: string, lines: readonly string[]): Promise<void> {
  const file = await open(path, 'a')
  try {
    let piece = ''
    for (const line of lines) {
      if (piece !== '' && piece.length + line.length > PIECE) {
        await writeAll(file, piece)
        piece = ''
      }
      piece += `${line}\n`
    }
    await writeAll(file, piece)
  } finally {
    await file.close()
  }
}

async function writeAll(file: FileHandle, text: string): Promise<void> {
  let rest: Uint8Array = Buffer.from(text)
  // More than once only where the disk had no room for all of it.
  while (rest.length > 0) rest = rest.subarray((await file.write(rest)).bytesWritten)
}

/** A crash may have left half a line; whole lines follow whole lines. */
async function cutTornLine(path: string): Promise<void> {
  const file = await open(path, 'a+')
  try {
    const { size } = await file.stat()
    const tail = Buffer.alloc(Math.min(size, 64 * 1024))
    await file.read(tail, 0, tail.length, size - tail.length)
    if (size > 0 && tail.at(-1) !== 0x0a) await truncate(path, size - tail.length + tail.lastIndexOf(0x0a) + 1)
  } finally {
    await file.close()
  }
}

/** Writes a file whole or not at all: beside its place first, then over it. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(`${path}.new`, text)
  await rename(`${path}.new`, path)
}
