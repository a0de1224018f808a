import { type ErrorInfo, type Json, canonical, sha256, toPlain } from '../../core/index.ts'
import { type Hiding, hidingBy } from './hidden-secrets.ts'
import { missError } from './miss.ts'
import type { CassetteOptions, CassetteReport } from './options.ts'
import type { Question, RecordedEnd, RecordedEvent, RecordedKind, Recording } from './recorder.ts'
import { Tape, readTape } from './tape.ts'

/** A request, before redaction. */
export interface Asked {
  readonly kind: RecordedKind
  readonly name: string
  readonly request: Json
}

/** A recording in progress. */
interface Take {
  event(event: RecordedEvent): void
  end(end: RecordedEnd, streamed: boolean): Promise<void>
}

/** The tape and the mode, shared by models, tools and streams. */
export class Deck {
  readonly mode: CassetteOptions['mode']
  readonly #options: CassetteOptions
  readonly #name: string
  readonly #hiding: Hiding
  readonly #misses: string[] = []
  #tape: Promise<Tape> | undefined
  #isDirty = false
  #saving: Promise<void> | undefined

  constructor(options: CassetteOptions) {
    this.mode = options.mode
    this.#options = options
    this.#name = options.name ?? 'cassette'
    this.#hiding = hidingBy(options.redactor, options.secrets ?? {})
  }

  /** The recording of a call; throws if there is none. */
  async play(asked: Asked): Promise<Recording> {
    const tape = await this.#load()
    const question = this.#question(asked)
    const occurrence = tape.count(question)
    const found = tape.play(question, occurrence)
    if (found !== undefined) return found
    const fix = this.#options.rerecord ?? 'If the change is meant, run it again with the cassette in `record` mode.'
    const miss = missError(question, occurrence, tape.recordings, { cassette: this.#name, fix })
    this.#misses.push(miss.message)
    throw miss
  }

  /** Starts recording a call. */
  async take(asked: Asked): Promise<Take> {
    const tape = await this.#load()
    const question = this.#question(asked)
    const occurrence = tape.count(question)
    const events: RecordedEvent[] = []
    return {
      event: (event) => void events.push(event),
      end: (end, streamed) => {
        tape.add({ ...question, occurrence, streamed, events: this.#hiding.events(events), end: this.#hideEnd(end) })
        return this.#save()
      },
    }
  }

  async report(): Promise<CassetteReport> {
    const { mode } = this
    if (mode === 'live') return { mode, recorded: 0, played: 0, unused: [], misses: [] }
    const tape = await this.#load()
    if (mode === 'record') return { mode, recorded: tape.recordings.length, played: 0, unused: [], misses: [] }
    return { mode, recorded: 0, played: tape.played, unused: tape.unused, misses: this.#misses }
  }

  /** Writes the tape; calls during a write share the next one. */
  #save(): Promise<void> {
    this.#isDirty = true
    this.#saving ??= this.#write().finally(() => (this.#saving = undefined))
    return this.#saving
  }

  /** Waits for pending writes. A cassette without recordings is not written at all. */
  async written(): Promise<void> {
    await this.#saving
  }

  async #write(): Promise<void> {
    while (this.#isDirty) {
      this.#isDirty = false
      await this.#options.storage.write(this.#name, (await this.#load()).toText())
    }
  }

  /** Recording starts with an empty tape: requests that are no longer made must not stay. */
  #load(): Promise<Tape> {
    this.#tape ??= this.mode === 'record' ? Promise.resolve(new Tape()) : this.#read()
    return this.#tape
  }

  async #read(): Promise<Tape> {
    const text = await this.#options.storage.read(this.#name)
    return text === undefined ? new Tape() : readTape(text, this.#name)
  }

  #question({ kind, name, request }: Asked): Question {
    const counted = this.#options.matchOn === undefined ? request : this.#options.matchOn(request, name)
    const hidden = this.#hiding.json(toPlain(counted).value)
    return { kind, name, request: hidden, key: sha256(canonical([kind, name, hidden])) }
  }

  #hideEnd(end: RecordedEnd): RecordedEnd {
    if (end.status === 'failed') return { status: 'failed', error: this.#hideError(end.error) }
    return end.status === 'done' && end.value !== undefined ? { ...end, value: this.#hiding.json(end.value) } : end
  }

  #hideError({ code, message, info }: ErrorInfo): ErrorInfo {
    const text = this.#hiding.text(message)
    return info === undefined
      ? { code, message: text }
      : { code, message: text, info: this.#hiding.json(toPlain(info).value) }
  }
}
