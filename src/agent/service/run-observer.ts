import { MandateError, onAbort } from '../../core/index.ts'
import type { Json, Label } from '../../core/index.ts'
import { readAll } from '../../journal/index.ts'
import type { Entry, Identity } from '../../journal/index.ts'
import type { Message } from '../../model/index.ts'
import type { Kernel, RunOutcome } from '../../run/index.ts'
import { conversationLabels, conversationOf } from '../transcript/conversation.ts'
import type { AgentResult } from '../output/result-types.ts'
import type { ResumeOptions } from '../session/run-options.ts'
import { pendingCalls } from '../output/pending-calls.ts'
import { RunView } from '../output/run-view.ts'
import { callbackListener } from '../session/callbacks.ts'
import { hiddenIntents } from '../transcript/hidden-intents.ts'

/** A run with waiting callers. */
interface Followed {
  readonly options: ResumeOptions
  /** The identity that gets its result. */
  readonly by: Identity
  /** The expected agent of the run; for an existing run its journal decides. */
  readonly agentId?: string | undefined
  readonly abort: () => void
  readonly outcome: () => Promise<RunOutcome>
}

/** Observes runs for their callers and gives their results, from observed entries or from the journal. */
export class RunObserver {
  readonly #kernel: Kernel
  /** Pending reads: the journal must not be closed before they finish. */
  readonly #reading = new Set<Promise<unknown>>()
  /** The runs that were started here and are under way, folded from their entries. */
  readonly #views = new Map<string, RunView>()

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** Called with every entry that is written here. */
  saw(entry: Entry): void {
    const view = this.#views.get(entry.run)
    if (view !== undefined && entry.seq === view.seq + 1) view.add(entry)
  }

  /** Forwards the events of a run to the caller, cancels it if the caller does, and returns its result. */
  follow(runId: string, followed: Followed): Promise<AgentResult<Json>> {
    return this.#track(this.#follow(runId, followed))
  }

  async #follow(runId: string, followed: Followed): Promise<AgentResult<Json>> {
    const { options, agentId, abort, outcome } = followed
    const { signal } = options
    const over = onAbort(signal, abort)
    const unlisten = hasCallbacks(options) ? this.#kernel.events.onRun(runId, callbackListener(options)) : undefined
    if (agentId !== undefined && !this.#views.has(runId)) this.#views.set(runId, new RunView())
    try {
      const how = await outcome()
      return await this.#result(how.run, followed, how)
    } finally {
      this.#views.delete(runId)
      unlisten?.()
      over()
    }
  }

  /** The result of a run so far. */
  result(runId: string, by: Identity): Promise<AgentResult<Json>> {
    return this.#track(this.#result(runId, { by }))
  }

  messages(runId: string): Promise<readonly Message[]> {
    return this.#track(this.#read(runId).then(conversationOf))
  }

  /** The messages of a run, and their labels. */
  conversation(runId: string): Promise<{ readonly messages: readonly Message[]; readonly labels: readonly Label[] }> {
    const read = this.#read(runId)
    return this.#track(
      read.then((entries) => ({ messages: conversationOf(entries), labels: conversationLabels(entries) })),
    )
  }

  /** Resolves when no read is pending. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#reading)
  }

  async #result(
    runId: string,
    { by, agentId }: Pick<Followed, 'by' | 'agentId'>,
    outcome?: RunOutcome,
  ): Promise<AgentResult<Json>> {
    // The view of a run that is under way, was suspended or lost its journal may have more entries than were stored.
    const seen = outcome === undefined || outcome.state === 'suspended' ? undefined : this.#views.get(runId)
    const view = seen?.isWhole === true ? seen : RunView.of(await this.#read(runId))
    const owner = view.outline.start!.name
    if (agentId !== undefined && agentId !== owner) {
      const message = `The run "${runId}" is one of "${owner}", not of "${agentId}". Give another \`runId\`.`
      throw new MandateError('DUPLICATE', message)
    }
    const pending = await pendingCalls(runId, view, outcome, (id) => this.#kernel.request(id, by))
    return view.result({ outcome, pending, filter: isDeclaring(view) ? hiddenIntents : undefined })
  }

  async #read(runId: string): Promise<readonly Entry[]> {
    const entries = await readAll(this.#kernel.journal, runId, 1, { ownMemory: true })
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

/** Whether its replies contain declared intents, which are removed from the text for readers. */
function isDeclaring({ outline }: RunView): boolean {
  return (outline.start!.pins as { readonly intent?: true | 'hidden' } | null)?.intent === 'hidden'
}

function hasCallbacks({
  onStepStart,
  onModelTokens,
  onTextReset,
  onToolCall,
  onError,
  stream,
}: ResumeOptions): boolean {
  return [onStepStart, onModelTokens, onTextReset, onToolCall, onError, stream?.onTextDelta].some(
    (callback) => callback !== undefined,
  )
}
