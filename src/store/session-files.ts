import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { canonical, checkId, errorInfo, jsonLine, checkNeeded } from '../core/index.ts'
import type { BusEvent, ErrorInfo, EventSink, FieldNames } from '../core/index.ts'
import type { MandateEvent } from '../journal/index.ts'
import { tail } from '../journal/index.ts'
import type { Journal } from '../journal/index.ts'
import { CheckpointFold, timeOf } from './checkpoint.ts'
import type { Checkpoint } from './checkpoint.ts'
import { eventView } from './event-view.ts'
import { LineFile, writeWhole } from './line-file.ts'

export interface SessionFilesOptions {
  /** The folder of the store; the files are in `sessions/<sessionId>` below it. */
  readonly dir: string
  /** With the journal, a checkpoint is written once its entry is stored, and contains its hash. */
  readonly journal?: Journal | undefined
  /** Writes payloads in full; by default files have only their sizes. */
  readonly includePayloads?: boolean | undefined
  /** Called with errors of writing. The run continues. */
  readonly onFault?: ((fault: ErrorInfo) => void) | undefined
}

const SESSION_FILES_OPTIONS: FieldNames<SessionFilesOptions> = {
  dir: 'text',
  journal: 'object',
  includePayloads: 'flag',
  onFault: 'function',
}

/** The folder of a session's files. Refuses an id that could leave the parent folder. */
export function sessionPath(dir: string, sessionId: string): string {
  return join(dir, 'sessions', checkId(sessionId, 'The session id'))
}

/**
 * Writes `events.jsonl` and a checkpoint per end or suspension of each session, as views of the journal for people and their tools. They are written
 * in the background: runs neither wait for them nor fail with them, and `rebuildSessionFiles` recreates them.
 *
 * @example
 * ```ts
 * import { openStore, sessionFiles } from 'mandate/sqlite'
 * const { journal } = await openStore({ dir: '.mandate' })
 * const sink = sessionFiles({ dir: '.mandate', journal }) // for the `sinks` of a service
 * ```
 */
export function sessionFiles(options: SessionFilesOptions): EventSink {
  checkNeeded(options, 'an option of `sessionFiles`', SESSION_FILES_OPTIONS)
  return new SessionFiles(options)
}

/** A run that has ended or suspended, from its events. */
interface Rest {
  readonly journal: Journal
  readonly event: MandateEvent
  readonly checkpoint: Checkpoint
  readonly isWhole: boolean
}

class SessionFiles implements EventSink {
  readonly name = 'session-files'
  readonly includePayloads: boolean
  readonly #options: SessionFilesOptions
  readonly #files = new Map<string, LineFile>()
  readonly #folds = new Map<string, CheckpointFold>()
  readonly #checkpoints = new Set<Promise<void>>()
  readonly #closing = new AbortController()

  constructor(options: SessionFilesOptions) {
    this.#options = options
    this.includePayloads = options.includePayloads === true
  }

