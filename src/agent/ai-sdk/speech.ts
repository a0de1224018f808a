import type { Message, ProviderMetadata } from '../../model/index.ts'
import type { AiSdkStreamPart } from './part-shapes.ts'

type Kind = 'text' | 'reasoning'

interface Block {
  readonly kind: Kind
  readonly id: string
}

/**
 * Converts a model's text to blocks with a start and an end. Blocks stay open until the call is over, because only then their provider metadata
 * (signatures, cache marks) is known, which must be sent with them.
 *
 * A call that breaks off is retried, and streamed text cannot be withdrawn: text that the retry repeats is not sent again, and text that differs
 * starts a new block.
 */
export class Speech {
  readonly #prefix: string
  #count = 0
  #blocks: Block[] = []
  /** The text of the failed attempt, and how much of it was repeated. */
  #broken = ''
  #again = ''
  #said = ''

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  delta(kind: Kind, text: string): AiSdkStreamPart[] {
    if (text === '') return []
    const more = kind === 'text' ? this.#news(text) : this.#broken === '' ? text : ''
    if (more === '') return []
    const open = this.#blocks.at(-1)
    if (kind === 'text') this.#said += more
    if (open?.kind === kind) return [{ type: `${kind}-delta`, id: open.id, text: more }]
    const block = { kind, id: `${this.#prefix}-${++this.#count}` }
    this.#blocks.push(block)
    return [
      { type: `${kind}-start`, id: block.id },
      { type: `${kind}-delta`, id: block.id, text: more },
    ]
  }

  /** The attempt broke off; another one follows. */
  reset(): void {
    this.#broken = this.#said
    this.#again = ''
  }

  /** Ends the call. `message` is its reply, if there is one. */
  end(message: Message | undefined): AiSdkStreamPart[] {
    const carried = message === undefined ? [] : metadataOf(message)
    const isSame = carried.length === this.#blocks.length
    const parts = this.#blocks.map(({ kind, id }, index): AiSdkStreamPart => {
      const providerMetadata = isSame && carried[index]?.kind === kind ? carried[index].metadata : undefined
      return { type: `${kind}-end`, id, ...(providerMetadata === undefined ? {} : { providerMetadata }) }
    })
    this.#blocks = []
    this.#broken = ''
    this.#again = ''
    this.#said = ''
    return parts
  }

  /** The part of a text that was not streamed before. */
  #news(text: string): string {
    if (this.#broken === '') return text
    this.#again += text
    if (this.#broken.startsWith(this.#again)) return ''
    const isSame = this.#again.startsWith(this.#broken)
    const news = isSame ? this.#again.slice(this.#broken.length) : `\n${this.#again}`
    this.#broken = ''
    return news
  }
}

/** The provider metadata of each sequence of parts of one kind, in order. */
function metadataOf({ content }: Message): { readonly kind: Kind; readonly metadata: ProviderMetadata | undefined }[] {
  const found: { kind: Kind; metadata: ProviderMetadata | undefined }[] = []
  let before: string | undefined
  for (const part of content) {
    if (part.type === 'text' || part.type === 'reasoning') {
      const last = found.at(-1)
      if (before === part.type && last !== undefined) last.metadata = { ...last.metadata, ...part.providerMetadata }
      else found.push({ kind: part.type, metadata: part.providerMetadata })
    }
    before = part.type
  }
  return found
}
