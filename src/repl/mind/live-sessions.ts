import type { IntactEntry, Journal } from '../../journal/index.ts'
import type { CellSession } from '../../vm/index.ts'
import type { SessionState } from '../session/session-state.ts'
import type { StoredIndex } from './stored-variables.ts'
import { stateOf } from './stored-variables.ts'

/** A session in memory, in its state after a cell. */
export interface LiveSession {
  readonly cells: CellSession
  readonly state: SessionState
  readonly index: StoredIndex
  /** The run of the agent whose cells these are; absent for a session that is not an agent's. */
  readonly owner?: string | undefined
}

interface Kept {
  readonly live: LiveSession
  readonly bytes: number
  /** The hash of the last entry of the cell's run. */
  readonly hash: string
}

/** Bytes of all sessions in memory together: those whose cell ended longest ago are dropped first, and read from the journal when they are needed. */
const LIVE_BYTES = 64 * 1024 * 1024

/**
 * Cache of sessions by the run of their last cell, never the truth about them: a session enters when the end of its run is stored, and is used only while the
 * journal has that run with that end. A cell removes its session from the cache, because it changes the values.
 */
export class LiveSessions {
  readonly #journal: Pick<Journal, 'summary'>
  readonly #maxBytes: number
  readonly #byRun = new Map<string, Kept>()
  #bytes = 0

  constructor(journal: Pick<Journal, 'summary'>, maxBytes: number = LIVE_BYTES) {
    this.#journal = journal
    this.#maxBytes = maxBytes
  }

  /** Bytes of the sessions in memory. */
  get bytes(): number {
    return this.#bytes
  }

  /** Returns the session after a cell and removes it: the next cell changes its values. */
  take(run: string): Promise<LiveSession | undefined> {
    return this.#find(run, true)
  }

  /** Returns the session after a cell, if the journal says the same about the cell. */
  peek(run: string): Promise<LiveSession | undefined> {
    return this.#find(run, false)
  }

  async #find(run: string, isTaken: boolean): Promise<LiveSession | undefined> {
    if (!this.#byRun.has(run)) return undefined
    const summary = await this.#journal.summary(run)
    // Looked up again, because another cell may have taken it meanwhile.
    const kept = this.#byRun.get(run)
    if (kept === undefined) return undefined
    const isValid = summary?.head.hash === kept.hash && !summary.erased
    if (isTaken || !isValid) this.#remove(run)
    return isValid ? kept.live : undefined
  }

  /** Keeps the session after a cell whose run has this last entry in the journal. */
  put(end: IntactEntry<'run-end'>, live: LiveSession): void {
    const { run, hash } = end
    this.#remove(run)
    // A run can end otherwise than its mind did, for example by a cancellation: then nothing follows that cell.
    if (!isSameState(stateOf(end), live.state)) return
    live.cells.clearFilled()
    const { bytes } = live.cells
    this.#byRun.set(run, { live, bytes, hash })
    this.#bytes += bytes
    for (const oldest of this.#byRun.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.#remove(oldest)
    }
  }

  /** Removes the sessions of an agent's run that is over, or goes on elsewhere. */
  release(owner: string): void {
    for (const [run, { live }] of this.#byRun) if (live.owner === owner) this.#remove(run)
  }

  #remove(run: string): void {
    this.#bytes -= this.#byRun.get(run)?.bytes ?? 0
    this.#byRun.delete(run)
  }
}

function isSameState(stored: SessionState | undefined, kept: SessionState): boolean {
  if (stored?.variables !== kept.variables) return false
  return Object.entries(kept.counters).every(
    ([name, count]) => stored.counters[name as keyof typeof stored.counters] === count,
  )
}

const caches = new WeakMap<Journal, LiveSessions>()

/** The cache of the sessions of a journal: one for all its cells, so that its bound holds for the process. */
export function liveSessionsOf(journal: Journal): LiveSessions {
  let cache = caches.get(journal)
  if (cache === undefined) caches.set(journal, (cache = new LiveSessions(journal)))
  return cache
}
