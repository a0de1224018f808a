import { canonical, sha256 } from '../../core/index.ts'
import type { ErrorCode, Json } from '../../core/index.ts'
import { estimateRequest, systemMessage, textOf } from '../../model/index.ts'
import type { Message, PriceTable, ToolSpec } from '../../model/index.ts'
import type { CellHandling } from '../config/code-mode.ts'
import type { AgentSpec } from '../config/config-types.ts'
import type { Handles } from '../transcript/result-handles.ts'
import { RepeatDetector } from './repeat-detector.ts'
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

/** The settings of hooks and configuration, fixed before the first turn. */
export interface Setup {
  readonly systemPrompt: string
  readonly tools: readonly ToolSpec[]
  readonly models: readonly ModelRef[]
  /** Messages recalled from memory, which precede all others. */
  readonly recalled: readonly Message[]
  /** In code mode: its implementation. */
  readonly cells: CellHandling | undefined
  /** In code mode: the model's text is streamed as reasoning, and only the answer is the text of the run. Runs of earlier releases stream both. */
  readonly isThinking: boolean
  /** The tools that calls can name. In code mode they are called from cells, and the model is offered none. */
  readonly callable: readonly ToolSpec[]
  /** Every call needs a declared intent. */
  readonly intentRequired: boolean
  /** Declared intents are removed from the visible text. Runs of earlier releases include them. */
  readonly hidesIntents: boolean
}

interface LoopParts {
  readonly spec: AgentSpec
  readonly pins: AgentPins
  readonly input: AgentInput
  readonly setup: Setup
  readonly prices: PriceTable
  /** The run's input is labelled. */
  readonly isLabelled?: boolean | undefined
  readonly handles?: Handles | undefined
}

/** The state of one run of an agent. A function of the journal: rebuilt by re-execution, never stored. */
export class Loop {
  readonly spec: AgentSpec
  readonly pins: AgentPins
  readonly setup: Setup
  readonly prices: PriceTable
  readonly prompt: string
  readonly context: Json
  readonly transcript: Transcript = new Transcript()
  readonly phase: PhaseMachine = new PhaseMachine()
  readonly repeats: RepeatDetector = new RepeatDetector()
  /** The messages at the beginning of every request. */
  readonly preamble: readonly Message[]
  /** The hash of everything in a model request except the transcript. */
  readonly setupHash: string
  /** The model's replies and the results of its calls are derived from the effects, and have no entries of their own. */
  readonly derivesMessages: boolean
  /** Whether the model may or must call tools. */
  readonly toolChoice: string | undefined
  /** The results that are withheld from the model, if the run uses handles. */
  readonly handles: Handles | undefined
  /** The user's own texts. A value that occurs in them is treated as the user's, regardless of what else the model has read. */
  readonly said: string[] = []
  /** The results of the last turn's steps. */
  lastActions: () => readonly ActionResult[] = () => []
  outputRetries = 0
  /** In code mode: the last reply had no cell, and the model was nudged. */
  isNudged = false
  /** In code mode: the state for the next cell. */
  cellState: Json = null
  /** In code mode: the source of the answer. */
  answeredBy: AgentOutput['answeredBy']
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
    this.transcript.keepQuestion()
    if (input.returnsMessages === true) this.transcript.collect()
    if (isLabelled !== true || input.ownPrompt === true) this.said.push(this.prompt)
    if (isLabelled !== true) for (const one of input.history) if (one.role === 'user') this.said.push(textOf(one))
  }

  /** The estimated tokens of everything in a request except the transcript. */
  get setupTokens(): number {
    return (this.#setupTokens ??= estimateRequest({ messages: this.preamble, tools: this.setup.tools }))
  }

  /** Adds a steering message. */
  addSteering(message: Message): void {
    this.transcript.push(message)
    this.transcript.keepQuestion()
    this.said.push(textOf(message))
  }

  /** Appends to the agent's visible text. */
  say(text: string): void {
    if (text !== '') this.#texts.push(text)
  }

  /** Takes back an answer that was refused: the text of the run is what is given to the user. */
  unsay(text: string): void {
    if (this.#texts.at(-1) === text) this.#texts.pop()
  }

  /** The text of all turns, separated by line breaks, as in streams. */
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
      ...(stop.status === 'completed' && this.answeredBy !== undefined ? { answeredBy: this.answeredBy } : {}),
      ...(added === undefined ? {} : { messages: added }),
    }
  }
}

/** Cached by pins that are frozen and without additions, which most runs of an agent share. */
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
