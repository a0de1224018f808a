import { mkdir, open, rename, truncate, writeFile } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { delay, systemClock } from '../core/index.ts'

interface LineFileListener {
  onFault(error: unknown): void
  onIdle(): void
}

/** A file of lines that is written in the background: callers never wait for the disk, and lines never mix. */
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

  /** Resolves when everything added so far was written, or has failed. */
  async settled(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
  }

  async #write(): Promise<void> {
    // One microtask later, so that lines added together are written together.
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

/** The maximum size of one write: the system appends that in one piece, and may split larger ones between writes of other processes. */
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
  // Repeated only if the disk had no room for all of it.
  while (rest.length > 0) rest = rest.subarray((await file.write(rest)).bytesWritten)
}

/** How long an incomplete line must be unchanged to count as the remains of a crash. */
const TORN_MS = 100

/** Removes an incomplete line that a crash has left. A line that another writer is just writing looks the same, but grows. */
async function cutTornLine(path: string): Promise<void> {
  const file = await open(path, 'a+')
  try {
    let torn = await tornLine(file)
    while (torn !== undefined) {
      await delay(systemClock, TORN_MS)
      const again = await tornLine(file)
      if (again?.size === torn.size) return await truncate(path, torn.start)
      torn = again
    }
  } finally {
    await file.close()
  }
}

/** The size of a file and the start of its incomplete last line; `undefined` if the last line is complete. */
async function tornLine(file: FileHandle): Promise<{ readonly size: number; readonly start: number } | undefined> {
  const { size } = await file.stat()
  const tail = Buffer.alloc(64 * 1024)
  for (let end = size; end > 0; end -= tail.length) {
    const from = Math.max(end - tail.length, 0)
    await file.read(tail, 0, end - from, from)
    const newline = tail.subarray(0, end - from).lastIndexOf(0x0a)
    if (newline >= 0) return from + newline + 1 === size ? undefined : { size, start: from + newline + 1 }
  }
  return size === 0 ? undefined : { size, start: 0 }
}

/** Writes a file atomically: to a temporary file that then replaces it. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(`${path}.new`, text)
  await rename(`${path}.new`, path)
}
