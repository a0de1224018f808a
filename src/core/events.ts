import { MandateError, messageOf } from './errors.ts'
import type { Json } from './json.ts'
import { checkName } from './ids.ts'

/** What listeners and the wire see: every entry, plus ephemeral events (text deltas, progress) that have no `seq` and are not stored. */
export interface BusEvent<T extends string = string, D = unknown> {
  readonly v: 1
  readonly type: T
  readonly at: number
  readonly runId: string
  readonly sessionId: string
  readonly agentId: string
  readonly seq?: number | undefined
  readonly key?: string | undefined
  readonly data: D
}

/** The events of a table that gives the data of each type: a union by `type`. */
export type TypedEvent<Table extends object, T extends keyof Table = keyof Table> = {
  [K in T & string]: BusEvent<K, Table[K]>
}[T & string]

/** The table of a bus that knows nothing of its events. */
interface AnyEvents {
  readonly [type: string]: unknown
}

type Listener = (event: never) => unknown

/** Somewhere events go: a file, a log collector, a test. */
export interface EventSink {
  readonly name: string
  write(event: BusEvent): unknown
  /** Sinks get inputs and outputs as sizes and hashes; `true` asks for them in full. */
  readonly includePayloads?: boolean | undefined
  /** Where a sink makes traces: the W3C `traceparent` of an effect of a run, which goes on to whatever the effect calls. */
  traceparent?(runId: string, key: string): string | undefined
  /** Does work on behalf of a trace that came with a request, given as its W3C `traceparent`: runs that are started by it belong to that trace. */
  inTrace?<T>(traceparent: string, work: () => T): T
  close?(): unknown
}

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

export interface ListenerFault {
  readonly listener: string
  readonly message: string
  readonly event: string
}

const NO_LISTENERS: readonly Listener[] = []

/** Delivers events. A listener that throws, rejects or adds listeners while it is called cannot break a run, or another listener. */
export class EventBus<Table extends object = AnyEvents> {
  // Lists are replaced, never changed, so that an event can be delivered without copying them first.
  readonly #byType = new Map<string, readonly Listener[]>()
  readonly #byRun = new Map<string, readonly Listener[]>()
  readonly #sinks = new Set<EventSink>()
  readonly #onFault: (fault: ListenerFault) => void

  constructor(onFault: (fault: ListenerFault) => void = () => {}) {
    this.#onFault = onFault
  }

