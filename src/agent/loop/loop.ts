import { canonical, sha256 } from '../../core/index.ts'
import type { ErrorCode, Json } from '../../core/index.ts'
import { estimateRequest, systemMessage, textOf } from '../../model/index.ts'
import type { Message, PriceTable, ToolSpec } from '../../model/index.ts'
import type { CellHandling } from '../config/code-mode.ts'
import type { AgentSpec } from '../config/config-types.ts'
import type { Handles } from '../transcript/result-handles.ts'
import { Ladder } from './repeat-detector.ts'
import type { ModelRef } from '../config/models.ts'
import type { AgentInput, AgentOutput, AgentPins } from '../output/output-types.ts'
import { PhaseMachine } from '../session/phase.ts'
import type { ActionResult } from '../config/strategies.ts'
import { Transcript } from '../transcript/transcript.ts'

/** Why a loop ends. */
export type Stop =
  | { readonly status: 'completed'; readonly result: Json }
  | { readonly status: 'cancelled' }
  | {
      readonly status: 'failed' | 'max_turns' | 'max_tokens'
      readonly code: ErrorCode
      readonly message: string
      readonly info?: unknown
    }

/** What hooks and configuration have settled before the first turn. */
export interface Setup {
  readonly systemPrompt: string
  readonly tools: readonly ToolSpec[]
  readonly models: readonly ModelRef[]
  /** Shown to the model before everything else: what is remembered from earlier runs. */
  readonly recalled: readonly Message[]
  /** In code mode: how cells are read, evaluated and told of. */
  readonly cells: CellHandling | undefined
  /** The tools that calls can name. In code mode they are called from cells, and the model is offered none. */
  readonly callable: readonly ToolSpec[]
  /** Every call needs a declared intent. */
  readonly intentRequired: boolean
  /** Declared intents are not part of the visible text. Runs of earlier releases include them. */
  readonly hidesIntents: boolean
}

interface LoopParts {
  readonly spec: AgentSpec
  readonly pins: AgentPins
  readonly input: AgentInput
  readonly setup: Setup
  readonly prices: PriceTable
  /** What the run was given is not clean. */
  readonly isLabelled?: boolean | undefined
  readonly handles?: Handles | undefined
}

/** The state of one run of an agent. All of it follows from the journal: it is rebuilt by re-execution, never stored. */
export class Loop {
  readonly spec: AgentSpec
  readonly pins: AgentPins
  readonly setup: Setup
  readonly prices: PriceTable
  readonly prompt: string
  readonly context: Json
  readonly transcript: Transcript = new Transcript()
  readonly phase: PhaseMachine = new PhaseMachine()
  readonly ladder: Ladder = new Ladder()
  /** What every request begins with. */
  readonly preamble: readonly Message[]
  /** Stands for everything in a model request that is not the transcript. */
  readonly setupHash: string
  /** The model's replies and the results of its calls follow from the effects, and have no entries of their own. */
  readonly derivesMessages: boolean
  /** Whether the model may or must call tools. */
  readonly toolChoice: string | undefined
  /** What the model is not shown, where the run is in that mode. */
  readonly handles: Handles | undefined
  /** The user's own words: values that stand in them are the user's, whatever else the model has read. */
  readonly said: string[] = []
  /** What the steps of the last turn came to. */
  lastActions: () => readonly ActionResult[] = () => []
  outputRetries = 0
  /** In code mode: the last reply had no cell, and the model was told so. */
  isNudged = false
  /** In code mode: what the next cell begins with. */
  cellState: Json = null
  turns = 0
  readonly #texts: string[] = []
  #setupTokens: number | undefined

  constructor({ spec, pins, input, setup, prices, isLabelled, handles }: LoopParts) {
    this.spec = spec
    this.handles = handles
    this.pins = pins
    this.setup = setup
    this.prices = prices
    this.derivesMessages = pins.derivesMessages === true && spec.planner === undefined
    this.context = input.context
    this.toolChoice = input.toolChoice ?? pins.toolChoice
    this.prompt = input.prompt === null ? '' : textOf(input.prompt)
    this.preamble = [...(setup.systemPrompt === '' ? [] : [systemMessage(setup.systemPrompt)]), ...setup.recalled]
    this.setupHash = setupHash(setup, pins)
    for (const message of input.history) this.transcript.push(message)
    if (input.prompt !== null) this.transcript.push(input.prompt)
    if (input.returnsMessages === true) this.transcript.collect()
    if (isLabelled !== true || input.ownPrompt === true) this.said.push(this.prompt)
    if (isLabelled !== true) for (const one of input.history) if (one.role === 'user') this.said.push(textOf(one))
  }

  /** Estimated tokens of everything in a request that is not the transcript. */
  get setupTokens(): number {
    return (this.#setupTokens ??= estimateRequest({ messages: this.preamble, tools: this.setup.tools }))
  }

  /** A steering message arrived. */
  hear(message: Message): void {
    this.transcript.push(message)
    this.said.push(textOf(message))
  }

  /** Appends to the agent's visible text. */
  say(text: string): void {
    if (text !== '') this.#texts.push(text)
  }

  /** Turns are told apart by a line break, in streams as well. */
  get text(): string {
    return this.#texts.join('\n')
  }

  output(stop: Stop): AgentOutput {
    const phase = stop.status === 'completed' ? 'completed' : 'failed'
    this.phase.move(phase)
    const { added } = this.transcript
    return {
      status: stop.status,
      phase,
      text: this.text,
      lastText: this.#texts.at(-1) ?? '',
      result: stop.status === 'completed' ? stop.result : null,
      turns: this.turns,
      ...(added === undefined ? {} : { messages: added }),
    }
  }
}

/** By pins that nothing was added to, and that cannot change: most runs of an agent ask their models the same. */
const setupHashes = new WeakMap<AgentPins, string>()

function setupHash({ systemPrompt, tools, recalled }: Setup, pins: AgentPins): string {
  const isPinned =
    tools === pins.tools && systemPrompt === pins.systemPrompt && recalled.length === 0 && Object.isFrozen(pins)
  const known = isPinned ? setupHashes.get(pins) : undefined
  if (known !== undefined) return known
  const hash = sha256(canonical([systemPrompt, tools, recalled, pins.output]))
  if (isPinned) setupHashes.set(pins, hash)
  return hash
}
