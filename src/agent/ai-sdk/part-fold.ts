import { describeOutcome } from '../../core/index.ts'
import type { Json, JsonObject, Outcome } from '../../core/index.ts'
import type { MandateEvent } from '../../journal/index.ts'
import type { EffectEndData, IntactEntry } from '../../journal/index.ts'
import { toolCallsOf, toolResultsOf } from '../../model/index.ts'
import type { MediaPart, Message, ModelReply, ToolCallPart, ToolResultPart } from '../../model/index.ts'
import { childId } from '../../run/index.ts'
import type { ApprovalRequest } from '../../run/index.ts'
import { ConversationFold } from '../transcript/conversation-fold.ts'
import { SPEAKING } from '../transcript/model-call-keys.ts'
import { toolResult } from '../transcript/transcript.ts'
import { fileContent } from './generated-file.ts'
import { OWN_METADATA } from './messages.ts'
import type { AiSdkStreamPart, AiSdkToolCall } from './part-shapes.ts'
import type { CallMark } from './question.ts'
import { Speech } from './speech.ts'
import { StepAccount } from './step-account.ts'

/** Calls that failed validation: the model's mistake, not a denial. */
const MISTAKES: ReadonlySet<string> = new Set(['TOOL_UNKNOWN', 'INPUT_INVALID', 'SCHEMA_INVALID'])

interface Call {
  readonly key: string
  readonly part: ToolCallPart
  isTold: boolean
}

/** A call, and its key if the run made it. */
type ShownCall = Pick<Call, 'part'> & { readonly key?: string | undefined }

type Happening<E extends MandateEvent | IntactEntry = MandateEvent | IntactEntry> = E extends unknown
  ? Pick<E, 'type' | 'key' | 'data' | 'at'>
  : never

interface FoldSetup {
  readonly runId: string
  /** The names of the agent's declared tools. */
  readonly tools: ReadonlySet<string>
  /** The tools among them that may be questions, which a client answers with the result of the call. */
  readonly asking: ReadonlySet<string>
  /** Whether another tool may still replace a failed call; its failure is then not final. */
  readonly mayRecover: boolean
}

/** Converts the events of one run to the parts of an AI SDK stream. Earlier events are fed to it in the same way, and the output is discarded. */
export class PartFold {
  readonly #setup: FoldSetup
  readonly #speech: Speech
  readonly #outcomes = new Map<string, Outcome<Json>>()
  readonly #conversation = new ConversationFold()
  readonly #calls = new Map<string, Call>()
  /** Calls that a person was asked to approve. */
  readonly #asked = new Set<string>()
  /** Calls whose request for approval the client has received. */
  #told = new Set<string>()
  /** Calls that are questions. */
  readonly #questions = new Set<string>()
  #account: StepAccount

  constructor(setup: FoldSetup) {
    this.#setup = setup
    this.#speech = new Speech(setup.runId)
    this.#account = new StepAccount(setup.runId)
  }

  get account(): StepAccount {
    return this.#account
  }

  /** Everything so far was sent before; its usage is not counted again. */
  begin(): void {
    this.#account = new StepAccount(this.#setup.runId)
    this.#told = new Set(this.#asked)
  }

