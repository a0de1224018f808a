import type { Message, ProviderMetadata } from '../../model/index.ts'
import type { AiSdkStreamPart } from './part-shapes.ts'

type Kind = 'text' | 'reasoning'

interface Block {
  readonly kind: Kind
  readonly id: string
}

/**
 * What a model says, as blocks that begin and end. Blocks stay open until the call is over, because only then it is known what the provider
 * attached to them, and that has to travel with them: signatures, cache marks.
 *
 * A call that breaks off is tried again, and what was streamed cannot be taken back: what is said again in the same words is not repeated,
 * and where it says something else, that is a new block.
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

  /** The attempt broke off; another one begins. */
  reset(): void {
    this.#broken = this.#said
    this.#again = ''
  }

  /** The call is over. `message` is what it came to, if it came to anything. */
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

  /** What of a text was not streamed before. */
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

/** What the provider attached to each run of parts of one kind, in order. */
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
