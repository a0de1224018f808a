import type { Json } from '../../core/index.ts'
import type { RunEventBus } from '../../journal/index.ts'
import type { MandateEvent } from '../../journal/index.ts'
import type { AnyTools, ToolTypes } from '../../tool/index.ts'
import type { AgentSpec } from '../config/config-types.ts'
import type { AgentResult } from '../output/result-types.ts'
import { UnsaidAnswer, isOwnSpeaker } from '../transcript/unsaid-answer.ts'
import type { AgentEvent } from './agent-events.ts'
import { PartialOutputFold } from './partial-output.ts'
import type { DeepPartial } from './partial-output.ts'
import { TextStream } from './text-stream.ts'

interface RunParts<Output, Tools extends ToolTypes> {
  readonly events: RunEventBus
  readonly result: Promise<AgentResult<Output, Tools>>
  /** The agent, once it is known. */
  agent(): AgentSpec | undefined
  /** Resolves when the store has the run, or when it goes on; rejects if it was refused. */
  begun(): Promise<unknown>
  /** Aborts the run while it is live, or before it has started. */
  abort(reason?: string): void
  /** Cancels the run in its journal. */
  cancel(reason?: string): Promise<void>
}

const beginnings = new WeakMap<object, () => Promise<unknown>>()

/**
 * Resolves when a run has begun: the store has its start, so that its id can be given away, or it goes on after a suspension. Rejects with the reason of a
 * refusal.
 */
export async function hasBegun(run: PromiseLike<unknown>): Promise<void> {
  // Who asks may not await the outcome; its failure must not be an unhandled rejection.
  run.then(undefined, () => {})
  await beginnings.get(run)?.()
}

/**
 * The handle of a started run. Await it for the result, iterate over it for the events; `textStream` is the text as it is written.
 *
 * @example
 * ```ts
 * import { Agent } from 'mandate'
 * import { scripted } from 'mandate/model'
 * const run = new Agent({ model: scripted(['Hello.']) }).run('Say hello.')
 * for await (const text of run.textStream) process.stdout.write(text)
 * const { status } = await run
 * console.log(run.id, status)
 * ```
 */
