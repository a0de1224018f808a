import { MandateError, freezeDeep, frozenList } from '../../core/index.ts'
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

interface SessionParts {
  readonly options: SessionOptions
  readonly events: RunEventBus
  agent(): AgentSpec | undefined
  newRunId(): string
  start(prompt: Prompt, options: RunOptions): SessionRun
  conversation(runId: string): Promise<{ readonly messages: readonly Message[]; readonly labels: readonly Label[] }>
  cancel(runId: string, reason: string): Promise<void>
  interrupt(runId: string): Promise<unknown>
}

/** A conversation with one agent. Runs of one session follow each other; earlier messages are part of the next run. */
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

  constructor(id: string, parts: SessionParts) {
    this.id = id
    this.#parts = parts
    this.#messages = parts.options.history ?? []
    this.#labels = parts.options.historyLabels ?? []
  }

  /** The conversation so far. */
  get history(): readonly Message[] {
    return [...this.#messages]
  }

  clearHistory(): void {
    this.#messages = []
    this.#labels = []
    this.#waiting = undefined
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

  async #takeOver(runId: string): Promise<void> {
    const { messages, labels } = await this.#parts.conversation(runId)
    this.#messages = freezeDeep(messages)
    this.#labels = frozenList(labels)
  }
}

const ABORTED = 'the session was aborted'
