import { RunFold } from '../../../src/journal/run-fold.ts'
import type { Entry, IntactEntry } from '../../../src/journal/entry.ts'
import { isEnded } from '../../../src/journal/summary.ts'
import { ApiError, get, runPath } from '../api/client.ts'
import { TimelineRows } from './timeline-rows.ts'

/** An entry as the outline of a run gives it: what is large in it is cut to a preview. */
export type LightEntry = Pick<Entry, 'seq' | 'at' | 'type' | 'key'> & { readonly data: Entry['data'] }

interface Outline {
  readonly entries: readonly LightEntry[]
  /** How many entries the run has. */
  readonly head: number
  /** Where reading stopped for a damage of the journal, and what it is. */
  readonly damage?: { readonly seq: number; readonly message: string }
}

const PAGE = 2_000

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
  damage: Outline['damage']
  error: unknown
  connection: 'connecting' | 'live' | 'lost' | 'over' = 'connecting'
  #version = 0
  #isTold = false
  #stream: EventSource | undefined
  #isLoading = false
  readonly #listeners = new Set<() => void>()

  constructor(runId: string) {
    this.runId = runId
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) void this.#open()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#close()
    }
  }

  readonly version = (): number => this.#version

  at(seq: number): LightEntry | undefined {
    return this.entries[seq - 1]
  }

  async #open(): Promise<void> {
    await this.#load()
    if (this.#listeners.size > 0 && this.error === undefined && this.damage === undefined) this.#follow()
  }

  async #load(): Promise<void> {
    if (this.#isLoading) return
    this.#isLoading = true
    try {
      for (;;) {
        const from = this.entries.length + 1
        const { entries, head, damage } = await get<Outline>(runPath(this.runId, '/outline'), { from, limit: PAGE })
        this.head = head
        this.damage = damage
        for (const entry of entries) this.#take(entry)
        this.#tell()
        if (entries.length === 0 || this.entries.length >= head || damage !== undefined) break
      }
      this.error = undefined
    } catch (error) {
      this.error = error
    } finally {
      this.#isLoading = false
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
      if (this.#listeners.size > 0 && this.#stream === undefined) this.#follow()
    }, 1_000)
  }

  #heard(event: Heard): void {
    if (event.type === 'text-delta') {
      const key = event.key ?? ''
      this.texts.set(key, (this.texts.get(key) ?? '') + (event.data?.text ?? ''))
      return this.#tell()
    }
    if (event.seq === undefined || event.seq <= this.entries.length) return
    // Entries come in full; one that is not the next means that some were missed.
    if (event.seq === this.entries.length + 1) {
      this.#take(event as unknown as LightEntry)
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

  /** Once a frame, however much comes. */
  #tell(): void {
    if (this.#isTold) return
    this.#isTold = true
    requestAnimationFrame(() => {
      this.#isTold = false
      this.#version += 1
      for (const listener of this.#listeners) listener()
    })
  }

  #close(): void {
    this.#stream?.close()
    this.#stream = undefined
  }
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
