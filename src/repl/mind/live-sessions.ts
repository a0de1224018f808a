import type { CellSession } from '../../vm/index.ts'
import type { SessionState } from '../session/session-state.ts'
import type { StoredIndex } from './stored-variables.ts'

/** A session in memory, in its state after a cell. */
interface LiveSession {
  readonly cells: CellSession
  readonly state: SessionState
  readonly index: StoredIndex
}

const LIVE_MAX = 4_096

/**
 * Cache of sessions by the run of their last cell. A cell removes its session from the cache, because it changes the values. Sessions not cached are read
 * from the journal.
 */
export class LiveSessions {
  readonly #byRun = new Map<string, LiveSession>()

  take(run: string): LiveSession | undefined {
    const live = this.#byRun.get(run)
    this.#byRun.delete(run)
    return live
  }

  peek(run: string): LiveSession | undefined {
    return this.#byRun.get(run)
  }

  put(run: string, live: LiveSession): void {
    this.#byRun.set(run, live)
    const [oldest] = this.#byRun.keys()
    if (this.#byRun.size > LIVE_MAX && oldest !== undefined) this.#byRun.delete(oldest)
  }

  drop(run: string): void {
    this.#byRun.delete(run)
  }
}
