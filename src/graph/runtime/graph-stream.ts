import { MandateError, isRecord, nearest } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import { approvalId } from '../../gate/index.ts'
import type { ApprovalRequestData, MandateEvent, RunStartData } from '../../journal/index.ts'
import type { Kernel } from '../../run/index.ts'

/** The modes of a stream: the state after each step, the writes of each node, the text of models, everything, questions, events emitted by nodes. */
export type StreamMode = 'values' | 'updates' | 'messages' | 'debug' | 'interrupts' | 'custom'

const MODES: readonly StreamMode[] = ['values', 'updates', 'messages', 'debug', 'interrupts', 'custom']

interface Told<M extends StreamMode> {
  readonly mode: M
  /** The run of the event: the streamed one, or one that it started. */
  readonly run: string
}

/** One event of a stream, by its mode. */
export type GraphEvent =
  | (Told<'values'> & { readonly step: number; readonly values: JsonObject })
  | (Told<'updates'> & { readonly step: number; readonly node: string; readonly update: JsonObject })
  | (Told<'messages'> & {
      /** The node of the streamed graph to which the model call belongs. */
      readonly node: string | undefined
      readonly key: string
      readonly text: string
    })
  | (Told<'debug'> & { readonly type: string; readonly step?: number | undefined; readonly data: JsonObject })
  | (Told<'interrupts'> & {
      /** The id to answer by. */
      readonly id: string
      readonly node: string | undefined
      readonly reason: ApprovalRequestData['reason']
      readonly text: string
      readonly input: Json
    })
  | (Told<'custom'> & { readonly step: number; readonly node: string; readonly data: Json })

interface Streaming {
  readonly runId: string
  readonly outcome: Promise<unknown>
  readonly mode: StreamMode | readonly StreamMode[]
}

/** Streams the events of a run and of the runs below it, until the current segment is over. */
export function streamRun(kernel: Kernel, { runId, outcome, mode }: Streaming): AsyncIterableIterator<GraphEvent> {
  const modes = readModes(mode)
  const queue: GraphEvent[] = []
  const tree = new RunTree(runId)
  // All waiting readers are resumed, and each checks again.
  let waiting: (() => void)[] = []
  const wake = (): void => {
    const all = waiting
    waiting = []
    for (const each of all) each()
  }
  let isOver = false
  const push = (event: GraphEvent): void => {
    queue.push(event)
    wake()
  }
  const end = (): void => {
    if (isOver) return
    isOver = true
    stop()
    wake()
  }
  const stop = kernel.events.on('*', (event) => {
    if (!tree.knows(event)) return
    for (const told of translate(tree, event)) if (modes.has(told.mode)) push(told)
  })
  outcome.then(end, end)
  const iterator: AsyncIterableIterator<GraphEvent> = {
    [Symbol.asyncIterator]: () => iterator,
    async next() {
      for (;;) {
        const event = queue.shift()
        if (event !== undefined) return { value: event, done: false }
        if (isOver) return { value: undefined, done: true }
        await new Promise<void>((resolve) => void waiting.push(resolve))
      }
    },
    async return() {
      queue.length = 0
      end()
      return { value: undefined, done: true }
    },
  }
  return iterator
}

function readModes(mode: Streaming['mode']): ReadonlySet<StreamMode> {
  const modes = [mode].flat()
  for (const each of modes)
    if (!MODES.includes(each)) {
      const near = nearest(each, MODES)
      const hint = near === undefined ? `Use: ${MODES.join(', ')}.` : `Did you mean "${near}"?`
      throw new MandateError('INPUT_INVALID', `"${each}" is no mode of a stream. ${hint}`)
    }
  return new Set(modes)
}

/** Tracks which runs belong to a run, and in which of its nodes they were started. */
class RunTree {
  readonly #root: string
  /** The key in the streamed run under which each run below it was started. */
  readonly #keys = new Map<string, string>()

  constructor(root: string) {
    this.#root = root
  }

  /** Whether an event belongs to this tree; also records new runs. */
  knows({ runId, type, data }: { readonly runId: string; readonly type: string; readonly data: unknown }): boolean {
    if (runId === this.#root || this.#keys.has(runId)) return true
    if (type !== 'run-start') return this.#isBelow(runId)
    const { parent } = data as RunStartData
    if (parent === undefined || (parent.run !== this.#root && !this.#keys.has(parent.run))) return false
    this.#keys.set(runId, parent.run === this.#root ? parent.key : this.#keys.get(parent.run)!)
    return true
  }

  /** A run that an earlier segment started is recognized by its id. */
  #isBelow(runId: string): boolean {
    return runId.startsWith(`${this.#root}.`)
  }

  isRoot(runId: string): boolean {
    return runId === this.#root
  }

  /** The node of the streamed graph to which an event belongs. */
  node(runId: string, key: string | undefined): string | undefined {
    return nodeIn(this.isRoot(runId) ? key : this.#keys.get(runId))
  }
}

/** The node in a key such as `node:fetch:3/run/model`. */
function nodeIn(key: string | undefined): string | undefined {
  return key === undefined ? undefined : /^node:([^:/]+):/u.exec(key)?.[1]
}

function* translate(tree: RunTree, event: MandateEvent): Generator<GraphEvent> {
  const { runId: run, key, seq } = event
  const type: string = event.type
  if (type === 'graph') yield* fromGraph(tree, run, event.data as unknown as JsonObject)
  else if (type === 'text-delta') {
    const { text } = event.data as { readonly text: string }
    if (text !== '') yield { mode: 'messages', run, node: tree.node(run, key), key: key ?? '', text }
  } else if (type === 'approval-request') {
    const { reason, text, input } = event.data as ApprovalRequestData
    yield { mode: 'interrupts', run, id: approvalId(run, seq!), node: tree.node(run, key), reason, text, input }
  }
  if (type !== 'graph' && seq !== undefined)
    yield { mode: 'debug', run, type, data: { seq, ...(key === undefined ? {} : { key }) } }
}

/** The events of a graph's mind. States and updates of graphs inside the streamed one are left out; events emitted by their nodes are passed on. */
function* fromGraph(tree: RunTree, run: string, data: JsonObject): Generator<GraphEvent> {
  const { mode, ...rest } = data
  if (!isRecord(rest)) return
  if (mode === 'debug') {
    const { type, step, ...more } = rest as { readonly type: string; readonly step: number }
    yield { mode, run, type, step, data: more }
  } else if (mode === 'custom') yield { mode, run, ...rest } as unknown as GraphEvent
  else if (tree.isRoot(run)) yield { mode, run, ...rest } as unknown as GraphEvent
}
