import { leaseLost } from '../../../journal/index.ts'
import type { RunSummary } from '../../../journal/index.ts'
import { heldEpoch } from './lease-rows.ts'
import type { Held } from '../protocol.ts'
import { readRun } from './run-rows.ts'
import type { SqliteFile } from '../sqlite-file.ts'

const RUNS_MAX = 2_000

/** The cached state of a run. */
interface KnownRun {
  readonly epoch: number
  readonly summary: RunSummary | undefined
  /** The row number of its head, once it has one. */
  readonly number: number | undefined
}

/**
 * State that appends need, cached between transactions until another connection writes the file: a run that appends a thousand times is looked up
 * once. Other code that changes a lease or a summary must update it.
 */
export class KnownRuns {
  readonly #file: SqliteFile
  readonly #runs = new Map<string, KnownRun>()
  #version = ''

  constructor(file: SqliteFile) {
    this.#file = file
  }

  /** Called at the beginning of a transaction, under the write lock: until its end no other connection can write. */
  refresh(): void {
    const version = `${this.#file.handle}/${Number(this.#file.get('PRAGMA data_version')?.['data_version'])}`
    if (version !== this.#version || this.#runs.size > RUNS_MAX) this.#runs.clear()
    this.#version = version
  }

  /** The run held by this lease; throws if the lease is lost. */
  held({ run, epoch }: Held): KnownRun {
    const known = this.#runs.get(run) ?? this.#read(run)
    if (known?.epoch !== epoch) throw leaseLost(run)
    return known
  }

  note(run: string, known: KnownRun): void {
    this.#runs.set(run, known)
  }

  forget(run: string): void {
    this.#runs.delete(run)
  }

  forgetAll(): void {
    this.#runs.clear()
  }

  #read(run: string): KnownRun | undefined {
    const epoch = heldEpoch(this.#file, run)
    if (epoch === undefined) return undefined
    const found = readRun(this.#file, run)
    return { epoch, summary: found?.summary, number: found?.number }
  }
}
