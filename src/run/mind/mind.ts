import { MandateError } from '../../core/index.ts'
import type { BudgetLimits, ErrorCode, Json, Label, Outcome } from '../../core/index.ts'
import type { Effect, Mandate } from '../../gate/index.ts'
import type { EmittedData, Identity, MindKind } from '../../journal/index.ts'
import type { FuelTap } from './fuel.ts'
import type { BudgetView } from './budget-view.ts'
import type { Resources } from '../kernel/resources.ts'

/**
 * What a mind gets to work with. It is the only way out: a mind that uses nothing else can be stopped, moved, resumed and replayed without knowing it.
 * A mind never sees a suspension; a call that waits for a human simply does not settle, and the mind is run again over its journal later.
 */
export interface RunContext {
  readonly runId: string
  readonly sessionId: string
  /** The name under which this mind is registered. */
  readonly agentId: string
  readonly depth: number
  readonly identity: Identity
  /** Aborts when the run is cancelled or has used up its time. */
  readonly signal: AbortSignal
  /** What the run may spend and has spent. */
  readonly budget: BudgetView
  /** What was fixed at the start of the run; a resumed run reads this instead of its configuration. */
  readonly pins: Json
  /** Tools and models of this run; a mind may put its own in before it uses them, and must do so again when it is resumed. */
  readonly resources: { -readonly [R in keyof Resources]: Resources[R] }
  /** What everything this mind has been told so far was made from: what its effects carry unless they say otherwise. */
  readonly labels: readonly Label[]
  /** What this mind says from here on is made from these as well: for one that had an outcome withheld and now uses it. */
  admit(labels: readonly Label[]): void
  /** Asks for an effect. Always settles with an outcome, never throws for what the world did. */
  perform<R = Json>(effect: Effect): Promise<Outcome<R>>
  /** Opens a strand with its own keys, so that parallel work keeps its names when the timing changes. */
  task<T>(name: string, work: (context: RunContext) => Promise<T>): Promise<T>
  /** Journals what something outside the mind's control decided (a planner, a hook, a selector), so that it is not asked again. */
  record<T extends Json | void>(
    name: string,
    decide: (context: RunContext) => T | Promise<T>,
    options?: RecordOptions,
  ): Promise<T>
  /** Whether the journal has what `record` under this name would give next. */
  isRecorded(name: string): boolean
  /** Waits for code of the host that runs in every stretch anew, such as a hook, no longer than `limits.modelTimeoutMs`. */
  inTime<T>(what: string, work: Promise<T>): Promise<T>
  /** Resolves when everything so far is stored, whatever the durability of the run; at once while recorded work is re-executed. */
  stored(): Promise<void>
  /** Adds a message to the journal, once. */
  append(message: Json): void
  /** Takes the steering messages since the last call. */
  steering(): readonly Json[]
  /** Counts one step of the budget; the limit that forbids it, as an outcome, or `undefined`. */
  step(): Outcome | undefined
  /** Takes what computing costs from the budget of the tree. */
  readonly fuel: FuelTap
  /** The time of the last thing this mind was told: the same on replay. */
  now(): number
  /** A number in [0, 1) that is the same on replay. */
  random(): number
  newId(prefix: string): string
  /** Tells listeners something that is not stored. Silent while recorded work is re-executed. */
  emit<T extends string>(type: T, data: EmittedData<T>): void
  /** Calls back when this process stops listening to the mind, because the run is suspended or over: a mind that computes ends its work then. */
  onDrop(stop: () => void): void
}

/** How long a recorded decision may take. */
export interface RecordOptions {
  /**
   * It has failed with `TIMEOUT` after this time, and the effects it has in flight are cut. Time in which it waits for people or timers does not count
   * as long as it waits for them. `Infinity` sets no limit. Absent: `limits.modelTimeoutMs` in which it does nothing at all.
   */
  readonly timeoutMs?: number | undefined
  /** The message of that failure. */
  readonly late?: string | undefined
}

/** What decides the next effect. */
export interface Mind<I extends Json = Json, O extends Json = Json> {
  readonly kind: MindKind
  readonly name: string
  /** Laid under the mandates of the host and of every parent: the strictest of all decides. */
  readonly mandate?: Mandate | undefined
  /** What a run with this input may spend at most, besides the limits of its mandate, whoever starts it. */
  limits?(input: Json): BudgetLimits
  /** When it follows the labels of single values itself: where a mandate has rules of flow, always, or never. */
  readonly followsLabels?: 'rules' | 'always' | 'never' | undefined
  /** Tools and models that only runs of this mind see. */
  readonly resources?: Resources | undefined
  /** What later releases could change and a resumed run must not: texts, schemas, limits. The same frozen object every time is written out once, and not looked at again. */
  pins?(): Json
  /**
   * Throws where a run with these pins cannot go on with this mind. It is asked before a run is resumed or replayed, so that nothing of the run is
   * touched. Absent: all can.
   */
  checkPins?(pins: Json): void
  /** The input of a fork, from what a person wrote and what the run was given. Throws where it cannot be meant. Absent: it is taken as it is. */
  readEdit?(edit: Json, before: Json): Json
  start(input: I, context: RunContext): Promise<O>
}

/** Ends a run as failed, with whatever it has to show. */
export class MindStop extends MandateError {
  readonly output: Json

  constructor(code: ErrorCode, message: string, output: Json = null, info?: Json) {
    super(code, message, info === undefined ? {} : { info })
    this.output = output
  }
}
