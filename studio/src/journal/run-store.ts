import { RunFold } from '../../../src/journal/run-fold.ts'
import type { Entry, IntactEntry } from '../../../src/journal/entry.ts'
import type { RunState } from '../../../src/journal/entry-data.ts'
import { isEnded } from '../../../src/journal/summary.ts'
import { lightEntry, outlinePath } from '../../../src/server/studio/light-entry.ts'
import { childId } from '../../../src/run/nested/child-id.ts'
import { ApiError, get, runPath } from '../api/client.ts'
import { whileSeen } from '../api/while-seen.ts'
import { TimelineRows } from './timeline-rows.ts'

/** An entry as the outline of a run gives it: what is large in it is cut to a preview. */
export type LightEntry = Pick<Entry, 'seq' | 'at' | 'type' | 'key'> & { readonly data: Entry['data'] }

interface Outline {
  readonly entries: readonly LightEntry[]
  /** How the run stands, as the store says it. */
  readonly state: RunState
  /** How many entries the run has. */
  readonly head: number
  /** Where reading stopped for a damage of the journal, and what it is. */
  readonly damage?: { readonly seq: number; readonly message: string }
}

const PAGE = 2_000
/** Of longer runs the rest is loaded when somebody goes there. */
const LOADED_AT_ONCE = 20_000
/** So often at most the page is drawn again for new entries, and for words of a model: those are read as they come. */
const ENTRIES_EVERY_MS = 100
const WORDS_EVERY_MS = 50

/**
 * The entries of one run in this page, with the same fold over them as the runtime has. They are loaded page by page, then followed; a gap in what
 * comes is loaded again, so nothing is missing or there twice.
 */
export class RunStore {
  readonly runId: string
  readonly entries: LightEntry[] = []
  readonly fold: RunFold = new RunFold()
  readonly rows: TimelineRows = new TimelineRows()
  /** What models are saying right now, by the key of the call. */
  readonly texts: Map<string, string> = new Map()
  head = 0
  isLoaded = false
  /** How the run stands by the store: the fold of a run that is loaded in part says how it stood then. */
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
  /** The last entry that the page was told of. */
  #told = 0
  #wanted = LOADED_AT_ONCE
  /** The runs of its calls that are looked at, by the keys of the calls. */
  readonly #children = new Map<string, { readonly store: RunStore; readonly leave: () => void }>()
  readonly #listeners = new Set<() => void>()

  constructor(runId: string) {
    this.runId = runId
  }

  /** Keeps the run up by a stream of its own while the tab is looked at. */
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

  /** Keeps the run up by what the page is told of all runs: many may be open at once, and browsers have few connections. */
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
    return () => {
      this.#isFollowed = false
      this.#close()
    }
  }

  /** The page was told that the run has this many entries; without a number, that it may have missed some. */
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

  at(seq: number): LightEntry | undefined {
    return this.entries[seq - 1]
  }

  /** Whether entries of the run are not here, whether they are on their way or not. */
  get isPartial(): boolean {
    return this.isLoaded && this.entries.length < this.head && this.damage === undefined && this.error === undefined
  }

  /** Whether entries are left that nobody has asked for yet. */
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

  /** The run of a call of this run, kept up together with it. */
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
    if (this.#isFollowed && isFollowable && this.#stream === undefined) this.#follow()
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
    if (isEnded(this.fold.state)) {
      this.connection = 'over'
      return
    }
    const stream = new EventSource(runPath(this.runId, `/events?after=${this.entries.length}`))
    this.#stream = stream
    stream.addEventListener('open', () => this.#set('live'))
    stream.addEventListener('error', () => {
      this.#set('lost')
      if (stream.readyState === EventSource.CLOSED) void this.#comeBack()
    })
    stream.addEventListener('message', ({ data }) => this.#heard(JSON.parse(String(data)) as Heard))
  }

  /** The server ended the stream, or refused it: what is new is loaded, and followed again while the run goes on. */
  async #comeBack(): Promise<void> {
    this.#close()
    await this.#load()
    if (this.error instanceof ApiError && this.error.status !== 0) return
    setTimeout(() => {
      if (this.#isFollowed && this.#stream === undefined) this.#follow()
    }, 1_000)
  }

  #heard(event: Heard): void {
    if (event.type === 'text-delta') {
      const key = event.key ?? ''
      this.texts.set(key, (this.texts.get(key) ?? '') + (event.data?.text ?? ''))
      return this.#tell(WORDS_EVERY_MS)
    }
    if (event.seq === undefined || event.seq <= this.entries.length) return
    // Entries come in full; one that is not the next means that some were missed.
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
    if (light.type === 'effect-end' && light.key !== undefined) this.texts.delete(light.key)
  }

  #set(connection: RunStore['connection']): void {
    this.connection = connection
    this.#tell()
  }

  /** At once where nothing was told lately, otherwise so often, however much comes: nobody reads faster, and every time the page is drawn. */
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

/** The one store of a run: all parts of the page share it, and who comes back finds it as it was. */
export function runStore(runId: string): RunStore {
  const store = stores.get(runId) ?? new RunStore(runId)
  stores.delete(runId)
  stores.set(runId, store)
  for (const [id, { isWatched }] of stores) if (stores.size > KEPT && !isWatched) stores.delete(id)
  return store
}

/** Tells the stores of runs that are looked at what the page was told of all runs. */
export function hasComeIn(runId: string, seq: number): void {
  stores.get(runId)?.hasHeardOf(seq)
}

/** The page was not told of anything for a while. */
export function mayHaveMissed(): void {
  for (const store of stores.values()) store.hasHeardOf()
}

const PAINTED_MS = 200

/** When what was told is to be seen; a page in the background paints nothing, and waits no longer than a little. */
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

/** An entry as folds of the runtime take it. Its hashes are checked by the server, and no fold reads them. */
export function foldable(light: LightEntry, run: string): IntactEntry {
  return { ...light, v: 1, run, salt: '', dataHash: '', prev: '', hash: '' } as unknown as IntactEntry
}
