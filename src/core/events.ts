import { messageOf } from './errors.ts'
import type { Json } from './json.ts'

/** What listeners and the wire see: every entry, plus ephemeral events (text deltas, progress) that have no `seq` and are not stored. */
export interface MandateEvent {
  readonly v: 1
  readonly type: string
  readonly at: number
  readonly runId: string
  readonly sessionId: string
  readonly agentId: string
  readonly seq?: number | undefined
  readonly key?: string | undefined
  readonly data: Json
}

export type EventListener = (event: MandateEvent) => unknown

/** Somewhere events go: a file, a log collector, a test. */
export interface EventSink {
  readonly name: string
  write(event: MandateEvent): unknown
  /** Sinks get inputs and outputs as sizes and hashes; `true` asks for them in full. */
  readonly includePayloads?: boolean | undefined
  close?(): unknown
}

export interface ListenerFault {
  readonly listener: string
  readonly message: string
  readonly event: string
}

/** Delivers events. A listener that throws, rejects or adds listeners while it is called cannot break a run, or another listener. */
export class EventBus {
  readonly #listeners = new Map<string, Set<EventListener>>()
  readonly #sinks = new Set<EventSink>()
  readonly #onFault: (fault: ListenerFault) => void

  constructor(onFault: (fault: ListenerFault) => void = () => {}) {
    this.#onFault = onFault
  }

  /** Listens to one type of event, or to all with `*`. Returns the function that stops it. */
  on(type: string, listener: EventListener): () => void {
    const set = this.#listeners.get(type) ?? new Set()
    this.#listeners.set(type, set.add(listener))
    return () => void set.delete(listener)
  }

  addSink(sink: EventSink): () => void {
    this.#sinks.add(sink)
    return () => void this.#sinks.delete(sink)
  }

  /** Whether anyone would see an event of this type: spares building it. */
  wants(type: string): boolean {
    return this.#sinks.size > 0 || (this.#listeners.get(type)?.size ?? 0) > 0 || (this.#listeners.get('*')?.size ?? 0) > 0
  }

  emit(event: MandateEvent): void {
    for (const type of [event.type, '*']) {
      for (const listener of [...(this.#listeners.get(type) ?? [])]) this.#call(listener.name || type, () => listener(event), event)
    }
    if (this.#sinks.size === 0) return
    const summary = summarise(event)
    for (const sink of [...this.#sinks]) this.#call(sink.name, () => sink.write(sink.includePayloads === true ? event : summary), event)
  }

  async close(): Promise<void> {
    for (const sink of this.#sinks) {
      try {
        await sink.close?.()
      } catch (error) {
        this.#fault({ listener: sink.name, message: messageOf(error), event: 'close' })
      }
    }
    this.#sinks.clear()
    this.#listeners.clear()
  }

  #call(name: string, deliver: () => unknown, event: MandateEvent): void {
    const fault = (error: unknown): void => this.#fault({ listener: name, message: messageOf(error), event: event.type })
    try {
      const result = deliver()
      if (result instanceof Promise) result.catch(fault)
    } catch (error) {
      fault(error)
    }
  }

  #fault(fault: ListenerFault): void {
    try {
      this.#onFault(fault)
    } catch {
      // Whoever reports faults has no one left to report to.
    }
  }
}

/** Members of event data that may hold what a user or a tool said; sinks see their size instead unless they ask. */
const PAYLOADS: ReadonlySet<string> = new Set(['input', 'value', 'output', 'message', 'text', 'carry', 'edit', 'answer'])

function summarise(event: MandateEvent): MandateEvent {
  return { ...event, data: summariseValue(event.data, 0) }
}

function summariseValue(value: Json, depth: number): Json {
  if (typeof value !== 'object' || value === null || depth > 8) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => summariseValue(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, isPayload(key, item) ? { bytes: sizeOf(item) } : summariseValue(item, depth + 1)]),
  )
}

/** A `message` that is text is ours, or an error's; one that is an object is part of a conversation. */
function isPayload(key: string, item: Json): boolean {
  return item !== null && PAYLOADS.has(key) && !(key === 'message' && typeof item === 'string')
}

function sizeOf(value: Json): number {
  return typeof value === 'string' ? value.length : JSON.stringify(value).length
}
