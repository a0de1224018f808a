import { GENESIS, isEnded, page, restoreAdvice } from '../../../journal/index.ts'
import type { Head, RunFilter, RunSummary } from '../../../journal/index.ts'
import { MandateError } from '../../../core/index.ts'
import { headsPath } from '../file-checks.ts'
import type { SqliteFile } from '../sqlite-file.ts'
import type { KnownHeads } from './known-heads.ts'
import { readSummary } from './run-rows.ts'

/** The error for a run whose last entries were on disk and are missing, `seq` of them being left. */
export function missingTail(run: string, seq: number, known: number, path: string): MandateError {
  if (seq === 0) return runLost(run, known, path)
  return new MandateError(
    'JOURNAL_DAMAGED',
    `Run "${run}" is damaged at entry ${seq + 1}: it was stored up to entry ${known}, and the last ${known - seq} are gone. ${restoreAdvice('the file', seq)}`,
    { info: { run, seq: seq + 1, wrong: 'it is missing' } },
  )
}

/** The error for a run of which nothing is left. */
export function runLost(run: string, known: number, path: string): MandateError {
  return new MandateError(
    'JOURNAL_DAMAGED',
    `Run "${run}" is gone: it was stored up to entry ${known}, and ${path} has none of it, as after the loss of its log. Restore the file from a backup, with its -wal if there was one. To go on without the run, delete ${headsPath(path)}; what it did has happened, so look at that before it is started again.`,
    { info: { run, seq: 1, wrong: 'it is missing' } },
  )
}

/**
 * The runs of which the heads beside the file know more than the file has: their entries were on disk, and are lost. What is lost may be a question to a
 * person, so they count as waiting, unless they have ended.
 */
export class DamagedRuns {
  readonly #file: SqliteFile
  readonly #heads: KnownHeads
  #found: readonly RunSummary[] = []
  #handle = -1

  constructor(file: SqliteFile, heads: KnownHeads) {
    this.#file = file
    this.#heads = heads
  }

  /** Looked for once for each handle: a file that is open loses nothing that `checkPresence` does not see. */
  all(): readonly RunSummary[] {
    if (this.#handle === this.#file.handle) return this.#found
    this.#found = this.#find()
    this.#handle = this.#file.handle
    return this.#found
  }

  of(run: string): RunSummary | undefined {
    return this.all().find((damaged) => damaged.run === run)
  }

  /** A list with the damaged runs at their places. */
  into(found: readonly RunSummary[], filter: RunFilter): readonly RunSummary[] {
    const damaged = this.all()
    if (damaged.length === 0) return found
    const runs = new Set(damaged.map(({ run }) => run))
    return page([...found.filter(({ run }) => !runs.has(run)), ...damaged], filter)
  }

  #find(): RunSummary[] {
    // Read before the rows, which other processes add to first.
    const known = this.#heads.all()
    if (known.size === 0) return []
    const sql = `SELECT json_each.value ->> 0 AS run, heads.seq AS seq FROM json_each(?) LEFT JOIN heads ON heads.run = json_each.value ->> 0
      WHERE heads.seq IS NULL OR heads.seq < json_each.value ->> 1`
    const rows = this.#file.all(sql, JSON.stringify([...known].map(([run, { seq }]) => [run, seq])))
    return rows.map((row) => this.#summaryOf(row['run'] as string, known.get(row['run'] as string)!))
  }

  #summaryOf(run: string, head: Head): RunSummary {
    const stored = readSummary(this.#file, run)
    if (stored === undefined) return lostSummary(run, head, runLost(run, head.seq, this.#file.path).message)
    const damage = missingTail(run, stored.head.seq, head.seq, this.#file.path).message
    if (isEnded(stored.state)) return { ...stored, damage }
    return { ...stored, damage, waiting: stored.waiting ?? [unreadable(head)] }
  }
}

/** What is left of a run without any entry: its id and its last entry. */
function lostSummary(run: string, head: Head, damage: string): RunSummary {
  return {
    run,
    mind: 'agent',
    name: 'unknown',
    sessionId: run,
    state: 'suspended',
    suspendReason: 'in-doubt',
    createdAt: head.at,
    updatedAt: head.at,
    head: GENESIS,
    erased: false,
    waiting: [unreadable(head)],
    damage,
  }
}

/** The place of a question that may have been lost: reading it reports the damage. */
function unreadable({ seq, at }: Head): NonNullable<RunSummary['waiting']>[number] {
  return { seq, at, reason: 'in-doubt' }
}
