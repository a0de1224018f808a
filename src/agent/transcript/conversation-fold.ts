import type { Json, Outcome } from '../../core/index.ts'
import type { IntactEntry, RunStartData } from '../../journal/index.ts'
import { toolCallsOf } from '../../model/index.ts'
import type { Message, ModelReply, ToolCallPart } from '../../model/index.ts'
import { answerOf } from '../output/agent-answer.ts'
import { expandMessage } from './message-log.ts'
import type { LoggedMessage } from './message-log.ts'
import type { AgentPins } from '../output/output-types.ts'
import { SPEAKING } from './model-call-keys.ts'

type Told<E extends IntactEntry = IntactEntry> = E extends IntactEntry ? Pick<E, 'type' | 'data' | 'key'> : never

const NOTHING: readonly Message[] = []

/**
 * Adds to a conversation what each entry of a run contributes. A reply of the model is a message, and so are the results of its calls once all of
 * them have succeeded: both follow from the effects, so nothing else is journaled for them. Every other message has an entry of its own. (Runs of the
 * first release journaled a reference for those as well; their pins do not have `derivesMessages`.)
 */
export class ConversationFold {
  readonly #outcomes = new Map<string, Outcome<Json>>()
  /** Calls of other agents and of programs: only the answer of their result enters the conversation. */
  readonly #answers = new Set<string>()
  #derives = false
  /** The calls of the last reply, until their results are known. */
  #open: { readonly turn: string; readonly calls: readonly ToolCallPart[] } | undefined

  add({ type, key, data }: Told): readonly Message[] {
    if (type === 'effect-end') return this.#end(key!, data.outcome)
    if (type === 'effect-start' && (data.kind === 'agent' || data.kind === 'program')) this.#answers.add(key!)
    if (type === 'message-append') return this.#said(data.message as never)
    if (type === 'run-start') this.#derives = derivesMessages(data)
    return NOTHING
  }

  #said(message: LoggedMessage | readonly Json[]): readonly Message[] {
    const said = expandMessage(message, (key) => this.#outcomes.get(key))
    if (!Array.isArray(message) && 'results' in message) this.#close()
    return said
  }

  #end(key: string, given: Outcome<Json>): readonly Message[] {
    const outcome = this.#answers.delete(key) ? answerOf(given as Outcome<never>) : given
    this.#outcomes.set(key, outcome)
    if (!this.#derives) return NOTHING
    if (SPEAKING.test(key)) return outcome.status === 'ok' ? this.#reply(key, outcome.value) : NOTHING
    if (this.#open === undefined || outcome.status !== 'ok') return NOTHING
    const { turn, calls } = this.#open
    const refs = calls.map((_, index) => `${turn}/tool:${index + 1}`)
    if (!refs.every((ref) => this.#outcomes.get(ref)?.status === 'ok')) return NOTHING
    const results = calls.map(({ toolCallId, name }, index) => ({ toolCallId, name, ref: refs[index]! }))
    const message = expandMessage({ results }, (ref) => this.#outcomes.get(ref))
    this.#close()
    return message
  }

  #reply(key: string, reply: unknown): readonly Message[] {
    const { message } = reply as ModelReply
    const calls = toolCallsOf(message)
    this.#close()
    if (calls.length > 0) this.#open = { turn: key.slice(0, key.indexOf('/')), calls }
    return [message]
  }

  /** Later messages do not refer to an earlier turn. */
  #close(): void {
    this.#open = undefined
    this.#outcomes.clear()
  }
}

function derivesMessages({ pins }: RunStartData): boolean {
  const { mind } = (pins ?? {}) as { mind?: Partial<AgentPins> | null }
  return mind?.derivesMessages === true
}
