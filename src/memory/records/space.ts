import {
  type Clock,
  type Json,
  type Label,
  MandateError,
  canonical,
  systemClock,
  type FieldNames,
} from '../../core/index.ts'
import type { CollectionSize, DatabaseQueryOptions, TrimLimits, Trimmed, WriteOptions } from '../clients.ts'
import { fromText, jsonText } from '../json-text.ts'
import { type Condition, meets } from '../query.ts'
import { textOf, wordList } from '../words.ts'
import type { RecordPort, RecordSealer, StoredRow } from './port.ts'
import { opened, sealed } from './record-cipher.ts'
import { unitVector } from './vector.ts'

/** Options shared by memory and database over a port. */
export interface RecordOptions {
  readonly clock?: Clock | undefined
  /** Separates clients of a store: rows of other namespaces are not visible. */
  readonly namespace?: string | undefined
  /** Labels of everything in it: `untrusted:unknown` for a store that others write. */
  readonly labels?: readonly Label[] | undefined
  /** Encrypts values and, unless they are `searchable`, their words and vectors. */
  readonly sealer?: RecordSealer | undefined
  /** Keeps words and vectors plain beside encrypted values, so that the store can index them. Without it, a search decrypts every record. */
  readonly searchable?: boolean | undefined
  /** The maximum number of records in all collections; unlimited by default. The oldest are removed. */
  readonly maxCount?: number | undefined
  /** The maximum size of all stored records in characters; unlimited by default. The oldest are removed. */
  readonly maxBytes?: number | undefined
}

export const RECORD_OPTIONS: FieldNames<RecordOptions> = {
  clock: 'object',
  namespace: 'text',
  labels: 'texts',
  sealer: 'object',
  searchable: 'flag',
  maxCount: true,
  maxBytes: true,
}

/** A value to be stored. */
interface Draft extends WriteOptions {
  readonly key: string
  readonly value: Json
  /** Whether searches find the key too. */
  readonly isKeyFound: boolean
}

/** A row with its decrypted value. */
export interface OpenRow {
  readonly collection: string
  readonly key: string
  readonly value: Json
  readonly vector?: Float32Array | undefined
}

/** One namespace of a port: copies, expiry, encryption and limits, the same for all stores. */
export class RecordSpace {
  readonly port: RecordPort
  readonly name: string
  readonly clock: Clock
  /** Whether the port gets words and vectors. */
  readonly isIndexed: boolean
  readonly #sealer: RecordSealer | undefined
  readonly #maxCount: number | undefined
  readonly #maxBytes: number | undefined
  readonly #writing = new Set<Promise<unknown>>()

  constructor(port: RecordPort, kind: string, options: RecordOptions) {
    this.port = port
    this.name = `${kind}:${options.namespace ?? ''}`
    this.clock = options.clock ?? systemClock
    this.isIndexed = options.sealer === undefined || options.searchable === true
    this.#sealer = options.sealer
    this.#maxCount = limitOf(options.maxCount, 'maxCount')
    this.#maxBytes = limitOf(options.maxBytes, 'maxBytes')
  }

  put(collection: string, drafts: readonly Draft[]): Promise<void> {
    return this.#track(this.#put(collection, drafts))
  }

  /** Compare and set: stores the draft if the current value is the expected one, with null for none. Returns false otherwise. */
  putIf(collection: string, draft: Draft, expected: Json): Promise<boolean> {
    return this.#track(this.#putIf(collection, draft, expected))
  }

