import type { EffectLabels, Json, Label, Outcome } from '../../core/index.ts'
import type { Effect, Intent } from '../../gate/index.ts'
import type { MandateEvent } from '../../journal/index.ts'
import type { Message, ToolSpec } from '../../model/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { AgentSpec } from './config-types.ts'

/** The next thing to do. */
export interface PlanStep {
  readonly type: 'tool' | 'message' | 'finish' | 'internal'
  /** For `tool`. */
  readonly toolId?: string | undefined
  readonly input?: Json | undefined
  /** For `message` and `finish`: the text. For `internal`: a thought that is kept but not shown. */
  readonly message?: string | undefined
  readonly reason?: string | undefined
  /** For `finish`: the result, if it is more than a text. */
  readonly result?: Json | undefined
  /** The model's id of the call, if a model requested it. */
  readonly toolCallId?: string | undefined
  /** Why the call cannot be made: the model's arguments were not JSON. */
  readonly invalid?: string | undefined
  /**
   * The labels of the input, if the planner tracks them by part. Absent: those of everything the run has read. They are not verified, so they must
   * not come from a model.
   */
  readonly labels?: EffectLabels | undefined
  /** The intent of a `tool` step; required if the mandate requires intents. */
  readonly intent?: Intent | undefined
  /** Why there is no intent, if a model tried to declare one. */
  readonly intentProblem?: string | undefined
}

/** The result of a step. */
export interface ActionResult {
  readonly id: string
  readonly type: PlanStep['type']
  readonly toolId?: string | undefined
  readonly toolCallId?: string | undefined
  readonly input?: Json | undefined
  readonly ok: boolean
  readonly output?: Json | undefined
  readonly error?: { readonly code: string; readonly message: string } | undefined
  readonly status: Outcome['status']
  /** The labels of the output, if it has any. */
  readonly labels?: readonly Label[] | undefined
}

/** The input of a planner: plain data, and a function to perform effects. */
export interface PlannerState {
  readonly turn: number
  readonly prompt: string
  readonly messages: readonly Message[]
  /** The results of the last turn's steps. */
  readonly lastActions: readonly ActionResult[]
  readonly tools: readonly ToolSpec[]
  readonly turnsLeft: number
  now(): number
  random(): number
  /** Performs an effect, through the gate and journaled like any other. */
  perform<R = Json>(effect: Effect): Promise<Outcome<R>>
}

/** Decides the next steps. The decision is journaled: it need not be deterministic, and is not made again for recorded turns. */
export interface Planner {
  /** Returns the next step, or several. */
  plan(state: PlannerState): PlanStep | readonly PlanStep[] | Promise<PlanStep | readonly PlanStep[]>
}

interface ExecutionContext {
  readonly turn: number
  readonly messages: readonly Message[]
  perform<R = Json>(effect: Effect): Promise<Outcome<R>>
}

/**
 * Performs a `tool` step in place of the kernel. Returns the value of the step, or `{ ok, output, error }` for a failure; an exception is a failure
 * as well, and is returned to the planner.
 */
export interface ToolExecutor {
  /** Performs a step and returns its result. */
  execute(step: PlanStep, context: ExecutionContext): unknown
}

/** The decision of a reflector about a turn. */
export interface Reflection {
  /** The goal is reached, or will not be. */
  readonly done: boolean
  readonly result?: Json | undefined
  /** Appended to the conversation before the next turn. */
  readonly message?: string | undefined
}

/** Evaluates a turn and decides whether to continue. `undefined` leaves that to the plan. */
export interface Reflector {
  /** Evaluates the run so far; `undefined` means to continue. */
  reflect(state: PlannerState): Reflection | undefined | Promise<Reflection | undefined>
}

/** The input of a runner besides the prompt. */
export interface RunnerInput {
  /** The conversation so far; the prompt is its last message. */
  readonly messages: readonly Message[]
  /** The `context` of the run. */
  readonly context: Json
  /**
   * Streams the text of a child run as the text of this run: `perform({ kind: 'agent', …, onEvent: input.speak })`. The text that the runner finally
   * returns is the complete one.
   */
  readonly speak: (event: MandateEvent) => void
}

/** Runs a whole task in place of the plan, act, reflect loop. Its messages become part of the conversation with `context.append(message)`. */
export interface Runner {
  /** Runs the task and returns the answer. */
  run(
    context: RunContext,
    spec: AgentSpec,
    prompt: string,
    input: RunnerInput,
  ): Promise<{ readonly text: string; readonly result?: Json | undefined }>
}

/**
 * A planner with fixed steps: one list per turn, then it is finished.
 *
 * @example
 * ```ts
 * import { planSteps } from 'mandate'
 * const planner = planSteps([{ type: 'tool', toolId: 'kv_get', input: { key: 'a' } }], { type: 'finish', message: 'done' })
 * ```
 */
export function planSteps(...turns: readonly (PlanStep | readonly PlanStep[])[]): Planner {
  return { plan: ({ turn }) => turns[turn - 1] ?? { type: 'finish', reason: 'the plan is at its end' } }
}