  /**
   * Listens to one type of event, or with `*` to all. Events that are not in the bus's table (a tool may emit any) have JSON as their data, or what
   * `on<Data>` says of it. Returns the function that stops it.
   */
  on<T extends keyof Table & string>(type: T, listener: (event: TypedEvent<Table, T>) => unknown): () => void
  on(type: '*', listener: (event: TypedEvent<Table>) => unknown): () => void
  on<D extends Json = Json>(type: string, listener: (event: BusEvent<string, D>) => unknown): () => void
  on(type: string, listener: Listener): () => void {
    return listen(this.#byType, type, listener)
  }

  /** Listens to all events of one run: a thousand runs then do not look at each other's. */
  onRun(runId: string, listener: (event: TypedEvent<Table>) => unknown): () => void {
    return listen(this.#byRun, runId, listener)
  }

  addSink(sink: EventSink): () => void {
    checkName(sink?.name, 'The name of a sink')
    if (typeof sink.write !== 'function')
      throw new MandateError('CONFIG_INVALID', `The sink "${sink.name}" has no \`write\`. Give it a function.`)
    this.#sinks.add(sink)
    return () => void this.#sinks.delete(sink)
  }

  /** Whether anyone would see an event of this type and run: spares building it. */
  wants(type: string, runId: string): boolean {
    if (this.#sinks.size > 0 || this.#byRun.has(runId)) return true
    return this.#byType.size > 0 && (this.#byType.has(type) || this.#byType.has('*'))
  }

  /** Delivers an event; one of the bus's table has the data of its type. */
  emit<T extends string>(event: BusEvent<T, T extends keyof Table ? Table[T] : unknown>): void {
    this.#deliver(this.#byRun.get(event.runId) ?? NO_LISTENERS, event)
    if (this.#byType.size > 0) {
      this.#deliver(this.#byType.get(event.type) ?? NO_LISTENERS, event)
      this.#deliver(this.#byType.get('*') ?? NO_LISTENERS, event)
    }
    if (this.#sinks.size === 0) return
    const summary = summarise(event)
    for (const sink of [...this.#sinks]) this.#write(sink, sink.includePayloads === true ? event : summary)
  }

  /** The trace of an effect, as W3C `traceparent`; nothing where no sink makes traces. */
  traceparent(runId: string, key: string): string | undefined {
    for (const sink of this.#sinks) {
      const found = sink.traceparent?.(runId, key)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Does work that a request asked for, within the trace of the request. What is no trace is ignored. */
  inTrace<T>(traceparent: unknown, work: () => T): T {
    if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return work()
    const tracing = [...this.#sinks].find((sink) => sink.inTrace !== undefined)
    return tracing === undefined ? work() : tracing.inTrace!(traceparent, work)
  }

  #deliver(listeners: readonly Listener[], event: BusEvent): void {
    // Without a function made for each call: a model's words come by the thousand.
    for (const listener of listeners) {
      try {
        const result = listener(event as never)
        if (result instanceof Promise) result.catch((error: unknown) => this.#blame(listener.name, event, error))
      } catch (error) {
        this.#blame(listener.name, event, error)
      }
    }
  }

  async close(): Promise<void> {
    const closing = [...this.#sinks].map(async (sink) => {
      try {
        await sink.close?.()
      } catch (error) {
        this.#fault({ listener: sink.name, message: messageOf(error), event: 'close' })
      }
    })
    await Promise.all(closing)
    this.#sinks.clear()
    this.#byType.clear()
    this.#byRun.clear()
  }

  #write(sink: EventSink, event: BusEvent): void {
    try {
      const result = sink.write(event)
      if (result instanceof Promise) result.catch((error: unknown) => this.#blame(sink.name, event, error))
    } catch (error) {
      this.#blame(sink.name, event, error)
    }
  }

  #blame(name: string, { type }: BusEvent, error: unknown): void {
    this.#fault({ listener: name || type, message: messageOf(error), event: type })
  }

  #fault(fault: ListenerFault): void {
    try {
      this.#onFault(fault)
    } catch {
      // Errors of the error reporter itself are dropped.
    }
  }
}

function listen(lists: Map<string, readonly Listener[]>, key: string, listener: Listener): () => void {
  // Wrapped, so that the same function may listen twice and stop once.
  const own: Listener = (event) => listener(event)
  Object.defineProperty(own, 'name', { value: listener.name })
  lists.set(key, [...(lists.get(key) ?? NO_LISTENERS), own])
  return () => {
    const left = (lists.get(key) ?? NO_LISTENERS).filter((other) => other !== own)
    if (left.length === 0) lists.delete(key)
    else lists.set(key, left)
  }
}

/** Members of event data that may hold what a user or a tool said; sinks see their size instead unless they ask. */
const PAYLOADS: ReadonlySet<string> = new Set([
  'input',
  'value',
  'output',
  'message',
  'text',
  'carry',
  'edit',
  'answer',
])

function summarise(event: BusEvent): BusEvent {
  return { ...event, data: summariseValue(event.data as Json, 0) }
}

function summariseValue(value: Json, depth: number): Json {
  if (typeof value !== 'object' || value === null) return value
  // Our own events are never nested that deep, so it can only be a payload.
  if (depth > 8) return { bytes: sizeOf(value) }
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => summariseValue(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      isPayload(key, item) ? { bytes: sizeOf(item) } : summariseValue(item, depth + 1),
    ]),
  )
}

/** A `message` that is text is ours, or an error's; one that is an object is part of a conversation. */
function isPayload(key: string, item: Json): boolean {
  return item !== null && item !== undefined && PAYLOADS.has(key) && !(key === 'message' && typeof item === 'string')
}

function sizeOf(value: Json): number {
  return typeof value === 'string' ? value.length : JSON.stringify(value).length
}
