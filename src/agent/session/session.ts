import { MandateError, freezeDeep, frozenList, joinLabels } from '../../core/index.ts'
import type { Json, Label } from '../../core/index.ts'
import type { RunEventBus } from '../../journal/index.ts'
import type { Message } from '../../model/index.ts'
import type { AnyTools, ToolTypes } from '../../tool/index.ts'
import type { AgentSpec } from '../config/config-types.ts'
import type { AgentResult } from '../output/result-types.ts'
import { AgentRun } from './agent-run.ts'
import type { Prompt, RunOptions } from './run-options.ts'

export interface SessionOptions extends Omit<RunOptions, 'runId'> {}

/** The options of one run; those of all runs of a session are options of the session. */
export type SessionRunOptions = Omit<RunOptions, 'sessionId'>

/** A run that was started for a session. */
export interface SessionRun {
  readonly runId: string
  readonly result: Promise<AgentResult<Json>>
  abort(reason?: string): void
}

/** A run of a session that may still be queued. */
interface QueuedRun {
  readonly runId: string
  /** How often the session had been aborted when the run was requested. */
  readonly aborts: number
  /** Why it was cancelled before it started. */
  cancelled?: string
}

/** What was said, and the labels of it. */
interface Said {
  readonly messages: readonly Message[]
  readonly labels: readonly Label[]
}

/** The runs of a session in the journal, which other processes and other objects may have added to. */
interface StoredRuns {
  /** The run whose conversation the next one continues. */
  newest(): Promise<string | undefined>
  /** The history with which the run of this id began, if there is one. */
  historyOf(runId: string): Promise<Said | undefined>
}

interface SessionParts {
  readonly options: SessionOptions
  readonly events: RunEventBus
  agent(): AgentSpec | undefined
  newRunId(): string
  start(prompt: Prompt, options: RunOptions): SessionRun
  conversation(runId: string): Promise<Said>
  /** How the journal has the session; absent if its id is new. */
  readonly stored?: StoredRuns | undefined
  cancel(runId: string, reason: string): Promise<void>
  interrupt(runId: string): Promise<unknown>
}

/**
 * A conversation with one agent. Runs of one session follow each other; earlier messages are part of the next run. A session whose id was given goes on from its newest run in the
 * journal, whichever process or object made it.
 */
export class AgentSession<Output = unknown, Tools extends ToolTypes = AnyTools> {
  readonly id: string
  readonly #parts: SessionParts
  #messages: readonly Message[]
  /** The labels of the conversation so far. */
  #labels: readonly Label[]
  #queue: Promise<unknown> = Promise.resolve()
  #current: SessionRun | undefined
  /** A suspended run, whose later messages belong to the conversation too. */
  #waiting: string | undefined
  #aborts = 0
  /** The run whose messages are held here. */
  #last: string | undefined
  /** The history was cleared, so that the next run does not go on from the journal. */
  #isCleared = false

  constructor(id: string, parts: SessionParts) {
    this.id = id
    this.#parts = parts
    this.#messages = parts.options.history ?? []
    this.#labels = parts.options.historyLabels ?? []
  }

  /** The conversation so far. Before its first run here, a session that goes on from the journal has only what was given. */
  get history(): readonly Message[] {
    return [...this.#messages]
  }

  clearHistory(): void {
    this.#messages = []
    this.#labels = []
    this.#waiting = undefined
    this.#isCleared = true
  }

  /** Runs one task in this conversation, after its earlier runs. */
  run(prompt?: Prompt, options: SessionRunOptions = {}): AgentRun<Output, Tools> {
    const queued: QueuedRun = {
      runId: options.runId === undefined ? this.#parts.newRunId() : options.runId,
      aborts: this.#aborts,
    }
    const result = this.#queue.then(() => this.#run(prompt, options, queued))
    this.#queue = result.catch(() => {})
    return new AgentRun(queued.runId, {
      events: this.#parts.events,
      result,
      agent: () => this.#parts.agent(),
      begun: () => result,
      abort: (reason = 'cancelled') => {
        queued.cancelled = reason
        if (this.#current?.runId === queued.runId) this.#current.abort(reason)
      },
      cancel: (reason = 'cancelled') => this.#parts.cancel(queued.runId, reason),
    })
  }

  /** Cancels running, queued and suspended runs. Later runs are not affected. */
  abort(): void {
    this.#aborts += 1
    this.#current?.abort(ABORTED)
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting !== undefined) this.#parts.cancel(waiting, ABORTED).catch(() => {})
  }

  /** Suspends the current run, so that it can be resumed. */
  async suspend(): Promise<void> {
    if (this.#current !== undefined) await this.#parts.interrupt(this.#current.runId)
  }

  async #run(prompt: Prompt, options: SessionRunOptions, queued: QueuedRun): Promise<AgentResult<Output, Tools>> {
    await this.#catchUp()
    if (options.history === undefined) await this.#goOn(queued.runId)
    if (options.identity !== undefined && this.#parts.options.identity !== undefined)
      throw new MandateError('INPUT_INVALID', 'The session has an `identity`. Create another session for another one.')
    const { history = this.#messages, historyLabels = options.history === undefined ? this.#labels : undefined } =
      options
    const run = this.#parts.start(prompt, {
      ...this.#parts.options,
      ...options,
      runId: queued.runId,
      history,
      historyLabels,
    })
    this.#current = run
    if (queued.aborts !== this.#aborts) run.abort(ABORTED)
    else if (queued.cancelled !== undefined) run.abort(queued.cancelled)
    try {
      // The agent's schema has validated the result, and the session has its type.
      const result = (await run.result) as AgentResult<Output, Tools>
      await this.#takeOver(result.id)
      this.#isCleared = false
      if (result.status === 'await_user') this.#waiting = result.id
      return result
    } finally {
      this.#current = undefined
    }
  }

  async #catchUp(): Promise<void> {
    if (this.#waiting === undefined) return
    await this.#takeOver(this.#waiting)
    this.#waiting = undefined
  }

  /** Takes over what the journal has of the session, if that is not held here. */
  async #goOn(runId: string): Promise<void> {
    const { stored, options } = this.#parts
    if (stored === undefined || this.#isCleared) return
    const begun = await stored.historyOf(runId)
    if (begun !== undefined) return this.#hold(begun)
    const newest = await stored.newest()
    if (newest === undefined || newest === this.#last) return
    await this.#takeOver(newest)
    this.#labels = frozenList(joinLabels(this.#labels, options.historyLabels))
  }

  async #takeOver(runId: string): Promise<void> {
    this.#hold(await this.#parts.conversation(runId))
    this.#last = runId
  }

  #hold({ messages, labels }: Said): void {
    this.#messages = freezeDeep(messages)
    this.#labels = frozenList(labels)
  }
}

const ABORTED = 'the session was aborted'
