import type { MandateEvent } from '../../journal/index.ts'
import type { RunContext } from '../../run/index.ts'
import { TextFold, joinTexts } from '../session/text-stream.ts'
import { ANSWER_KEY } from '../transcript/model-call-keys.ts'

/**
 * Streams the texts of child runs as one text of the parent run, each on a new line. Not stored: the text of a child is in the child's journal, that
 * of the run in its result.
 */
export class AnswerStream {
  readonly #context: RunContext
  #run: string | undefined
  #fold = new TextFold()
  /** The text of earlier child runs. */
  #before = ''
  #text = ''
  #resets = 0

  constructor(context: RunContext) {
    this.#context = context
  }

  /** The text that was streamed and not withdrawn. */
  get text(): string {
    return this.#text
  }

  /** Adds an event of the child run. */
  add(event: MandateEvent): void {
    if (event.runId !== this.#run) {
      this.#run = event.runId
      this.#before = this.#text
      this.#fold = new TextFold()
    }
    const change = this.#fold.add(event)
    if (change === undefined) return
    if ('standing' in change) this.#become(joinTexts(this.#before, change.standing))
    else this.#write(this.#before !== '' && this.#text === this.#before ? `\n${change.more}` : change.more)
  }

  /** Ends with the complete text of the run. If the run was resumed, its beginning was streamed before. */
  end(text: string): void {
    if (!text.endsWith(`\n${this.#text}`)) this.#become(text)
  }

  #become(text: string): void {
    if (!text.startsWith(this.#text)) {
      this.#context.emit('stream-reset', { attempt: ++this.#resets, reason: 'The text has changed.' }, ANSWER_KEY)
      this.#text = ''
    }
    this.#write(text.slice(this.#text.length))
  }

  #write(text: string): void {
    if (text === '') return
    this.#text += text
    this.#context.emit('text-delta', { text }, ANSWER_KEY)
  }
}
