import { appendFileSync, closeSync, fsyncSync, openSync, readSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { sha256, systemClock } from '../../../core/index.ts'
import type { Head } from '../../../journal/index.ts'
import { headsPath } from '../file-checks.ts'

const HEADER = 'mandate-heads-1'
/** Lines of runs that ended or suspended are synced after this delay, together, so that no commit waits for a second sync. */
const SYNC_MS = 200
const BYTES_MAX = 2 * 1024 * 1024
const RUNS_MAX = 8_000

/**
 * Records the last entry of each run outside the database, because a damaged log makes SQLite drop a tail silently. A line is written after its entry
 * is on disk and before the append resolves, so it never claims more than what was stored, and a killed process loses no line. A power failure may:
 * lines are synced only a moment after a run has suspended or ended. Of very many runs the oldest are dropped. Losing the file loses a check, not an
 * entry.
 *
 * A file of lines, `run seq at hash check`; the last one of a run counts; one with a wrong check (torn or corrupted) is ignored.
 */
export class KnownHeads {
  readonly #path: string
  readonly #heads = new Map<string, Head>()
  #storeId = ''
  #read = { file: 0, bytes: 0 }
  #waiting = new Map<string, Head>()
  #isTorn = false
  #isSyncDue = false
  #stopTimer: (() => void) | undefined

  constructor(databasePath: string) {
    this.#path = headsPath(databasePath)
  }

  /** Must be called before `get` and `note`: lines of another store with the same path do not count. */
  belongTo(storeId: string): void {
    if (storeId === this.#storeId) return
    this.#storeId = storeId
    this.#heads.clear()
    this.#read = { file: 0, bytes: 0 }
  }

  get(run: string): Head | undefined {
    this.#refresh()
    return this.#waiting.get(run) ?? this.#heads.get(run)
  }

  /** Every head that is recorded. */
  all(): ReadonlyMap<string, Head> {
    this.#refresh()
    return new Map([...this.#heads, ...this.#waiting])
  }

  /** Records that `head` is on disk. `isSettled` requests a sync of the line, because the run may stay idle for long. */
  note(run: string, head: Head, isSettled: boolean): void {
    this.#waiting.set(run, head)
    if (!isSettled) return
    this.#isSyncDue = true
    this.#stopTimer ??= systemClock.timer(SYNC_MS, () => this.flush())
  }

  /** Writes pending lines, and syncs them if that is due. */
  flush(): void {
    this.#stopTimer?.()
    this.#stopTimer = undefined
    this.write()
    if (!this.#isSyncDue) return
    this.#isSyncDue = false
    try {
      syncFile(this.#path)
    } catch {
      // Best effort, as in `write`.
    }
  }

  /** Writes pending lines, so that they outlive this process. */
  write(): void {
    if (this.#waiting.size === 0) return
    const lines = [...this.#waiting].map(([run, head]) => lineOf(run, head)).join('')
    try {
      this.#refresh()
      if (this.#read.bytes === 0 || this.#read.bytes > BYTES_MAX) this.#rewrite()
      // Starts a new line after one that a crash has left incomplete.
      appendFileSync(this.#path, this.#isTorn ? `\n${lines}` : lines)
    } catch {
      // Best effort by design: the entries themselves are safe, and a full disk is reported by the next append.
    }
    for (const [run, head] of this.#waiting) this.#keep(run, head)
    this.#waiting.clear()
  }

  /** Rewrites the file with one line per run, to a temporary file that then replaces it. */
  #rewrite(): void {
    writeFileSync(
      `${this.#path}.new`,
      headerOf(this.#storeId) + [...this.#heads].map(([run, head]) => lineOf(run, head)).join(''),
    )
    syncFile(`${this.#path}.new`)
    renameSync(`${this.#path}.new`, this.#path)
    this.#isTorn = false
  }

  /** Reads lines that were added since, by this process or another. */
  #refresh(): void {
    this.#isTorn = false
    try {
      const { ino, size } = statSync(this.#path)
      if (ino !== this.#read.file || size < this.#read.bytes) this.#read = { file: ino, bytes: 0 }
      if (size === this.#read.bytes) return
      const text = readRange(this.#path, this.#read.bytes, size)
      const end = text.lastIndexOf('\n') + 1
      this.#isTorn = end < text.length
      const lines = text.slice(0, end).split('\n')
      if (this.#read.bytes === 0 && `${lines[0]}\n` !== headerOf(this.#storeId)) return
      for (const line of lines) this.#take(line)
      this.#read.bytes += Buffer.byteLength(text.slice(0, end))
    } catch {
      this.#read = { file: 0, bytes: 0 }
    }
  }

  #take(line: string): void {
    const [run, seq, at, hash, check] = line.split(' ')
    if (run === undefined || hash === undefined || check === undefined) return
    const head: Head = { seq: Number(seq), hash, at: Number(at) }
    if (lineOf(run, head) === `${line}\n`) this.#keep(run, head)
  }

  #keep(run: string, head: Head): void {
    if ((this.#heads.get(run)?.seq ?? 0) > head.seq) return
    // Deleted first, so that the map stays in the order of the last change.
    this.#heads.delete(run)
    this.#heads.set(run, head)
    if (this.#heads.size > RUNS_MAX) this.#heads.delete(this.#heads.keys().next().value!)
  }
}

function headerOf(storeId: string): string {
  return `${HEADER} ${storeId}\n`
}

function lineOf(run: string, head: Head): string {
  const line = `${run} ${head.seq} ${head.at} ${head.hash}`
  return `${line} ${sha256(line).slice(0, 8)}\n`
}

function readRange(path: string, from: number, to: number): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(to - from)
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, from))
  } finally {
    closeSync(file)
  }
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