  /** Waits for pending writes, which may be encrypting. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#writing)
    await this.port.close()
  }

  async #put(collection: string, drafts: readonly Draft[]): Promise<void> {
    const rows: StoredRow[] = []
    for (const draft of drafts) rows.push(await this.#row(text(collection, 'collection'), draft))
    if (rows.length === 0) return
    await this.port.put(this.name, rows)
    await this.#limit()
  }

  async #putIf(collection: string, draft: Draft, expected: Json): Promise<boolean> {
    const row = await this.#row(text(collection, 'collection'), draft)
    for (;;) {
      const found = await this.port.get(this.name, row.collection, row.key)
      const before = found !== undefined && this.#isLive(found) ? found : undefined
      const value = before === undefined ? null : (await this.open(before)).value
      if (canonical(value) !== canonical(expected)) return false
      // Otherwise there was a concurrent write, and the current value is read again.
      if (await this.port.putIf(this.name, row, before?.text)) break
    }
    await this.#limit()
    return true
  }

  async #limit(): Promise<void> {
    const { maxCount, maxBytes } = { maxCount: this.#maxCount, maxBytes: this.#maxBytes }
    if (maxCount !== undefined || maxBytes !== undefined)
      await this.port.trim(this.name, { now: this.clock.now(), maxCount, maxBytes })
  }

  async #track<T>(writing: Promise<T>): Promise<T> {
    this.#writing.add(writing)
    try {
      return await writing
    } finally {
      this.#writing.delete(writing)
    }
  }

  async get(collection: string, key: string): Promise<OpenRow | undefined> {
    const row = await this.port.get(this.name, text(collection, 'collection'), text(key, 'key'))
    return row === undefined || !this.#isLive(row) ? undefined : this.open(row)
  }

  /** The matching rows, oldest first. */
  async *rows(
    conditions: readonly Condition[],
    filter: { readonly collection?: string | undefined; readonly newest?: number | undefined } = {},
  ): AsyncGenerator<OpenRow> {
    const hint = this.#sealer === undefined && conditions.length > 0 ? conditions : undefined
    /** A row that is rewritten during the scan is returned again, as the newest. */
    const seen = new Set<string>()
    for await (const page of this.port.scan(this.name, { ...filter, now: this.clock.now(), conditions: hint })) {
      for (const row of page) {
        const place = JSON.stringify([row.collection, row.key])
        if (!this.#isLive(row) || seen.has(place)) continue
        seen.add(place)
        const open = await this.open(row)
        if (meets(open.value, conditions)) yield open
      }
    }
  }

  /** The store's own answer; `undefined` if it has no queries, or cannot read values. */
  async query(
    collection: string,
    conditions: readonly Condition[],
    { limit, offset, orderBy, descending }: DatabaseQueryOptions,
  ): Promise<readonly OpenRow[] | undefined> {
    if (this.port.query === undefined || this.#sealer !== undefined) return undefined
    const asked = { collection: text(collection, 'collection'), conditions, limit, offset, orderBy, descending }
    const rows = await this.port.query(this.name, { ...asked, now: this.clock.now() })
    return Promise.all(rows.map((row) => this.open(row)))
  }

  async open(row: StoredRow): Promise<OpenRow> {
    const { collection, key } = row
    const { text: json, vector = row.vector } =
      this.#sealer === undefined ? row : await opened(this.#sealer, this.name, row)
    return { collection, key, value: fromText(json), vector }
  }

  delete(collection: string, key: string): Promise<boolean> {
    return this.port.delete(this.name, text(collection, 'collection'), text(key, 'key'), this.clock.now())
  }

  clear(collection: string): Promise<number> {
    return this.port.clear(this.name, text(collection, 'collection'))
  }

  collections(): Promise<readonly CollectionSize[]> {
    return this.port.collections(this.name)
  }

  trim({ collection, olderThanMs, maxCount, maxBytes }: TrimLimits = {}): Promise<Trimmed> {
    for (const [name, value] of Object.entries({ olderThanMs, maxCount, maxBytes }))
      if (value !== undefined && !(value >= 0))
        throw new MandateError('CONFIG_INVALID', `\`${name}\` is ${String(value)}. Give a number from 0 up.`)
    const now = this.clock.now()
    const before = olderThanMs === undefined ? undefined : now - olderThanMs
    return this.port.trim(this.name, { now, collection, before, maxCount, maxBytes, isThorough: true })
  }

  async #row(collection: string, draft: Draft): Promise<StoredRow> {
    const { value, ttlMs, isKeyFound } = draft
    const key = text(draft.key, 'key')
    const json = jsonText(value, `The value for "${collection}/${key}"`)
    if (this.#maxBytes !== undefined && json.length > this.#maxBytes) throw tooLarge(json.length, this.#maxBytes)
    const at = this.clock.now()
    const vector = draft.vector === undefined ? undefined : unitVector(draft.vector)
    const base = { collection, key, text: json, at, ...expiry(at, ttlMs) }
    const found = this.isIndexed && this.port.matchWords !== undefined
    const words = found ? wordList(isKeyFound ? `${key} ${textOf(value)}` : textOf(value)).join(' ') : undefined
    const row: StoredRow = {
      ...base,
      ...(words === undefined ? {} : { words }),
      ...(vector === undefined ? {} : { vector }),
    }
    return this.#sealer === undefined ? row : sealed(this.#sealer, this.name, row, this.isIndexed)
  }

  #isLive({ expiresAt }: StoredRow): boolean {
    return expiresAt === undefined || expiresAt > this.clock.now()
  }
}

function expiry(at: number, ttlMs: number | undefined): { expiresAt?: number } {
  if (ttlMs === undefined) return {}
  if (typeof ttlMs === 'number' && Number.isFinite(ttlMs) && ttlMs > 0) return { expiresAt: at + ttlMs }
  throw new MandateError('INPUT_INVALID', `\`ttlMs\` is ${String(ttlMs)}. Give a number above 0, or leave it out.`)
}

function text(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  throw new MandateError('INPUT_INVALID', `The ${name} must be a text.`)
}

function tooLarge(length: number, max: number): MandateError {
  return new MandateError(
    'LIMIT_EXCEEDED',
    `A value of ${length} characters does not fit into a store of ${max}. Store less, or raise \`maxBytes\`.`,
  )
}

function limitOf(given: number | undefined, name: string): number | undefined {
  if (given === undefined || given === Infinity || (Number.isSafeInteger(given) && given >= 1)) return given
  throw new MandateError(
    'CONFIG_INVALID',
    `\`${name}\` is ${String(given)}. Give a whole number from 1 up, or leave it out.`,
  )
}
