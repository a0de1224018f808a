import { afterTurn } from '../core/index.ts'

/** What became of one of many that went together. */
export type Settled<Answer> = { readonly value: Answer } | { readonly error: unknown }

interface GatheringOptions<Ask, Answer> {
  /** Carries many at once; answers each, in their order. */
  readonly carry: (asks: readonly Ask[]) => Promise<readonly Settled<Answer>[]>
  /** Two with the same key never go together: the second has to see what the first did. */
  readonly keyOf: (ask: Ask) => string
  /** How large one is; a load ends at whichever comes first, its number or its size. */
  readonly sizeOf?: ((ask: Ask) => number) | undefined
  /** How many loads may be under way at a time. */
  readonly lanes: number
}

const MANY = 1_000
const LARGE = 8_000_000

interface Waiting<Ask, Answer> {
  readonly ask: Ask
  readonly key: string
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/** Lets what is asked at the same time go together: while one load is under way, the next one gathers. */
export class Gathering<Ask, Answer> {
  readonly #options: GatheringOptions<Ask, Answer>
  readonly #busyKeys = new Set<string>()
  #queue: Waiting<Ask, Answer>[] = []
  #underWay = 0
  #isPlanned = false
  #loads = 0
  #asks = 0
  #onRest: (() => void)[] = []

  constructor(options: GatheringOptions<Ask, Answer>) {
    this.#options = options
  }

  /** How many asks have shared how many loads. */
  get counts(): { readonly loads: number; readonly asks: number } {
    return { loads: this.#loads, asks: this.#asks }
  }

  ask(ask: Ask): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ ask, key: this.#options.keyOf(ask), resolve, reject })
      this.#plan()
    })
  }

  /** Resolves when nothing is under way or waiting. */
  rest(): Promise<void> {
    if (this.#underWay === 0 && this.#queue.length === 0) return Promise.resolve()
    return new Promise((resolve) => this.#onRest.push(resolve))
  }

  #plan(): void {
    if (this.#isPlanned || this.#underWay >= this.#options.lanes || this.#queue.length === 0) return
    this.#isPlanned = true
    afterTurn(() => {
      this.#isPlanned = false
      void this.#go()
    })
  }

  async #go(): Promise<void> {
    const load = this.#take()
    if (load.length === 0) return
    this.#underWay += 1
    this.#loads += 1
    this.#asks += load.length
    try {
      const answers = await this.#options.carry(load.map(({ ask }) => ask))
      for (const [index, { resolve, reject }] of load.entries()) {
        const answer = answers[index]!
        if ('error' in answer) reject(answer.error)
        else resolve(answer.value)
      }
    } catch (error) {
      for (const { reject } of load) reject(error)
    }
    for (const { key } of load) this.#busyKeys.delete(key)
    this.#underWay -= 1
    this.#plan()
    if (this.#underWay === 0 && this.#queue.length === 0) for (const resolve of this.#onRest.splice(0)) resolve()
  }

  /** As many of those that wait as may go together; the others keep their order. */
  #take(): Waiting<Ask, Answer>[] {
    const load: Waiting<Ask, Answer>[] = []
    const left: Waiting<Ask, Answer>[] = []
    // One that stays behind holds back those after it with the same key.
    const held = new Set<string>()
    let size = 0
    for (const waiting of this.#queue) {
      const isFree = !this.#busyKeys.has(waiting.key) && !held.has(waiting.key)
      if (isFree && load.length < MANY && size < LARGE) {
        this.#busyKeys.add(waiting.key)
        size += this.#options.sizeOf?.(waiting.ask) ?? 0
        load.push(waiting)
      } else {
        held.add(waiting.key)
        left.push(waiting)
      }
    }
    this.#queue = left
    return load
  }
}

/** What became of an attempt, as data. */
export async function settle<T>(attempt: Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await attempt }
  } catch (error) {
    return { error }
  }
}
