import type { EffectLabels, Json, Label, Outcome } from '../../core/index.ts'
import type { Effect, Intent } from '../../gate/index.ts'
import type { Message, ToolSpec } from '../../model/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { AgentSpec } from './config-types.ts'

/** One thing to do next. */
export interface PlanStep {
  readonly type: 'tool' | 'message' | 'finish' | 'internal'
  /** For `tool`. */
  readonly toolId?: string | undefined
  readonly input?: Json | undefined
  /** For `message` and `finish`: the text. For `internal`: a thought that is kept and not shown. */
  readonly message?: string | undefined
  readonly reason?: string | undefined
  /** For `finish`: the result, where it is more than a text. */
  readonly result?: Json | undefined
  /** The model's own id of the call, where a model asked for it. */
  readonly toolCallId?: string | undefined
  /** Set when the call cannot even be tried: the model's arguments were not JSON. */
  readonly invalid?: string | undefined
  /**
   * What the input was made from, where the planner knows it part by part. Absent: everything the run has read. It is not verified, so it
   * must not come out of a model.
   */
  readonly labels?: EffectLabels | undefined
  /** What is meant by a `tool` step; needed where the mandate asks for intents. */
  readonly intent?: Intent | undefined
  /** Why there is none, where a model tried to declare one. */
  readonly intentProblem?: string | undefined
}

/** What came of a step. */
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
  /** What the output was made from, where that is not clean. */
  readonly labels?: readonly Label[] | undefined
}

/** What a planner sees. Plain data, and one way to have something done. */
export interface PlannerState {
  readonly turn: number
  readonly prompt: string
  readonly messages: readonly Message[]
  /** What the steps of the last turn came to. */
  readonly lastActions: readonly ActionResult[]
  readonly tools: readonly ToolSpec[]
  readonly turnsLeft: number
  now(): number
  random(): number
  /** Through the gate, journaled, like everything else. */
  perform<R = Json>(effect: Effect): Promise<Outcome<R>>
}

/** Decides the next steps. What it decided is journaled: it need not be deterministic, and is not asked again for recorded turns. */
export interface Planner {
  plan(state: PlannerState): PlanStep | readonly PlanStep[] | Promise<PlanStep | readonly PlanStep[]>
}

interface ExecutionContext {
  readonly turn: number
  readonly messages: readonly Message[]
  perform<R = Json>(effect: Effect): Promise<Outcome<R>>
}

/**
 * Carries out a `tool` step in place of the kernel's own way. Gives the value of the step, or `{ ok, output, error }` to say that it failed;
 * what it throws is a failure as well, and is returned to the planner.
 */
export interface ToolExecutor {
  execute(step: PlanStep, context: ExecutionContext): unknown
}

/** What a reflector decided about a turn. */
export interface Reflection {
  /** The goal is reached, or will not be. */
  readonly done: boolean
  readonly result?: Json | undefined
  /** Added to the conversation before the next turn. */
  readonly message?: string | undefined
}

/** Looks at what a turn did and decides whether to go on. `undefined` leaves that to the plan. */
export interface Reflector {
  reflect(state: PlannerState): Reflection | undefined | Promise<Reflection | undefined>
}

/** What a runner is given beside the prompt. */
export interface RunnerInput {
  /** The conversation so far; the prompt is its last message. */
  readonly messages: readonly Message[]
  /** The facts that the run was given. */
  readonly context: Json
}

/** Runs a whole task in place of the plan, act, reflect loop. What it says becomes part of the conversation with `context.append(message)`. */
export interface Runner {
  run(
    context: RunContext,
    spec: AgentSpec,
    prompt: string,
    input: RunnerInput,
  ): Promise<{ readonly text: string; readonly result?: Json | undefined }>
}

/**
 * A planner that does the same thing every time: one list of steps a turn, then it is finished.
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
