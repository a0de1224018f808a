import { afterTurn } from '../core/index.ts'

/** The result of one request in a batch. */
export type Settled<Answer> = { readonly value: Answer } | { readonly error: unknown }

interface BatcherParts<Ask, Answer> {
  /** Executes a batch; returns a result for each request, in their order. */
  readonly execute: (requests: readonly Ask[]) => Promise<readonly Settled<Answer>[]>
  /** Requests with the same key are never in the same batch, because the second depends on the effect of the first. Without it all may share one. */
  readonly keyOf?: ((ask: Ask) => string) | undefined
  /** The size of a request; a batch is limited by number and by size. */
  readonly sizeOf?: ((ask: Ask) => number) | undefined
  /** How many batches may be in progress at a time. */
  readonly lanes: number
}

const BATCH_MAX = 1_000
const SIZE_MAX = 8_000_000

interface Waiting<Ask, Answer> {
  readonly ask: Ask
  readonly key: string | undefined
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/** Batches concurrent requests: while one batch is in progress, the next one collects. */
export class Batcher<Ask, Answer> {
  readonly #options: BatcherParts<Ask, Answer>
  readonly #busyKeys = new Set<string | undefined>()
  #queue: Waiting<Ask, Answer>[] = []
  #inProgress = 0
  #isPlanned = false
  #batches = 0
  #requests = 0
  #onIdle: (() => void)[] = []

  constructor(options: BatcherParts<Ask, Answer>) {
    this.#options = options
  }

  /** The number of requests, and of the batches they shared. */
  get counts(): { readonly batches: number; readonly requests: number } {
    return { batches: this.#batches, requests: this.#requests }
  }

  ask(ask: Ask): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ ask, key: this.#options.keyOf?.(ask), resolve, reject })
      this.#plan()
    })
  }

  /** Resolves when nothing is in progress or waiting. */
  rest(): Promise<void> {
    if (this.#inProgress === 0 && this.#queue.length === 0) return Promise.resolve()
    return new Promise((resolve) => this.#onIdle.push(resolve))
  }

  #plan(): void {
    if (this.#isPlanned || this.#inProgress >= this.#options.lanes || this.#queue.length === 0) return
    this.#isPlanned = true
    afterTurn(() => {
      this.#isPlanned = false
      void this.#run()
    })
  }

  async #run(): Promise<void> {
    const batch = this.#nextBatch()
    if (batch.length === 0) return
    this.#inProgress += 1
    this.#batches += 1
    this.#requests += batch.length
    try {
      const answers = await this.#options.execute(batch.map(({ ask }) => ask))
      for (const [index, { resolve, reject }] of batch.entries()) {
        const answer = answers[index]!
        if ('error' in answer) reject(answer.error)
        else resolve(answer.value)
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    for (const { key } of batch) this.#busyKeys.delete(key)
    this.#inProgress -= 1
    this.#plan()
    if (this.#inProgress === 0 && this.#queue.length === 0) for (const resolve of this.#onIdle.splice(0)) resolve()
  }

  /** The next batch: as many waiting requests as may go together; the others keep their order. */
  #nextBatch(): Waiting<Ask, Answer>[] {
    const batch: Waiting<Ask, Answer>[] = []
    const left: Waiting<Ask, Answer>[] = []
    // A request that is left behind holds back later ones with the same key.
    const held = new Set<string | undefined>()
    let size = 0
    for (const waiting of this.#queue) {
      const isFree = waiting.key === undefined || (!this.#busyKeys.has(waiting.key) && !held.has(waiting.key))
      if (isFree && batch.length < BATCH_MAX && size < SIZE_MAX) {
        this.#busyKeys.add(waiting.key)
        size += this.#options.sizeOf?.(waiting.ask) ?? 0
        batch.push(waiting)
      } else {
        held.add(waiting.key)
        left.push(waiting)
      }
    }
    this.#queue = left
    return batch
  }
}

/** The result of a promise, as data. */
export async function settle<T>(attempt: Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await attempt }
  } catch (error) {
    return { error }
  }
}
