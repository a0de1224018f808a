/** A connection to some data, opened on first use. */
interface SharedLink<P> {
  ready(): Promise<P>
  readonly link: { close(): Promise<void> }
  /** The error of every call after `close`. */
  closed(): Error
}

/** One user's reference to a shared connection. Closing it affects only that user, unless it is the only one; calls in flight are waited for. */
export class ConnectionRef<P> {
  readonly #data: SharedLink<P>
  readonly #isAlone: boolean
  readonly #underWay = new Set<Promise<unknown>>()
  #isClosed = false

  constructor(data: SharedLink<P>, isAlone: boolean) {
    this.#data = data
    this.#isAlone = isAlone
  }

  async use<T>(work: (place: P) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw this.#data.closed()
    const working = this.#data.ready().then(work)
    this.#underWay.add(working)
    try {
      return await working
    } finally {
      this.#underWay.delete(working)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled(this.#underWay)
    if (this.#isAlone) await this.#data.link.close()
  }
}

/** A place that is prepared on first use. A failed preparation is retried by the next user. */
export class PreparedPlace<P> {
  readonly #prepare: () => Promise<P>
  #place: Promise<P> | undefined

  constructor(prepare: () => Promise<P>) {
    this.#prepare = prepare
  }

  ready(): Promise<P> {
    this.#place ??= this.#prepare().catch((error: unknown) => {
      this.forget()
      throw error
    })
    return this.#place
  }

  /** Makes the next user prepare it again. */
  forget(): void {
    this.#place = undefined
  }
}