  /** The stream parts of an event or an entry; usually none. */
  add(event: Happening): AiSdkStreamPart[] {
    const { type, key, data, at } = event
    const said = this.#conversation.add(event as IntactEntry)
    switch (type) {
      case 'step-start':
        return this.#account.start(at)
      case 'text-delta':
      case 'reasoning-delta':
        return this.#delta(type === 'text-delta' ? 'text' : 'reasoning', key, data.text)
      case 'stream-reset':
        if (key !== undefined && SPEAKING.test(key)) this.#speech.reset()
        return []
      case 'effect-end':
        return [...this.#effectEnd(key!, data, at), ...said.flatMap((message) => this.#message(message, key!))]
      case 'message-append':
        return said.flatMap((message) => this.#message(message, key ?? ''))
      case 'step-end':
        return [...this.#speech.end(undefined), ...this.#account.end(at)]
      case 'run-suspend':
        for (const { key: waiting, reason } of data.pending)
          (reason === 'question' ? this.#questions : this.#asked).add(waiting)
        return [...this.#calls.values()].flatMap((call) => this.#settle(call, this.#outcomes.get(call.key)))
      default:
        return []
    }
  }

  /** A request for approval, if it is about a call that was sent in the stream. */
  approval({ id, run, key, text }: ApprovalRequest): AiSdkStreamPart | undefined {
    const { runId } = this.#setup
    const call = [...this.#calls.values()].find((one) => {
      const child = childId(runId, one.key)
      return run === runId ? one.key === key : run === child || run.startsWith(`${child}.`)
    })
    if (call === undefined) return undefined
    this.#told.add(call.key)
    return {
      type: 'tool-approval-request',
      approvalId: id,
      toolCall: this.#shown(call),
      ...(text === '' ? {} : { reason: text }),
    }
  }

  /**
   * Questions of sub-agents and scripts, which are not calls of this stream: each is sent as a call, in a step of their own, because a client sends
   * results once all calls of the last step have theirs. Those that the client has already are not sent again; an empty step prevents the client from
   * sending them again.
   */
  nested(questions: readonly ApprovalRequest[], known: ReadonlySet<string>, at: number): AiSdkStreamPart[] {
    const others = questions.filter((question) => this.#callOf(question) === undefined)
    const fresh = others.filter(({ id }) => !known.has(id))
    const isAgain = known.size > 0 && others.length === 0 && !this.#account.hasSteps
    if (fresh.length === 0 && !isAgain) return []
    return [...this.#account.start(at), ...fresh.map(nestedCall), ...this.#account.end(at)]
  }

  /** Reports a client's result that does not match. The call stays open. */
  misfit(question: ApprovalRequest, problem: string): AiSdkStreamPart {
    const call = this.#callOf(question)
    if (call !== undefined) {
      const { toolCallId, name } = call.part
      return this.#answer(call, { type: 'tool-result', toolCallId, name, status: 'error', value: problem })
    }
    const { toolCallId, toolName, input } = nestedCall(question)
    return { type: 'tool-error', toolCallId, toolName, input, dynamic: true, error: problem }
  }

  /** The call of the stream that a question is about. */
  #callOf({ run, key }: ApprovalRequest): Call | undefined {
    return run === this.#setup.runId ? this.#calls.get(key) : undefined
  }

  /** Closes everything that is open, when the run has ended or waits. */
  close(at: number): AiSdkStreamPart[] {
    return [...this.#speech.end(undefined), ...this.#account.end(at)]
  }

  #delta(kind: 'text' | 'reasoning', key: string | undefined, text: string): AiSdkStreamPart[] {
    if (key !== undefined && !SPEAKING.test(key)) return []
    // Without a key the text is complete: no model streamed it.
    return key === undefined
      ? [...this.#speech.delta(kind, text), ...this.#speech.end(undefined)]
      : this.#speech.delta(kind, text)
  }

  #effectEnd(key: string, end: EffectEndData, at: number): AiSdkStreamPart[] {
    const { outcome, durationMs } = end
    this.#outcomes.set(key, outcome)
    if (SPEAKING.test(key)) {
      const reply = outcome.status === 'ok' ? (outcome.value as unknown as ModelReply) : undefined
      if (reply !== undefined) this.#account.reply(key, reply, end, at)
      return this.#speech.end(reply?.message)
    }
    const call = this.#calls.get(key)
    if (call === undefined) return []
    this.#account.tool(call.part.toolCallId, durationMs)
    return outcome.status === 'failed' && this.#setup.mayRecover ? [] : this.#settle(call, outcome)
  }

  #message(message: Message, key: string): AiSdkStreamPart[] {
    if (message.role === 'tool') return this.#results(message)
    if (message.role !== 'assistant') return []
    const turn = key.split('/')[0]!
    const keys = new Map<unknown, string>()
    for (const [index, part] of toolCallsOf(message).entries()) {
      const own = `${turn}/tool:${index + 1}`
      keys.set(part, own)
      this.#calls.set(own, { key: own, part, isTold: false })
    }
    return message.content.flatMap((part): AiSdkStreamPart[] => {
      if (part.type === 'tool-call') return [this.#shown({ key: keys.get(part), part })]
      if (part.type === 'tool-result') return [this.#answer({ part: callOf(part, message) }, part)]
      return part.type === 'file' || part.type === 'image' ? fileParts(part) : []
    })
  }

  /** Results that no effect has reported: of calls that were never made, or made by the client. */
  #results(message: Message): AiSdkStreamPart[] {
    return toolResultsOf(message).flatMap((result) => {
      const call = [...this.#calls.values()].findLast(({ part }) => part.toolCallId === result.toolCallId)
      if (call === undefined || call.isTold) return []
      call.isTold = true
      return this.#resultParts(call, result)
    })
  }

  #settle(call: Call, outcome: Outcome<Json> | undefined): AiSdkStreamPart[] {
    if (call.isTold || outcome === undefined) return []
    call.isTold = true
    const { toolCallId, name } = call.part
    const result = toolResult({ toolCallId, name }, outcome)
    // Clients get the tool's value, even if the model reads something else.
    return this.#resultParts(call, outcome.status === 'ok' ? { ...result, value: outcome.value } : result, outcome)
  }

  #resultParts(call: Call, result: ToolResultPart, outcome?: Outcome<Json>): AiSdkStreamPart[] {
    const { key, part } = call
    const isMistake = outcome?.status === 'denied' && MISTAKES.has(outcome.code)
    // A question without an answer is a call without a result: the client was not asked to approve it.
    const isFailure = isMistake || this.#questions.has(key)
    if (result.status !== 'denied' || isFailure) return [this.#answer(call, result)]
    const denied = { type: 'tool-output-denied' as const, toolCallId: part.toolCallId, toolName: part.name }
    // A denial that the client was not asked about is sent as a question that was answered at once: clients know no other denial.
    if (this.#told.has(key)) return [denied]
    const approvalId = `${this.#setup.runId}-gate-${key}`
    const toolCall = this.#shown(call)
    const reason = outcome === undefined ? JSON.stringify(result.value) : describeOutcome(outcome)
    return [
      { type: 'tool-approval-request', approvalId, toolCall, isAutomatic: true },
      { type: 'tool-approval-response', approvalId, toolCall, approved: false, reason },
      denied,
    ]
  }

  #answer(call: ShownCall, { status, value }: ToolResultPart): AiSdkStreamPart {
    const shown = this.#shown(call)
    const { toolCallId, toolName, input, dynamic, providerExecuted } = shown
    const about = {
      toolCallId,
      toolName,
      input,
      ...(dynamic === true ? { dynamic } : {}),
      ...(providerExecuted === true ? { providerExecuted } : {}),
    }
    return status === 'ok'
      ? { type: 'tool-result', ...about, output: value }
      : { type: 'tool-error', ...about, error: value }
  }

  #shown({ key, part }: ShownCall): AiSdkToolCall {
    const { toolCallId, name, input, invalid, providerExecuted } = part
    const mark = key !== undefined && this.#setup.asking.has(name) ? { run: this.#setup.runId, key } : undefined
    const providerMetadata =
      mark === undefined ? part.providerMetadata : { ...part.providerMetadata, [OWN_METADATA]: { ...mark } }
    const call = {
      type: 'tool-call' as const,
      toolCallId,
      toolName: name,
      input: invalid ?? input,
      ...(providerExecuted === true ? { providerExecuted } : {}),
      ...(providerMetadata === undefined ? {} : { providerMetadata }),
    }
    if (invalid !== undefined)
      return { ...call, dynamic: true, invalid: true, error: 'The arguments are not valid JSON.' }
    return this.#setup.tools.has(name) ? call : { ...call, dynamic: true }
  }
}

/** A question from below the agent as a call whose result the client gives. */
function nestedCall({ id, run, key, name, input: asked }: ApprovalRequest): AiSdkToolCall {
  const { text, input, ...more } = asked as JsonObject
  const mark = { run, key, nested: true } as const satisfies CallMark
  return {
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input: input ?? { question: text ?? '', ...more },
    dynamic: true,
    providerMetadata: { [OWN_METADATA]: mark },
  }
}

/** A call that the provider itself made is beside its result. */
function callOf({ toolCallId, name }: ToolResultPart, { content }: Message): ToolCallPart {
  const found = content.find(
    (part): part is ToolCallPart => part.type === 'tool-call' && part.toolCallId === toolCallId,
  )
  return found ?? { type: 'tool-call', toolCallId, name, input: {}, providerExecuted: true }
}

function fileParts(part: MediaPart): AiSdkStreamPart[] {
  const content = fileContent(part)
  return content === undefined ? [] : [content]
}
