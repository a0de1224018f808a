import { Seals } from '../../redact/index.ts'

/** The data of a vault note: the run for which it was sealed, and each token with its sealed value. */
export interface SealedNote {
  readonly of: string
  readonly sealed: readonly (readonly [token: string, sealed: string])[]
}

interface Sealed {
  readonly of: string
  readonly text: string
}

/** The values of one run: those that this process has processed, and those that are sealed in its journal. */
export class SealedValues {
  readonly #key: Uint8Array | undefined
  readonly #run: string
  readonly #scope: string
  readonly #seals = new Map<string, Seals>()
  readonly #sealed = new Map<string, Sealed[]>()
  readonly #values = new Map<string, string>()
  readonly #fresh = new Set<string>()
  #sealing: Promise<unknown> = Promise.resolve()
  /** Called once with every value, as soon as it is known. */
  onValue: (token: string, value: string) => void = () => {}

  constructor(key: Uint8Array | undefined, run: string, scope: string) {
    this.#key = key
    this.#run = run
    this.#scope = scope
  }

  /**
   * Fetches the key and opens what is sealed. Called before tokens are created, which is synchronous, and because known values must be recognized in
   * texts.
   */
  async unlock(): Promise<void> {
    await this.#sealsOf(this.#run)
    for (const token of this.#sealed.keys()) await this.valueOf(token)
  }

  /** Every value that is known so far. */
  get opened(): ReadonlyMap<string, string> {
    return this.#values
  }

  get isLocked(): boolean {
    return !this.#seals.has(this.#run)
  }

  /** Adds the values of a note. Returns false if the note is malformed. */
  add(note: SealedNote): boolean {
    const { of, sealed } = (note ?? {}) as Partial<SealedNote>
    if (typeof of !== 'string' || !Array.isArray(sealed)) return false
    for (const item of sealed as unknown[]) {
      const [token, text] = Array.isArray(item) ? (item as unknown[]) : []
      if (typeof token !== 'string' || typeof text !== 'string') continue
      this.#fresh.delete(token)
      const known = this.#sealed.get(token)
      if (known === undefined) this.#sealed.set(token, [{ of, text }])
      else known.push({ of, text })
    }
    return true
  }

  /** The token of a value, creating it if needed. */
  token(kind: string, value: string): string {
    const token = `[${kind}#${this.#seals.get(this.#run)!.tag(this.#scope, value)}]`
    if (!this.#values.has(token)) {
      this.#values.set(token, value)
      if (!this.#sealed.has(token)) this.#fresh.add(token)
      this.onValue(token, value)
    }
    return token
  }

  /**
   * Seals the values that are in no note yet; `undefined` if there are none. Serialized, because a caller that finds nothing new must not overtake
   * the entry that holds the value.
   */
  seal(): Promise<SealedNote | undefined> {
    const sealed = this.#sealing.then(() => this.#seal())
    this.#sealing = sealed.catch(() => {})
    return sealed
  }

  async #seal(): Promise<SealedNote | undefined> {
    if (this.#fresh.size === 0) return undefined
    const tokens = [...this.#fresh]
    this.#fresh.clear()
    const seals = await this.#sealsOf(this.#run)
    const sealed = await Promise.all(
      tokens.map(async (token) => [token, await seals!.seal(placeOf(token), this.#values.get(token)!)] as const),
    )
    return { of: this.#run, sealed }
  }

  async valueOf(token: string): Promise<string | undefined> {
    const known = this.#values.get(token)
    if (known !== undefined) return known
    for (const { of, text } of this.#sealed.get(token) ?? []) {
      const value = await (await this.#sealsOf(of))?.open(placeOf(token), text)
      if (value === undefined) continue
      this.#values.set(token, value)
      return value
    }
    return undefined
  }

  async #sealsOf(run: string): Promise<Seals | undefined> {
    if (this.#key === undefined) return undefined
    const known = this.#seals.get(run)
    if (known !== undefined) return known
    const seals = await Seals.for(this.#key, run)
    this.#seals.set(run, seals)
    return seals
  }
}

function placeOf(token: string): string {
  return `mandate/vault/${token}`
}
