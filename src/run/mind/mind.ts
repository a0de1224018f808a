import { MandateError } from '../../core/index.ts'
import type { BudgetLimits, ErrorCode, Json, Label, Outcome } from '../../core/index.ts'
import type { Effect, Mandate } from '../../gate/index.ts'
import type { EmittedData, Identity, IntactEntry, MindKind } from '../../journal/index.ts'
import type { FuelTap } from './fuel.ts'
import type { BudgetView } from './budget-view.ts'
import type { Resources } from '../kernel/resources.ts'

/**
 * The interface of a mind to the kernel, and its only way to the outside: a mind that uses nothing else can be stopped, moved, resumed and replayed
 * transparently. A mind never observes a suspension: a call that waits for a human does not settle, and the mind is later executed again over its
 * journal.
 */
export interface RunContext {
  readonly runId: string
  readonly sessionId: string
  /** The name under which this mind is registered. */
  readonly agentId: string
  readonly depth: number
  readonly identity: Identity
  /** Aborts when the run is cancelled or has reached its time limit. */
  readonly signal: AbortSignal
  /** The limits of the run and what it has spent. */
  readonly budget: BudgetView
  /** The pins of the run, fixed at its start; a resumed run reads them instead of its configuration. */
  readonly pins: Json
  /** The run's own tools and models. A mind may add some before it uses them, and must add them again when it is resumed. */
  readonly resources: { -readonly [R in keyof Resources]: Resources[R] }
  /** The labels of everything this mind has been shown so far; its effects carry them unless they declare their own. */
  readonly labels: readonly Label[]
  /** Adds labels to what this mind does from here on: for a mind that uses an outcome which was withheld. */
  admit(labels: readonly Label[]): void
  /** Performs an effect. Always resolves with an outcome; failures of the outside world never throw. */
  perform<R = Json>(effect: Effect): Promise<Outcome<R>>
  /** Opens a task with its own keys, so that the keys of parallel work do not depend on timing. */
  task<T>(name: string, work: (context: RunContext) => Promise<T>): Promise<T>
  /** Journals the result of a decision that the mind cannot reproduce (of a planner, a hook, a selector), so that it is not made again. */
  record<T extends Json | void>(
    name: string,
    decide: (context: RunContext) => T | Promise<T>,
    options?: RecordOptions,
  ): Promise<T>
  /** Whether the journal has the result that `record` under this name would return next. */
  isRecorded(name: string): boolean
  /** Waits for host code that is executed again in every segment, such as a hook, for at most `limits.modelTimeoutMs`. */
  inTime<T>(what: string, work: Promise<T>): Promise<T>
  /** Resolves when everything so far is stored, regardless of the durability of the run. Resolves immediately while recorded work is re-executed. */
  stored(): Promise<void>
  /** Adds a message to the journal, once. */
  append(message: Json): void
  /** Takes the steering messages since the last call. */
  steering(): readonly Json[]
  /** Counts one step of the budget. Returns the refusal if a limit forbids it, otherwise `undefined`. */
  step(): Outcome | undefined
  /** Draws fuel for computing from the budget of the tree. */
  readonly fuel: FuelTap
  /** The time of the last outcome delivered to this mind: the same on replay. */
  now(): number
  /** A number in [0, 1), the same on replay. */
  random(): number
  newId(prefix: string): string
  /** Emits an event that is not stored. Does nothing while recorded work is re-executed. `key` separates texts that are streamed in pieces. */
  emit<T extends string>(type: T, data: EmittedData<T>, key?: string): void
  /** Calls back when the kernel stops listening to the mind, because the run is suspended or over. A mind that computes must stop then. */
  onDrop(stop: () => void): void
  /**
   * Calls back when the journal has acknowledged the last entry of the run, with that entry. Never called for an execution that is suspended, has lost its
   * lease, or replays: what a mind keeps in memory beyond a run is valid only from here on.
   */
  onEnd(told: (end: IntactEntry<'run-end'>) => void): void
}

/** Limits of a recorded decision. */
export interface RecordOptions {
  /**
   * After this time the decision fails with `TIMEOUT`, and its effects in flight are aborted. Time in which it waits for people or timers does not
   * count; `Infinity` sets no limit. Absent: it fails after `limits.modelTimeoutMs` without any effect in progress.
   */
  readonly timeoutMs?: number | undefined
  /** The message of that failure. */
  readonly late?: string | undefined
}

/** A tool, model or mind that a run needs in order to continue. */
export interface MindNeed {
  readonly kind: 'tool' | 'model' | MindKind
  readonly anyOf: readonly string[]
}

/** The description of a mind for those who call it by name. */
export interface MindFacts {
  readonly description?: string | undefined
  /** JSON Schema of its input. */
  readonly inputSchema?: Json | undefined
  /** JSON Schema of its output. */
  readonly outputSchema?: Json | undefined
}

/** The code that decides which effects a run performs. */
export interface Mind<I extends Json = Json, O extends Json = Json> {
  /** The kind of the mind; a run is resumed by a mind of the same kind. */
  readonly kind: MindKind
  /** Its name in the registry and in the journal. */
  readonly name: string
  /** Its mandate, which applies besides those of the host and of every parent: the strictest of all decides. */
  readonly mandate?: Mandate | undefined
  /** Limits of a run with this input, in addition to those of its mandate, for every caller. */
  limits?(input: Json): BudgetLimits
  /** When the mind tracks the labels of single values: where a mandate has flow rules, always, or never. */
  readonly followsLabels?: 'rules' | 'always' | 'never' | undefined
  /** Tools and models available only to runs of this mind. */
  readonly resources?: Resources | undefined
  /**
   * The mind for the runs of a session, where sessions under one name have their own mandates, tools and models. Returns `undefined` for a session
   * that is unknown here: none of its runs can be started or resumed. Absent: all sessions have this mind.
   */
  ofSession?(sessionId: string): Mind | undefined
  /** The description of the mind for models that may call it by name. Absent: only the name. */
  facts?(): MindFacts
  /**
   * What later releases may change and a resumed run must keep: texts, schemas, limits. Returning the same frozen object each time saves serializing
   * it again. A member `hash` stands for the code that the mind executes: approvals with the scope `rule` are bound to it.
   */
  pins?(): Json
  /**
   * Throws if a run with these pins cannot continue with this mind. Called before a resume or replay, so that nothing of the run is changed. Absent:
   * every run can.
   */
  checkPins?(pins: Json): void
  /**
   * The names that a run with these pins and this input refers to; of each need any one name is enough. An engine gives the run only to a process that has all of
   * them, so that a version without a tool does not deny a call that a person has approved. Absent: unknown.
   */
  needs?(pins: Json, input: Json): readonly MindNeed[]
  /** Converts a person's edit into the input of a fork, given the original input. Throws if the edit is invalid. Absent: the edit is the input. */
  readEdit?(edit: Json, before: Json): Json
  /** The part of an input that must match when a run is started again under its id. Absent: all of it. */
  repeated?(input: Json): Json
  /**
   * The part of its output that a replay of a run with these pins compares, where a later release measures otherwise. Absent: all of it.
   */
  compared?(output: Json, pins: Json): Json
  /** Executes the mind. Called again with the same input when a run is resumed: recorded effects return their recorded outcomes. */
  start(input: I, context: RunContext): Promise<O>
}

/** Ends a run as failed, with its output so far. */
export class MindStop extends MandateError {
  readonly output: Json

  constructor(code: ErrorCode, message: string, output: Json = null, info?: Json) {
    super(code, message, info === undefined ? {} : { info })
    this.output = output
  }
}
