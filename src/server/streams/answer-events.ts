import type { AtlasStream } from '../../chat/index.ts'
import { errorInfo } from '../../core/index.ts'
import type { EventSource } from './sse.ts'

/**
 * The events of an answer to a message: `start`, `text` as it is written, then `end` or `error`. Text that a slow client has not taken yet is sent as one
 * piece.
 */
export class AnswerEvents implements EventSource {
  #text = ''
  #ready = ''
  #isOver = false
  #changed: (() => void) | undefined
  readonly #stream: AtlasStream
  readonly #conversationId: string

  constructor(stream: AtlasStream, conversationId: string) {
    this.#stream = stream
    this.#conversationId = conversationId
    void this.#follow(stream)
  }

  get isOver(): boolean {
    return this.#isOver && this.#ready === ''
  }

  onChange(changed: () => void): void {
    this.#changed = changed
  }

  take(): string | undefined {
    const text = this.#ready + this.#gathered()
    this.#ready = ''
    return text === '' ? undefined : text
  }

  /**
   * Called when the client disconnects. A turn that has started continues, and the client finds it in the conversation and among the runs. A message that
   * still waits is withdrawn.
   */
  close(): void {
    this.#changed = undefined
    void this.#stream.withdraw()
  }

  #gathered(): string {
    const text = this.#text
    this.#text = ''
    return text === '' ? '' : eventText('text', { text })
  }

  async #follow(stream: AtlasStream): Promise<void> {
    try {
      // A message is accepted only when its turn is in the journal.
      if (await stream.started) this.#start()
      for await (const text of stream) {
        this.#text += text
        this.#changed?.()
      }
      const message = await stream.finalMessage
      const { status, pending } = stream
      this.#end(eventText('end', { status, message, pending }))
    } catch (error) {
      const { code, message } = errorInfo(error)
      this.#end(eventText('error', { error: { code, message } }))
    }
  }

  #start(): void {
    this.#ready = eventText('start', { conversationId: this.#conversationId, streamId: this.#stream.streamId })
    this.#changed?.()
  }

  #end(last: string): void {
    this.#ready += this.#gathered() + last
    this.#isOver = true
    this.#changed?.()
  }
}

function eventText(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
