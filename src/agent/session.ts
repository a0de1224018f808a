import type { Message } from '../model/index.ts'
import type { AgentRun } from './agent-run.ts'
import type { AgentSpec } from './config.ts'
import type { AgentResult } from './result-types.ts'
import type { Prompt, RunOptions } from './run-options.ts'

export interface SessionOptions extends Omit<RunOptions, 'runId'> {}

interface SessionParts {
  readonly spec: AgentSpec
  readonly options: SessionOptions
  start(prompt: Prompt, options: RunOptions): AgentRun
  messages(runId: string): Promise<readonly Message[]>
}

/** A conversation with one agent. Runs of one session follow each other; what was said before is part of the next. */
export class AgentSession {
  readonly id: string
  readonly #parts: SessionParts
  #messages: readonly Message[]
  #queue: Promise<unknown> = Promise.resolve()
  #current: AgentRun | undefined
  #isAborted = false

  constructor(id: string, parts: SessionParts) {
    this.id = id
    this.#parts = parts
    this.#messages = parts.options.history ?? []
  }

  /** A copy of the conversation so far. */
  get history(): readonly Message[] {
    return [...this.#messages]
  }

  clearHistory(): void {
    this.#messages = []
  }

  /** Runs one task in this conversation, after whatever is still running in it. */
  run(prompt?: Prompt, options: RunOptions = {}): Promise<AgentResult> {
    const next = this.#queue.then(() => this.#run(prompt, options))
    this.#queue = next.catch(() => {})
    return next
  }

  /** Cuts what is running. Runs that come later are not affected. */
  abort(): void {
    this.#isAborted = true
    this.#current?.abort('the session was aborted')
  }

  async #run(prompt: Prompt, options: RunOptions): Promise<AgentResult> {
    this.#isAborted = false
    const run = this.#parts.start(prompt, { ...this.#parts.options, ...options, history: this.#messages })
    this.#current = run
    if (this.#isAborted) run.abort()
    try {
      const result = await run.result
      this.#messages = await this.#parts.messages(result.id)
      return result
    } finally {
      this.#current = undefined
    }
  }
}
