import type { RunSummary, Signal } from '../../journal/index.ts'
import { Batcher, settle } from '../batcher.ts'
import type { Settled } from '../batcher.ts'
import type { AppendPlace } from './appends.ts'
import { FIRST_PAGE_BYTES, readBeginnings } from './reads.ts'
import type { Beginning, ReadAsk } from './reads.ts'
import { readSummaries } from './rows/run-rows.ts'
import { readSignals } from './rows/signal-rows.ts'
import { isRequestFault } from './store-errors.ts'

/** The number of batches of one kind in progress at a time. */
const LANES = 2

/** Batches concurrent reads into one statement: a statement costs more than the rows it reads. */
export class BatchedReads {
  readonly #place: () => Promise<AppendPlace>
  readonly #summaries: Batcher<string, RunSummary | undefined>
  readonly #beginnings: Batcher<ReadAsk, Beginning>
  readonly #signals: Batcher<string, Signal[]>

  constructor(place: () => Promise<AppendPlace>) {
    this.#place = place
    this.#summaries = this.#batcher(({ link }, runs) => readSummaries(link, runs))
    this.#beginnings = this.#batcher(({ link }, asks) => readBeginnings(link, asks), FIRST_PAGE_BYTES)
    this.#signals = this.#batcher((where, runs) => readSignals(where, runs))
  }

  summary(run: string): Promise<RunSummary | undefined> {
    return this.#summaries.ask(run)
  }

  beginning(run: string, fromSeq: number): Promise<Beginning> {
    return this.#beginnings.ask({ run, fromSeq })
  }

  signals(run: string): Promise<readonly Signal[]> {
    return this.#signals.ask(run)
  }

  /** Resolves when nothing is in progress. */
  async rest(): Promise<void> {
    await Promise.all([this.#summaries, this.#beginnings, this.#signals].map((one) => one.rest()))
  }

  #batcher<Ask, Answer>(
    read: (place: AppendPlace, asks: readonly Ask[]) => Promise<Answer[]>,
    size = 0,
  ): Batcher<Ask, Answer> {
    return new Batcher({
      execute: async (asks) => {
        const place = await this.#place()
        try {
          return (await read(place, asks)).map((value): Settled<Answer> => ({ value }))
        } catch (error) {
          // A request that the server refuses, such as an id that no run can have, must not fail the others of its batch.
          if (!isRequestFault(error)) throw error
          return Promise.all(asks.map((ask) => settle(read(place, [ask]).then(([answer]) => answer!))))
        }
      },
      sizeOf: () => size,
      lanes: LANES,
    })
  }
}
