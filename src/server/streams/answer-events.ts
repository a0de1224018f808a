import type { AtlasStream } from '../../chat/index.ts'
import { errorInfo } from '../../core/index.ts'
import type { EventSource } from './sse.ts'

/** The answer to a message as a client gets it: `start`, `text` as it is written, then `end` or `error`. What a slow client has not taken yet comes as one piece. */
export class AnswerEvents implements EventSource {
  #text = ''
  #ready: string
  #isOver = false
  #changed: (() => void) | undefined

  constructor(stream: AtlasStream, conversationId: string) {
    this.#ready = eventText('start', { conversationId, streamId: stream.streamId })
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

  /** The turn goes on without its client, which finds it in the conversation and among the runs. */
  close(): void {
    this.#changed = undefined
  }

  #gathered(): string {
    const text = this.#text
    this.#text = ''
    return text === '' ? '' : eventText('text', { text })
  }

  async #follow(stream: AtlasStream): Promise<void> {
    try {
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

  #end(last: string): void {
    this.#ready += this.#gathered() + last
    this.#isOver = true
    this.#changed?.()
  }
}

function eventText(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
