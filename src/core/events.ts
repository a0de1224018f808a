import { MandateError, messageOf } from './errors.ts'
import type { Json } from './json.ts'
import { checkName } from './ids.ts'

/** An event for listeners: every entry, and ephemeral events (text deltas, progress) that have no `seq` and are not stored. */
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

/** The events of a table that maps types to data, as a union by `type`. */
export type TypedEvent<Table extends object, T extends keyof Table = keyof Table> = {
  [K in T & string]: BusEvent<K, Table[K]>
}[T & string]

/** The table of a bus without known types. */
interface AnyEvents {
  readonly [type: string]: unknown
}

type Listener = (event: never) => unknown

/** A destination of events: a file, a log collector, a test. */
export interface EventSink {
  /** Its name in errors. */
  readonly name: string
  /** Writes one event. A failure is reported and does not stop the run. */
  write(event: BusEvent): unknown
  /** By default sinks get sizes and hashes of inputs and outputs; with `true` they get them in full. */
  readonly includePayloads?: boolean | undefined
  /** For a sink that creates traces: the W3C `traceparent` of an effect of a run, which is passed on to whatever the effect calls. */
  traceparent?(runId: string, key: string): string | undefined
  /** Executes work within the trace of a request, given as its W3C `traceparent`: runs started by it belong to that trace. */
  inTrace?<T>(traceparent: string, work: () => T): T
  /** Flushes buffered events. */
  close?(): unknown
}

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

export interface ListenerFault {
  readonly listener: string
  readonly message: string
  readonly event: string
}

const NO_LISTENERS: readonly Listener[] = []

/** Delivers events. A listener that throws, rejects or adds listeners during delivery cannot break a run or another listener. */
export class EventBus<Table extends object = AnyEvents> {
  // Lists are replaced, never mutated, so that an event can be delivered without copying them first.
  readonly #byType = new Map<string, readonly Listener[]>()
  readonly #byRun = new Map<string, readonly Listener[]>()
  readonly #sinks = new Set<EventSink>()
  readonly #onFault: (fault: ListenerFault) => void

  constructor(onFault: (fault: ListenerFault) => void = () => {}) {
    this.#onFault = onFault
  }

  /**
   * Listens to one type of event, or with `*` to all. Events that are not in the bus's table (a tool may emit any) have JSON as their data, or the
   * type given as `on<Data>`. Returns the function that unsubscribes.
   */
  on<T extends keyof Table & string>(type: T, listener: (event: TypedEvent<Table, T>) => unknown): () => void
  on(type: '*', listener: (event: TypedEvent<Table>) => unknown): () => void
  on<D extends Json = Json>(type: string, listener: (event: BusEvent<string, D>) => unknown): () => void
  on(type: string, listener: Listener): () => void {
    return listen(this.#byType, type, listener)
  }

  /** Listens to all events of one run. Indexed by run, so that the events of a thousand runs do not pass through every listener. */
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

  /** Whether an event of this type and run has a listener, which may spare building it. */
  wants(type: string, runId: string): boolean {
    if (this.#sinks.size > 0 || this.#byRun.has(runId)) return true
    return this.#byType.size > 0 && (this.#byType.has(type) || this.#byType.has('*'))
  }

  /** The runs that have listeners of their own, with their number. */
  followed(): (readonly [run: string, listeners: number])[] {
    return [...this.#byRun].map(([run, listeners]) => [run, listeners.length] as const)
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

  /** The trace of an effect as W3C `traceparent`; `undefined` if no sink creates traces. */
  traceparent(runId: string, key: string): string | undefined {
    for (const sink of this.#sinks) {
      const found = sink.traceparent?.(runId, key)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Executes work within the trace of a request. An invalid `traceparent` is ignored. */
  inTrace<T>(traceparent: unknown, work: () => T): T {
    if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return work()
    const tracing = [...this.#sinks].find((sink) => sink.inTrace !== undefined)
    return tracing === undefined ? work() : tracing.inTrace!(traceparent, work)
  }

  #deliver(listeners: readonly Listener[], event: BusEvent): void {
    // No closure per call, because text deltas come by the thousand.
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
  // Wrapped, so that the same function can be subscribed twice and unsubscribed once.
  const own: Listener = (event) => listener(event)
  Object.defineProperty(own, 'name', { value: listener.name })
  lists.set(key, [...(lists.get(key) ?? NO_LISTENERS), own])
  return () => {
    const left = (lists.get(key) ?? NO_LISTENERS).filter((other) => other !== own)
    if (left.length === 0) lists.delete(key)
    else lists.set(key, left)
  }
}

/** Members of event data that may hold text of users or tools; by default sinks get their size instead. */
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
  // The kernel's own data is never nested that deep, so it must be a payload.
  if (depth > 8) return { bytes: sizeOf(value) }
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => summariseValue(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      isPayload(key, item) ? { bytes: sizeOf(item) } : summariseValue(item, depth + 1),
    ]),
  )
}

/** Whether a member is a payload. A `message` that is a string is the kernel's or an error's; one that is an object is part of a conversation. */
function isPayload(key: string, item: Json): boolean {
  return item !== null && item !== undefined && PAYLOADS.has(key) && !(key === 'message' && typeof item === 'string')
}

function sizeOf(value: Json): number {
  return typeof value === 'string' ? value.length : JSON.stringify(value).length
}
