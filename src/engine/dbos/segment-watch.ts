import { MandateError, delay, systemClock } from '../../core/index.ts'
import type { PostgresLink } from '../../store/postgres/index.ts'
import { segmentId } from './segments.ts'
import { segmentTable } from './tables.ts'

const LOOK_MS = 100
/** Additional polling delay per waiting caller, because the cost of a poll grows with their number. */
const MORE_MS = 1

/** A caller that waits for the end of a segment. */
interface Waiting {
  readonly run: string
  readonly cause: string
  /** The highest known number of times the segment was put back. */
  round: number
  readonly done: PromiseWithResolvers<void>
}

/** Polls the rows of segments until the segments have ended. One statement covers all waiting callers of this process. */
export class SegmentWatch {
  readonly #link: PostgresLink
  readonly #waiting = new Set<Waiting>()
  #isLooking = false
  #isStopped = false

  constructor(link: PostgresLink) {
    this.#link = link
  }

  /** Resolves when the segment has ended, including the segments that follow it when it is put back. */
  settled(run: string, cause: string): Promise<void> {
    if (this.#isStopped) return Promise.reject(stopped())
    const done = Promise.withResolvers<void>()
    this.#waiting.add({ run, cause, round: 0, done })
    if (!this.#isLooking) void this.#look()
    return done.promise
  }

  stop(): void {
    this.#isStopped = true
    for (const { done } of this.#waiting) done.reject(stopped())
    this.#waiting.clear()
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    while (this.#waiting.size > 0) {
      const asked = [...this.#waiting]
      try {
        await this.#ask(asked)
      } catch (error) {
        for (const waiting of asked) this.#end(waiting, (done) => done.reject(error))
      }
      if (this.#waiting.size > 0) await delay(systemClock, LOOK_MS + this.#waiting.size * MORE_MS)
    }
    this.#isLooking = false
  }

  async #ask(asked: readonly Waiting[]): Promise<void> {
    const sql = `SELECT workflow_uuid AS id, status FROM ${segmentTable(this.#link)} WHERE workflow_uuid = ANY($1)`
    const { rows } = await this.#link.query(sql, [asked.flatMap((waiting) => [nameOf(waiting), nameOf(waiting, 1)])])
    const status = new Map(rows.map((row) => [row['id'], row['status'] as string]))
    for (const waiting of asked) {
      const now = status.get(nameOf(waiting))
      if (status.has(nameOf(waiting, 1))) waiting.round += 1
      else if (now === undefined || !OPEN.has(now)) this.#end(waiting, (done) => done.resolve())
    }
  }

  #end(waiting: Waiting, how: (done: Waiting['done']) => void): void {
    this.#waiting.delete(waiting)
    how(waiting.done)
  }
}

const OPEN: ReadonlySet<string> = new Set(['ENQUEUED', 'PENDING', 'DELAYED'])

function nameOf({ run, cause, round }: Waiting, more = 0): string {
  return segmentId({ run, cause, round: round + more })
}

function stopped(): MandateError {
  return new MandateError('CLOSED', 'The engine was stopped. The run goes on without it.')
}
