import { RunFold } from '../../../src/journal/run-fold.ts'
import type { Entry, IntactEntry } from '../../../src/journal/entry.ts'
import type { ApprovalResponseData, RunState } from '../../../src/journal/entry-data.ts'
import { isEnded } from '../../../src/journal/summary.ts'
import { lightEntry, outlinePath } from '../../../src/server/studio/light-entry.ts'
import { childId } from '../../../src/run/nested/child-id.ts'
import { get, isOutage, runPath } from '../api/client.ts'
import { hasLost, isOpen, onBack } from '../api/connection.ts'
import { PLACE } from '../api/place.ts'
import { whileSeen } from '../api/while-seen.ts'
import { TimelineRows } from './timeline-rows.ts'

/** An entry in the outline of a run, with large values cut to a preview. */
export type LightEntry = Pick<Entry, 'seq' | 'at' | 'type' | 'key'> & { readonly data: Entry['data'] }

/** An answer of a person, or of the kernel where the time was over. Its edit may be a preview. */
export interface RecordedAnswer {
  readonly seq: number
  readonly at: number
  readonly data: ApprovalResponseData
}

interface Outline {
  readonly entries: readonly LightEntry[]
  /** The state of the run according to the store. */
  readonly state: RunState
  /** The number of entries of the run. */
  readonly head: number
  /** The position and the description of journal damage, if reading stopped at one. */
  readonly damage?: { readonly seq: number; readonly message: string }
}

const PAGE = 2_000
/** Number of entries loaded at first; the rest of a longer run is loaded on demand. */
const LOADED_AT_ONCE = 20_000
/** Minimum intervals between redraws: for new entries, and for streamed text, which users read as it arrives. */
const ENTRIES_EVERY_MS = 100
const WORDS_EVERY_MS = 50

/**
 * The entries of one run in this page, folded by the same code as in the runtime. They are loaded page by page and then followed by a stream. Entries missing
 * from the stream are loaded again, so there are neither gaps nor duplicates.
 */
export class RunStore {
  readonly runId: string
  readonly entries: LightEntry[] = []
  readonly fold: RunFold = new RunFold()
  readonly rows: TimelineRows = new TimelineRows()
  /** The recorded answers to requests of the run, oldest first. */
  readonly answers: RecordedAnswer[] = []
  /** The text that models are streaming, by call key. */
  readonly texts: Map<string, string> = new Map()
  head = 0
  isLoaded = false
  /** The state of the run according to the store. The fold of a partly loaded run has an older state. */
  storedState: RunState = 'running'
  damage: Outline['damage']
  error: unknown
  connection: 'connecting' | 'live' | 'lost' | 'over' = 'connecting'
  #version = 0
  #toldAt = Number.NEGATIVE_INFINITY
  #telling: number | undefined
  #stream: EventSource | undefined
  #loading: Promise<void> | undefined
  #followers = 0
  #unfollow: () => void = () => {}
  #isFollowed = false
  /** The last entry that the page was notified of. */
  #told = 0
  #wanted = LOADED_AT_ONCE
  /** The child runs that are followed, by call key. */
  readonly #children = new Map<string, { readonly store: RunStore; readonly leave: () => void }>()
  readonly #listeners = new Set<() => void>()

  constructor(runId: string) {
    this.runId = runId
  }

  /** Keeps the run up to date with a stream of its own while the tab is visible. */
  readonly subscribe = (listener: () => void): (() => void) => {
    const leave = this.attend(listener)
    this.#followers += 1
    if (this.#followers === 1) this.#unfollow = whileSeen(() => this.#beginFollowing())
    return () => {
      this.#followers -= 1
      if (this.#followers === 0) this.#unfollow()
      leave()
    }
  }

  /** Keeps the run up to date with the event stream of all runs, because many runs may be open at once and browsers allow few connections. */
  attend(listener: () => void): () => void {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) void this.#load()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#leave()
    }
  }

  #beginFollowing(): () => void {
    this.#isFollowed = true
    void this.#open()
    const leave = onBack(() => void this.#open())
    return () => {
      leave()
      this.#isFollowed = false
      this.#close()
    }
  }

