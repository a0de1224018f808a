import { noRedaction, streamOf } from '../../redact/index.ts'
import type { RedactedStream } from '../../redact/index.ts'
import type { IntentFilter } from '../../gate/index.ts'
import type { ModelPart } from '../../model/index.ts'
import type { KernelCall } from './performer.ts'

type Speech = 'text-delta' | 'reasoning-delta'

/** A text that is being streamed. */
interface Block {
  readonly type: Speech
  readonly id: string | undefined
  readonly stream: RedactedStream
  /** Removes declared intents, after secrets have been redacted. */
  readonly filter: IntentFilter | undefined
}

/** Streams text to listeners, redacted like the recorded text: a possible prefix of a secret is held back until it is decided. */
export class ShownText {
  readonly #call: KernelCall
  readonly #newFilter: (() => IntentFilter) | undefined
  #blocks: Block[] = []
  #last: Block | undefined
  /** Text received without a listener. It is scanned when a listener is added, because a secret may continue in later pieces. */
  readonly #unheard: ModelPart[] = []
  #isSilent = false

  constructor(call: KernelCall, newFilter?: () => IntentFilter) {
    this.#call = call
    this.#newFilter = newFilter
  }

  show(part: ModelPart): void {
    if (this.#isWanted()) this.#addHeard(part)
    else this.#unheard.push(part)
  }

  end(): void {
    if (!this.#isWanted()) return
    this.#catchUp()
    for (const block of this.#blocks) this.#close(block)
  }

  #addHeard(part: ModelPart): void {
    if (this.#unheard.length > 0) this.#catchUp()
    this.#add(part)
  }

  /** Scans text from before there was a listener, without emitting it. */
  #catchUp(): void {
    this.#isSilent = true
    for (const part of this.#unheard.splice(0)) this.#add(part)
    this.#isSilent = false
  }

  #isWanted(): boolean {
    const { run } = this.#call
    return run.wants('text-delta') || run.wants('reasoning-delta')
  }

  #add(part: ModelPart): void {
    if (part.type !== 'text-delta' && part.type !== 'reasoning-delta') {
      // A block without an id ends when another part arrives; blocks with ids may continue.
      if (this.#last?.id === undefined) this.#close(this.#last)
      return
    }
    if (this.#call.run.redactor === noRedaction && this.#newFilter === undefined)
      return this.#tell(part.type, part.text)
    const { stream, filter } = this.#blockOf(part.type, part.id)
    const text = stream.push(part.text)
    this.#tell(part.type, filter === undefined ? text : filter.push(text))
  }

  #blockOf(type: Speech, id: string | undefined): Block {
    const last = this.#last
    if (last !== undefined && last.type === type && last.id === id) return last
    if (last !== undefined && last.id === undefined) this.#close(last)
    let block = id === undefined ? undefined : this.#blocks.find((one) => one.type === type && one.id === id)
    if (block === undefined) {
      const filter = type === 'text-delta' ? this.#newFilter?.() : undefined
      block = { type, id, stream: streamOf(this.#call.run.redactor), filter }
      this.#blocks.push(block)
    }
    this.#last = block
    return block
  }

  #close(block: Block | undefined): void {
    if (block === undefined) return
    this.#blocks = this.#blocks.filter((one) => one !== block)
    if (this.#last === block) this.#last = undefined
    const rest = block.stream.end()
    const { filter } = block
    this.#tell(block.type, filter === undefined ? rest : filter.push(rest) + filter.end())
  }

  #tell(type: Speech, text: string): void {
    if (text === '' || this.#isSilent) return
    const { run, key, signal, effect } = this.#call
    if (signal.aborted) return
    const told = effect.isThought === true ? 'reasoning-delta' : type
    // The event states that text was left out, for comparison with the reply.
    run.tell(told, this.#newFilter === undefined ? { text } : { text, hidden: 'intents' }, key)
  }
}
