import { isRecord } from '../../core/index.ts'
import type { ErrorInfo, Json, Outcome } from '../../core/index.ts'
import { addSpend } from '../../journal/index.ts'
import type { EffectDecideData, EffectRequest, Entry, RunStartData, Spend } from '../../journal/index.ts'
import { textOf } from '../../model/index.ts'
import type { Message } from '../../model/index.ts'
import { block, screenWidth } from './layout.ts'
import { clip, paintData } from '../output.ts'

/** The content of a run as lines for a person, with the resources it used. */
export interface Transcript {
  readonly lines: readonly string[]
  /** Its final answer. */
  readonly answer?: string | undefined
  readonly error?: ErrorInfo | undefined
  readonly turns: number
  readonly calls: number
  readonly spent: Spend
  /** How long the run was active; known once it has ended or was suspended. */
  readonly activeMs?: number | undefined
}

/** Formats the entries of a run as a conversation. */
export function transcriptOf(entries: readonly Entry[]): Transcript {
  const reader = new TranscriptReader(answerIn(entries))
  for (const entry of entries) reader.read(entry)
  return reader.done()
}

/** Width of a call in a pipe; a terminal has its own width. */
const PIPE_WIDTH = 160

class TranscriptReader {
  readonly #lines: string[] = []
  /** The effects by key: the end entry of an effect has its outcome but not its request. */
  readonly #effects = new Map<string, EffectRequest>()
  readonly #answer: string | undefined
  #spent: Spend = {}
  #activeMs: number | undefined
  #error: ErrorInfo | undefined
  #turns = 0
  #calls = 0

  constructor(answer: string | undefined) {
    this.#answer = answer
  }

  done(): Transcript {
    return {
      lines: this.#lines,
      answer: this.#answer,
      error: this.#error,
      turns: this.#turns,
      calls: this.#calls,
      spent: this.#spent,
      activeMs: this.#activeMs,
    }
  }

  read({ type, key = '', data }: Entry): void {
    if (data === null) return this.#erased()
    switch (type) {
      case 'run-start':
        return this.#section('input', inputText(data))
      case 'effect-start':
        this.#effects.set(key, data)
        if (data.kind !== 'model') this.#call(data)
        return this.#decided(data)
      case 'effect-decide':
        this.#effects.set(key, data)
        if (data.kind !== 'model') this.#say('→', call(data))
        return this.#decided(data)
      case 'effect-retry':
        return this.#say('↻', `attempt ${data.attempt}: ${data.reason}`)
      case 'effect-end':
        this.#spent = addSpend(this.#spent, data.spent)
        return this.#ended(this.#effects.get(key), data.outcome)
      case 'approval-request':
        // A call that a person denies ends without a start entry.
        this.#effects.set(key, data)
        return this.#say('?', `${data.reason === 'question' ? '' : `${call(data)}: `}${data.text}`)
      case 'approval-response':
        return this.#say('!', answeredText(data))
      case 'message-append':
        return this.#said(data.message)
      case 'run-suspend':
        this.#activeMs = data.activeMs
        return
      case 'run-end':
        this.#spent = data.spent
        this.#activeMs = data.activeMs
        this.#error = data.error
        return
      default:
    }
  }

  #erased(): void {
    if (this.#lines.at(-1) !== '(erased)') this.#lines.push('(erased)')
  }

  #section(name: string, text: string): void {
    if (text !== '') this.#lines.push('', paintData('cyan', name), ...block(text, '  '))
  }

  /** Adds a line about an event; further lines of a longer text are indented below it. */
  #say(mark: string, text: string): void {
    const [first = '', ...rest] = block(text, '    ')
    this.#lines.push(`  ${mark} ${first.trimStart()}`, ...rest)
  }

  #call(request: EffectRequest): void {
    this.#calls += 1
    this.#say('→', call(request))
  }

  /** Adds a refused decision. Allowed effects are not mentioned, and a question to a person is shown with its request. */
  #decided({ decision: { verdict, rule, reason } }: EffectDecideData): void {
    if (verdict !== 'allow' && verdict !== 'ask') this.#say('✗', `${verdict} by ${rule}: ${reason}`)
  }

  #ended(effect: EffectRequest | undefined, outcome: Outcome<Json>): void {
    // A refusal was already shown with its decision.
    if (outcome.status === 'denied' && effect !== undefined && isRefused(effect)) return
    if (outcome.status !== 'ok') {
      const why = outcome.status === 'failed' ? outcome.error.message : outcome.reason
      return this.#say('✗', `${effect?.name ?? 'call'} ${outcome.status}: ${why}`)
    }
    if (effect?.kind !== 'model') return this.#say('=', shortened(outcome.value))
    this.#turns += 1
    const message = isRecord(outcome.value) ? outcome.value['message'] : undefined
    this.#said(message)
  }

  /** Adds a message of a model or user in the middle of a run. The final answer is shown at the end. */
  #said(message: unknown): void {
    if (!isMessage(message)) return
    const text = textOf(message)
    if (text !== this.#answer) this.#section(message.role === 'assistant' ? 'model' : message.role, text)
  }
}

function isRefused(effect: EffectRequest): boolean {
  const { decision } = effect as Partial<EffectDecideData>
  return decision?.verdict === 'deny' || decision?.verdict === 'kill'
}

function isMessage(value: unknown): value is Message {
  return isRecord(value) && Array.isArray(value['content']) && typeof value['role'] === 'string'
}

function inputText({ input }: RunStartData): string {
  const prompt = isRecord(input) ? input['prompt'] : undefined
  if (isMessage(prompt)) return textOf(prompt)
  return typeof input === 'string' ? input : shortened(input)
}

function call({ kind, name, input }: EffectRequest): string {
  const prompt = isRecord(input) ? input['prompt'] : undefined
  const given = isMessage(prompt) ? textOf(prompt) : input
  return `${kind === 'tool' ? '' : `${kind} `}${name} ${shortened(given, name.length + kind.length + 2)}`
}

/** Shortens a value to the rest of a line. */
function shortened(value: unknown, taken = 0): string {
  return clip(value, Math.max((screenWidth() ?? PIPE_WIDTH) - taken - 6, 20))
}

function answeredText(data: Extract<Entry, { type: 'approval-response' }>['data'] & object): string {
  const { answer, by, scope, text, value, edit } = data
  const more = [
    ...(scope === undefined || scope === 'once' ? [] : [`for the ${scope}`]),
    ...(edit === undefined ? [] : [`with ${shortened(edit, 30)}`]),
    ...(value === undefined ? [] : [shortened(value, 30)]),
    ...(text === undefined ? [] : [text]),
  ]
  return `${answer} by ${by.id}${more.length === 0 ? '' : `: ${more.join(', ')}`}`
}

/** Returns the answer of a run as text: an agent's result or last text, or the value of a program. */
function answerIn(entries: readonly Entry[]): string | undefined {
  const last = entries.at(-1)
  if (last?.type !== 'run-end' || last.data === null || last.data.output === undefined) return undefined
  const { output } = last.data
  const value = isRecord(output) && 'result' in output ? (output['result'] ?? output['lastText'] ?? '') : output
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
