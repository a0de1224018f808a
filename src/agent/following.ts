import { MandateError } from '../core/index.ts'
import type { EventBus } from '../core/index.ts'
import { readAll } from '../journal/index.ts'
import type { Entry, Journal } from '../journal/index.ts'
import type { Message } from '../model/index.ts'
import type { RunOutcome } from '../run/index.ts'
import { callbackListener } from './callbacks.ts'
import { conversationOf } from './conversation.ts'
import type { AgentResult } from './result-types.ts'
import { agentResult } from './result.ts'
import type { ResumeOptions } from './run-options.ts'

/** A run that somebody waits for. */
interface Followed {
  readonly options: ResumeOptions
  /** Whose run it is to be; for a run that exists already its journal knows. */
  readonly agentId?: string | undefined
  readonly abort: () => void
  readonly outcome: () => Promise<RunOutcome>
}

/** Follows runs for whoever asked for them, and reads what they came to from the journal. */
export class Following {
  readonly #journal: Journal
  readonly #events: EventBus
  /** What is still being read: the journal must not be closed before. */
  readonly #reading = new Set<Promise<unknown>>()

  constructor(journal: Journal, events: EventBus) {
    this.#journal = journal
    this.#events = events
  }

  /** Tells the caller what happens, cuts the run when they say so, and gives what it came to. */
  follow(runId: string, { options, agentId, abort, outcome }: Followed): Promise<AgentResult> {
    const { signal } = options
    if (signal?.aborted === true) abort()
    signal?.addEventListener('abort', abort, { once: true })
    const listener = callbackListener(options)
    const unlisten = listener === undefined ? undefined : this.#events.onRun(runId, listener)
    const result = outcome()
      .then((how) => this.#result(how.run, how, agentId))
      .finally(() => {
        unlisten?.()
        signal?.removeEventListener('abort', abort)
      })
    return this.#track(result)
  }

  /** What a run has come to so far. */
  result(runId: string): Promise<AgentResult> {
    return this.#track(this.#result(runId))
  }

  messages(runId: string): Promise<readonly Message[]> {
    return this.#track(this.#read(runId).then(conversationOf))
  }

  /** Resolves when nothing is being read any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#reading)
  }

  async #result(runId: string, outcome?: RunOutcome, agentId?: string): Promise<AgentResult> {
    const entries = await this.#read(runId)
    const owner = (entries[0]!.data as { name?: string } | null)?.name
    if (agentId === undefined || agentId === owner) return agentResult(entries, outcome)
    const message = `The run "${runId}" is one of "${owner}", not of "${agentId}". Give another \`runId\`.`
    throw new MandateError('DUPLICATE', message)
  }

  async #read(runId: string): Promise<readonly Entry[]> {
    const entries = await readAll(this.#journal, runId, 1, { ownMemory: true })
    if (entries.length > 0) return entries
    throw new MandateError('NOT_FOUND', `There is no run "${runId}" in this journal.`)
  }

  #track<T>(reading: Promise<T>): Promise<T> {
    const forget = (): void => void this.#reading.delete(reading)
    this.#reading.add(reading)
    reading.then(forget, forget)
    return reading
  }
}
