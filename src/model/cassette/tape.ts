import { type Json, MandateError, parseJson, isRecord } from '../../core/index.ts'
import { layout } from './layout.ts'
import { type Question, type Recording, titleOf } from './recorder.ts'

const FORMAT = 'mandate-cassette'
/** The version of this build; others are refused. */
const VERSION = 1

/** The recordings of one cassette, each played at most once. */
export class Tape {
  readonly #recordings: Recording[]
  readonly #played = new Set<Recording>()
  readonly #asked = new Map<string, number>()

  constructor(recordings: readonly Recording[] = []) {
    this.#recordings = [...recordings]
  }

  get recordings(): readonly Recording[] {
    return this.#recordings
  }

  /** Counts a call and returns its number among those of its key, from 1. */
  count({ key }: Question): number {
    const occurrence = (this.#asked.get(key) ?? 0) + 1
    this.#asked.set(key, occurrence)
    return occurrence
  }

  add(recording: Recording): void {
    this.#recordings.push(recording)
  }

  /** The recording of this call, which is marked as played. */
  play(question: Question, occurrence: number): Recording | undefined {
    const found = this.#recordings.find((one) => one.key === question.key && one.occurrence === occurrence)
    if (found !== undefined) this.#played.add(found)
    return found
  }

  get played(): number {
    return this.#played.size
  }

  /** Recordings that were not played. */
  get unused(): readonly string[] {
    return this.#recordings.filter((one) => !this.#played.has(one)).map(titleOf)
  }

  /** The cassette as text. Its order does not depend on the order in which calls ended. */
  toText(): string {
    const recordings = this.#recordings.toSorted(byTitle).map((one) => one as unknown as Json)
    return `${layout({ format: FORMAT, version: VERSION, recordings })}\n`
  }
}

function byTitle(a: Recording, b: Recording): number {
  const [left, right] = [a, b].map(({ kind, name, key }) => `${kind} ${name} ${key}`) as [string, string]
  return left === right ? a.occurrence - b.occurrence : left < right ? -1 : 1
}

/** Parses a cassette, and throws if it cannot be read, rather than losing recordings of paid calls. */
export function readTape(text: string, name: string): Tape {
  const what = `The cassette "${name}"`
  const file = parseJson(text, what)
  if (!isRecord(file) || file['format'] !== FORMAT) {
    throw new MandateError(
      'CONFIG_INVALID',
      `${what} is no cassette: it lacks "format": "${FORMAT}". Name another file, or record it again.`,
    )
  }
  if (file['version'] !== VERSION) {
    throw new MandateError(
      'VERSION_UNSUPPORTED',
      `${what} has version ${JSON.stringify(file['version'])}, and this build reads version ${VERSION}. Record it again, or use the build that wrote it.`,
    )
  }
  const recordings = file['recordings']
  const bad = Array.isArray(recordings) ? recordings.findIndex((one: Json) => !isRecording(one)) : 0
  if (bad >= 0)
    throw new MandateError(
      'CONFIG_INVALID',
      `${what} is damaged at recordings[${bad}]. Restore it, or record it again.`,
    )
  return new Tape(recordings as unknown as readonly Recording[])
}

function isRecording(value: Json): boolean {
  if (!isRecord(value) || !isRecord(value['end'] ?? null) || !Array.isArray(value['events'])) return false
  const texts = [value['kind'], value['name'], value['key']]
  return (
    texts.every((text) => typeof text === 'string') && typeof value['occurrence'] === 'number' && 'request' in value
  )
}