  /** Handles a notification that the run has `seq` entries; without a number, that some entries may have been missed. */
  hasHeardOf(seq?: number): void {
    const isBehind = seq === undefined ? !isEnded(this.fold.state) : seq > this.head
    if (this.#listeners.size === 0 || this.#stream !== undefined || !isBehind) return
    this.#told = Math.max(this.#told, seq ?? 0)
    void this.#load()
  }

  readonly version = (): number => this.#version

  get isWatched(): boolean {
    return this.#listeners.size > 0
  }

  /** The number of the last entry that can be shown: nothing behind a damage is believed. */
  get last(): number {
    return this.damage === undefined ? Math.max(this.head, this.entries.length) : this.entries.length
  }

  at(seq: number): LightEntry | undefined {
    return this.entries[seq - 1]
  }

  /** Whether some entries of the run are not loaded yet, including those being loaded. */
  get isPartial(): boolean {
    return this.isLoaded && this.entries.length < this.head && this.damage === undefined && this.error === undefined
  }

  /** Whether there are entries that are neither loaded nor being loaded. */
  get isMore(): boolean {
    return this.isPartial && this.#loading === undefined
  }

  get state(): RunState {
    return this.isPartial ? this.storedState : this.fold.state
  }

  /** Loads the entries up to this one, and some more. */
  want(seq: number): void {
    if (seq <= this.#wanted && !(seq > this.entries.length)) return
    this.#wanted = Math.max(this.#wanted, seq + PAGE)
    void this.#open()
  }

  /** Returns the store of a child run, which is kept up to date together with this run. */
  child(key: string): RunStore {
    const known = this.#children.get(key)
    if (known !== undefined) return known.store
    const store = runStore(childId(this.runId, key))
    this.#children.set(key, { store, leave: store.attend(() => this.#tell()) })
    return store
  }

  async #open(): Promise<void> {
    await this.#load()
    const isFollowable = this.error === undefined && this.damage === undefined && !this.isPartial
    if (isOutage(this.error)) {
      this.#set('lost')
      hasLost()
    } else if (this.#isFollowed && isFollowable && this.#stream === undefined) this.#follow()
  }

  #load(): Promise<void> {
    this.#loading ??= this.#loadPages().finally(() => (this.#loading = undefined))
    return this.#loading
  }

  async #loadPages(): Promise<void> {
    try {
      for (;;) {
        const from = this.entries.length + 1
        const place = encodeURIComponent(this.runId)
        const page = await get<Outline>(from === 1 ? outlinePath(place) : outlinePath(place, from, PAGE))
        this.head = page.head
        this.damage = page.damage
        this.storedState = page.state
        for (const entry of page.entries) this.#take(entry)
        this.isLoaded = true
        this.#tell()
        const isUpToDate = this.entries.length >= Math.max(page.head, this.#told)
        const isAll = page.entries.length === 0 || isUpToDate || page.damage !== undefined
        if (isAll || this.entries.length >= this.#wanted) break
        if (from === 1) await painted()
      }
      this.error = undefined
    } catch (error) {
      this.error = error
    } finally {
      this.isLoaded = true
      this.#tell()
    }
  }

  #follow(): void {
    if (isEnded(this.fold.state)) return this.#set('over')
    const stream = new EventSource(`${PLACE}${runPath(this.runId, `/events?after=${this.entries.length}`)}`)
    this.#stream = stream
    stream.addEventListener('open', () => {
      this.#set('live')
      isOpen()
    })
    // The stream is opened anew from the entry that came last, once the server answers.
    stream.addEventListener('error', () => {
      this.#close()
      this.#set('lost')
      hasLost()
    })
    stream.addEventListener('message', ({ data }) => this.#heard(JSON.parse(String(data)) as Heard))
  }

  #heard(event: Heard): void {
    if (event.type === 'text-delta') {
      const key = event.key ?? ''
      this.texts.set(key, (this.texts.get(key) ?? '') + (event.data?.text ?? ''))
      return this.#tell(WORDS_EVERY_MS)
    }
    if (event.seq === undefined || event.seq <= this.entries.length) return
    // Entries of the stream are complete. If one is not the next, entries were missed.
    if (event.seq === this.entries.length + 1) {
      this.#take(lightEntry(event as unknown as Entry) as unknown as LightEntry)
      this.head = Math.max(this.head, event.seq)
      this.#tell()
      if (isEnded(this.fold.state)) {
        this.connection = 'over'
        this.#close()
      }
    } else void this.#load()
  }

  #take(light: LightEntry): void {
    if (light.seq !== this.entries.length + 1) return
    this.entries.push(light)
    if (light.data === null) return
    const entry = foldable(light, this.runId)
    this.fold.apply(entry)
    this.rows.apply(entry)
    if (entry.type === 'approval-response') this.answers.push({ seq: entry.seq, at: entry.at, data: entry.data })
    if (light.type === 'effect-end' && light.key !== undefined) this.texts.delete(light.key)
  }

  #set(connection: RunStore['connection']): void {
    this.connection = connection
    this.#tell()
  }

  /** Notifies listeners: at once if the last notification is long enough ago, otherwise throttled, because each notification redraws the page. */
  #tell(everyMs: number = ENTRIES_EVERY_MS): void {
    if (this.#telling !== undefined) return
    this.#telling = window.setTimeout(
      () => {
        this.#telling = undefined
        this.#toldAt = performance.now()
        this.#version += 1
        this.rows.settle()
        for (const listener of this.#listeners) listener()
      },
      Math.max(0, this.#toldAt + everyMs - performance.now()),
    )
  }

  #close(): void {
    this.#stream?.close()
    this.#stream = undefined
  }

  #leave(): void {
    this.#close()
    for (const { leave } of this.#children.values()) leave()
    this.#children.clear()
  }
}

const KEPT = 12
const stores = new Map<string, RunStore>()

/** Returns the store of a run. All parts of the page share it, and it is kept for a while after they leave. */
export function runStore(runId: string): RunStore {
  const store = stores.get(runId) ?? new RunStore(runId)
  stores.delete(runId)
  stores.set(runId, store)
  for (const [id, { isWatched }] of stores) if (stores.size > KEPT && !isWatched) stores.delete(id)
  return store
}

/** Passes a notification of the stream of all runs to the store of the run. */
export function hasComeIn(runId: string, seq: number): void {
  stores.get(runId)?.hasHeardOf(seq)
}

/** Notifies the stores of runs that notifications may have been missed. */
export function mayHaveMissed(): void {
  for (const store of stores.values()) store.hasHeardOf()
}

const PAINTED_MS = 200

/** Resolves when the notified change is painted. A background page paints nothing, so there is a timeout. */
function painted(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()))
    setTimeout(resolve, PAINTED_MS)
  })
}

interface Heard {
  readonly type: string
  readonly seq?: number
  readonly key?: string
  readonly data?: { readonly text?: string }
}

/** Converts an entry to the form that folds of the runtime take. The hashes are empty: the server checks them, and no fold reads them. */
export function foldable(light: LightEntry, run: string): IntactEntry {
  return { ...light, v: 1, run, salt: '', dataHash: '', prev: '', hash: '' } as unknown as IntactEntry
}