  write(event: MandateEvent): void {
    // Deltas and progress are not entries, so the files could not be rebuilt with them. Events without a session have no file.
    if (event.seq === undefined || event.sessionId === '') return
    try {
      const folder = sessionPath(this.#options.dir, event.sessionId)
      this.#file(folder).add(eventLine(event))
      this.#checkpoint(folder, event)
    } catch (error) {
      this.#fault(error)
    }
  }

  /** Resolves when everything is written, or has failed. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([...[...this.#files.values()].map((file) => file.settled()), ...this.#checkpoints])
  }

  #file(folder: string): LineFile {
    const known = this.#files.get(folder)
    if (known !== undefined) return known
    // Released when nothing is pending, so that a long-lived service does not accumulate every session.
    const file = new LineFile(join(folder, 'events.jsonl'), {
      onFault: (error) => this.#fault(error),
      onIdle: () => this.#files.delete(folder),
    })
    this.#files.set(folder, file)
    return file
  }

  #checkpoint(folder: string, event: MandateEvent): void {
    const fold = this.#folds.get(event.runId) ?? new CheckpointFold()
    this.#folds.set(event.runId, fold)
    if (event.type === 'run-end') this.#folds.delete(event.runId)
    const checkpoint = fold.apply(event)
    if (checkpoint === undefined) return
    const { journal } = this.#options
    const written =
      journal === undefined
        ? writeCheckpoint(folder, checkpoint)
        : this.#writeStored(folder, { journal, event, checkpoint, isWhole: fold.isWhole })
    const writing = written
      .catch((error: unknown) => this.#fault(error))
      .finally(() => this.#checkpoints.delete(writing))
    this.#checkpoints.add(writing)
  }

  async #writeStored(folder: string, { journal, event, checkpoint, isWhole }: Rest): Promise<void> {
    const hash = await storedHash(journal, checkpoint, this.#closing.signal)
    // An entry that was never stored cannot be resumed from.
    if (hash === undefined) return
    const whole = isWhole ? checkpoint : ((await foldStored(journal, event, this.includePayloads)) ?? checkpoint)
    await writeCheckpoint(folder, { ...whole, head: { ...checkpoint.head, hash } })
  }

  #fault(error: unknown): void {
    try {
      this.#options.onFault?.(errorInfo(error, 'STORE_FAILED'))
    } catch {
      // Errors of the error reporter itself are dropped.
    }
  }
}

/** One event as a line; `timestamp` is `at` as ISO text. */
export function eventLine(event: BusEvent): string {
  return jsonLine({ timestamp: timeOf(event.at), ...event })
}

/** Checkpoints are written atomically, and equal ones have the same name. */
export function writeCheckpoint(folder: string, checkpoint: Checkpoint): Promise<void> {
  const path = join(folder, 'checkpoints', `${checkpoint.checkpointId}.json`)
  // In canonical order, so that a rebuilt one is identical to the byte.
  return writeWhole(path, `${JSON.stringify(JSON.parse(canonical(checkpoint)), null, 2)}\n`)
}

/** Waits until the entry of a checkpoint is stored; `undefined` if the wait is given up. */
async function storedHash(
  journal: Journal,
  { runId, head }: Checkpoint,
  signal: AbortSignal,
): Promise<string | undefined> {
  for await (const entry of tail(journal, runId, { fromSeq: head.seq, signal })) return entry.hash
  // The wait was given up; the entry may still have been stored at the last moment.
  for await (const entry of journal.read(runId, head.seq)) return entry.hash
  return undefined
}

/** Builds the checkpoint of an event from the whole run, for a process that has processed only its end. */
async function foldStored(
  journal: Journal,
  { runId, sessionId, agentId, seq }: BusEvent,
  includePayloads: boolean,
): Promise<Checkpoint | undefined> {
  const fold = new CheckpointFold()
  const view = eventView(includePayloads)
  for await (const entry of journal.read(runId)) {
    const checkpoint = fold.apply(view(entry, { sessionId, agentId }))
    if (entry.seq === seq) return checkpoint
  }
  return undefined
}

/**
 * Reads a checkpoint of a session, by default the latest one. `undefined` if it is missing or malformed: a broken view is no reason to fail, since
 * the journal is authoritative.
 */
export async function readCheckpoint(
  dir: string,
  sessionId: string,
  checkpointId?: string,
): Promise<Checkpoint | undefined> {
  const folder = join(sessionPath(dir, sessionId), 'checkpoints')
  if (checkpointId !== undefined) return readOne(join(folder, `${checkId(checkpointId, 'The checkpoint id')}.json`))
  const names = await readdir(folder).catch(() => [])
  const all = await Promise.all(
    names.filter((name) => name.endsWith('.json')).map((name) => readOne(join(folder, name))),
  )
  return all
    .filter((checkpoint) => checkpoint !== undefined)
    .toSorted((a, b) => (a.updatedAt < b.updatedAt ? -1 : a.updatedAt > b.updatedAt ? 1 : a.head.seq - b.head.seq))
    .at(-1)
}

async function readOne(path: string): Promise<Checkpoint | undefined> {
  try {
    const value = JSON.parse(await readFile(path, 'utf8')) as Checkpoint
    return value.schemaVersion === 1 && typeof value.runId === 'string' && typeof value.head.seq === 'number'
      ? value
      : undefined
  } catch {
    return undefined
  }
}