export class AgentRun<Output = unknown, Tools extends ToolTypes = AnyTools>
  implements AsyncIterable<AgentEvent<Tools>>, Promise<AgentResult<Output, Tools>>
{
  /** The run's id. */
  readonly id: string
  readonly [Symbol.toStringTag] = 'AgentRun'
  readonly #result: Promise<AgentResult<Output, Tools>>
  readonly #parts: RunParts<Output, Tools>
  /** The events in order. Of a growing text only the pieces are kept, so an answer takes a few objects instead of thousands. */
  readonly #kept: (MandateEvent | string)[] = []
  readonly #at: number[] = []
  /** The last text event, which further pieces may extend. */
  #text: MandateEvent | undefined
  readonly #waiting = new Set<() => void>()
  readonly #watching: (() => void)[] = []
  #isOver = false

  constructor(id: string, parts: RunParts<Output, Tools>) {
    this.id = id
    this.#parts = parts
    beginnings.set(this, () => parts.begun())
    const unsaid = new UnsaidAnswer()
    const stop = parts.events.onRun(id, (event) => {
      const agent = event.type === 'run-end' ? parts.agent() : undefined
      if (event.type === 'run-end' && agent !== undefined && isOwnSpeaker(agent))
        for (const before of unsaid.before(event)) this.#keep(before)
      unsaid.add(event)
      this.#keep(event)
      this.#wake()
    })
    this.#result = parts.result.finally(() => {
      stop()
      this.#isOver = true
      this.#wake()
    })
  }

  get then(): Promise<AgentResult<Output, Tools>>['then'] {
    return (onResult, onError) => this.#result.then(onResult, onError)
  }

  get catch(): Promise<AgentResult<Output, Tools>>['catch'] {
    return (onError) => this.#result.catch(onError)
  }

  get finally(): Promise<AgentResult<Output, Tools>>['finally'] {
    return (onSettled) => this.#result.finally(onSettled)
  }

  /**
   * Cancels the run, even if it waits for an answer. Resolves when a live run has ended, or when the cancellation of a waiting one is recorded; a run
   * that is over is left as it is.
   */
  async cancel(reason?: string): Promise<void> {
    if (!this.#isOver) this.#parts.abort(reason)
    // A run that could not start, or lost its store, rejects for those who await it.
    const result = await this.#result.catch(() => undefined)
    if (result?.status === 'await_user') await this.#parts.cancel(reason)
  }

  /** Every event of the run from the first, however late the iteration starts and however many there are. */
  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent<Tools>> {
    // Callers that only iterate never see the result; its failure must not be an unhandled rejection.
    this.#result.catch(() => {})
    const read = this.#reader()
    for (;;) {
      for (let event = read(); event !== undefined; event = read()) yield event as AgentEvent<Tools>
      if (this.#isOver) return
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
  }

  /**
   * The text as it is written; joined it is `result.text`. There is one exception, which could only be avoided by waiting for every answer to end: if
   * a model call breaks off in the middle of a sentence and its retry differs, the broken sentence stays and the answer starts on a new line.
   * Consumers that can remove text use `onModelTokens` and `onTextReset` instead.
   */
  get textStream(): AsyncIterable<string> {
    this.#result.catch(() => {})
    const stream = new TextStream({
      read: this.#reader(),
      isOver: () => this.#isOver,
      onChange: (changed) => void this.#watching.push(changed),
    })
    let isLeft = false
    const over = async (): Promise<IteratorReturnResult<undefined>> => ({ value: undefined, done: true })
    const iterator: AsyncIterableIterator<string> = {
      next: () => (isLeft ? over() : stream.next()),
      return() {
        isLeft = true
        return over()
      },
      [Symbol.asyncIterator]: () => iterator,
    }
    return iterator
  }

  /**
   * The structured answer as it is written: an object for each piece, with the members received so far, and at the end the whole, validated answer.
   * Before the end nothing is validated, and defaults and transforms are not applied. An answer that does not match is requested again, and its
   * objects start again. Empty for an agent without `output`; for a run that fails or waits it ends with what was written.
   *
   * @example
   * ```ts
   * import { Agent } from 'mandate'
   * import { scripted } from 'mandate/model'
   * import { z } from 'zod'
   * const model = scripted([{ text: '{"steps":["mix","bake"]}', chunks: 8 }])
   * const run = new Agent({ model, output: z.object({ steps: z.array(z.string()) }) }).run('How do I bake a cake?')
   * for await (const { steps = [] } of run.partialOutputStream) console.log(steps.length)
   * ```
   */
  get partialOutputStream(): AsyncIterable<DeepPartial<Output>> {
    this.#result.catch(() => {})
    return this.#partialOutputs() as AsyncIterable<DeepPartial<Output>>
  }

  async *#partialOutputs(): AsyncGenerator<Json> {
    const fold = new PartialOutputFold()
    const read = this.#reader()
    for (;;) {
      // Pending events become one object: a slow reader does not make it parse every piece.
      for (let event = read(); event !== undefined; event = read()) fold.add(event)
      const partial = fold.take()
      if (partial !== undefined && this.#isStructured) yield partial
      else if (partial !== undefined) continue
      else if (this.#isOver) break
      else await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
    const result = await this.#result.catch(() => undefined)
    const whole = (result?.result ?? undefined) as Json | undefined
    if (whole !== undefined && this.#isStructured && !fold.isLast(whole)) yield whole
  }

  #keep(event: MandateEvent): void {
    const piece = pieceOf(event)
    const isMore = piece !== undefined && this.#text?.type === event.type && this.#text.key === event.key
    if (!isMore) this.#text = piece === undefined ? undefined : event
    this.#kept.push(isMore ? piece : event)
    this.#at.push(event.at)
  }

  get #isStructured(): boolean {
    return this.#parts.agent()?.output !== undefined
  }

  /** Returns a function that reads the events in order, and returns `undefined` while there is none. */
  #reader(): () => MandateEvent | undefined {
    let next = 0
    let whole: MandateEvent
    return () => {
      const kept = this.#kept[next]
      if (kept === undefined) return undefined
      const at = this.#at[next++]!
      return typeof kept === 'string' ? ({ ...whole, at, data: { text: kept } } as MandateEvent) : (whole = kept)
    }
  }

  #wake(): void {
    for (const changed of this.#watching) changed()
    // Clearing an empty set allocates a new table, and text deltas come by the thousand.
    if (this.#waiting.size === 0) return
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}

/** The text of an event that has nothing but its text. */
function pieceOf({ type, data }: MandateEvent): string | undefined {
  if (type !== 'text-delta' && type !== 'reasoning-delta') return undefined
  // A tool may emit arbitrary data under this name.
  if (typeof data !== 'object' || data === null) return undefined
  for (const name in data) if (name !== 'text') return undefined
  return typeof data.text === 'string' ? data.text : undefined
}

/** The handle of a run that could not start: it rejects when it is awaited, and has no events. */
export function refusedRun(id: string, events: RunEventBus, error: unknown): AgentRun<never> {
  return new AgentRun(id, {
    events,
    result: Promise.reject(error),
    agent: () => undefined,
    begun: () => Promise.reject(error),
    abort: () => {},
    cancel: async () => {},
  })
}
