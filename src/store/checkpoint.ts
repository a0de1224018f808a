import { canonical, isRecord } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import type { MandateEvent } from '../journal/index.ts'
import { addSpend } from '../journal/index.ts'
import type { PendingItem, Spend } from '../journal/index.ts'

const TEXT_MAX = 500

/** The state of a run, for people and tools that read files. The journal is authoritative; `runId` and `head` refer to it. */
export interface Checkpoint {
  readonly schemaVersion: 1
  readonly checkpointId: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly phase: 'await_user' | 'completed' | 'failed'
  readonly goal: string
  readonly summary?: string | undefined
  readonly pendingTasks?: readonly PendingItem[] | undefined
  readonly runId: string
  readonly sessionId: string
  readonly agentId: string
  /** The entry it describes; `hash` is present if the entry was seen in the journal. */
  readonly head: { readonly seq: number; readonly hash?: string | undefined }
  readonly metadata: {
    readonly status: 'await_user' | 'completed' | 'failed' | 'cancelled'
    readonly reason?: string | undefined
    readonly toolsUsed: readonly string[]
    readonly usage: Spend
  }
}

/** Folds the events of one run into its checkpoints. */
export class CheckpointFold {
  #start: MandateEvent<'run-start'> | undefined
  #tools = new Set<string>()
  #spent: Spend = {}

  /** Whether it has processed the run from its beginning, which is not the case if another process started the run. */
  get isWhole(): boolean {
    return this.#start !== undefined
  }

  /** Applies an event; returns a checkpoint if the run has ended or suspended. */
  apply(event: MandateEvent): Checkpoint | undefined {
    switch (event.type) {
      case 'run-start':
        this.#start = event
        return undefined
      case 'effect-start': {
        const { kind, name } = event.data
        if (kind === 'tool') this.#tools.add(name)
        return undefined
      }
      case 'effect-end':
      case 'effect-retry':
        this.#spent = addSpend(this.#spent, event.data.spent ?? {})
        return undefined
      case 'run-suspend': {
        const { reason, pending } = event.data
        return {
          ...this.#common(event),
          phase: 'await_user',
          pendingTasks: pending,
          metadata: this.#metadata('await_user', reason, this.#spent),
        }
      }
      case 'run-end': {
        const { state, output, error, spent } = event.data
        const phase = state === 'completed' ? 'completed' : 'failed'
        const summary = output === undefined || output === null ? error?.message : textOf(output)
        return {
          ...this.#common(event),
          phase,
          ...(summary === undefined ? {} : { summary: cut(summary) }),
          metadata: this.#metadata(state, error?.message, spent),
        }
      }
      default:
        return undefined
    }
  }

  #common(event: MandateEvent): Omit<Checkpoint, 'phase' | 'metadata'> {
    const start = this.#start?.data
    return {
      schemaVersion: 1,
      checkpointId: `${event.runId}-${event.seq}`,
      createdAt: timeOf(this.#start?.at ?? event.at),
      updatedAt: timeOf(event.at),
      goal: start === undefined ? '' : cut(textOf(start.input)),
      runId: event.runId,
      sessionId: event.sessionId,
      agentId: event.agentId,
      head: { seq: event.seq! },
    }
  }

  #metadata(
    status: Checkpoint['metadata']['status'],
    reason: string | undefined,
    usage: Spend,
  ): Checkpoint['metadata'] {
    return { status, ...(reason === undefined ? {} : { reason }), toolsUsed: [...this.#tools], usage }
  }
}

/** A time as ISO text; an invalid one is empty, because an error here must not fail a run. */
export function timeOf(at: number): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

const NAMES_OF_TEXT = ['prompt', 'text', 'goal', 'task', 'message', 'content']

/** The text in a value if there is an obvious one, otherwise the value itself. For a sink that gets sizes instead of texts, it is a size. */
function textOf(value: Json): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return canonical(value)
  const record = value as { readonly [name: string]: Json }
  if (typeof record['bytes'] === 'number' && Object.keys(record).length === 1) return `[${record['bytes']} bytes]`
  const name = NAMES_OF_TEXT.find((one) => typeof record[one] === 'string')
  if (name !== undefined) return record[name] as string
  return promptOf(record['prompt']) ?? canonical(value)
}

/** The text of a message, which is what the prompt of an agent is. */
function promptOf(prompt: Json | undefined): string | undefined {
  const content = isRecord(prompt) ? prompt['content'] : undefined
  if (!Array.isArray(content)) return undefined
  const texts = content.flatMap((part) => (isRecord(part) && typeof part['text'] === 'string' ? [part['text']] : []))
  return texts.length === 0 ? undefined : texts.join('\n')
}

function cut(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}…` : text
}
