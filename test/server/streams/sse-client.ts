/** One server-sent event as a client sees it. */
export interface SseEvent {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: string
}

/** Reads server-sent events as a browser does: an event is a block of lines, comments are left out. */
export async function* sseEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<SseEvent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = new Map(text.slice(0, end).split('\n').map(fieldOf))
      text = text.slice(end + 2)
      const data = fields.get('data')
      if (data !== undefined) yield { id: fields.get('id'), event: fields.get('event'), data }
    }
  }
}

function fieldOf(line: string): readonly [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')]
}

interface Event {
  readonly type: string
  readonly seq?: number
  readonly key?: string
  readonly data: { readonly text?: string; readonly offset?: number; readonly outcome?: { readonly value?: unknown } }
}

/** What a client keeps of a run's stream: the entries, and the text of each model call by the one rule that the documents give. */
export class RunClient {
  readonly seqs: number[] = []
  readonly types: string[] = []
  readonly texts: Map<string, string> = new Map()
  /** Texts by their pieces alone, put together without a look at their offsets: for streams that were never cut. */
  readonly pieces: Map<string, string> = new Map()
  /** What the entries say that each model call came to. */
  readonly finals: Map<string, string> = new Map()
  lastId: string | undefined
  isEnded = false

  add({ id, event, data }: SseEvent): void {
    if (id !== undefined) this.lastId = id
    if (event === 'end') return void (this.isEnded = true)
    const { type, seq, key = '', data: content } = JSON.parse(data) as Event
    this.types.push(type)
    if (seq !== undefined) this.seqs.push(seq)
    if (type === 'effect-end' && key.endsWith('/model')) this.finals.set(key, finalText(content.outcome?.value))
    if (type !== 'text-delta') return
    const { text = '', offset = 0 } = content
    this.texts.set(key, (this.texts.get(key) ?? '').slice(0, offset) + text)
    this.pieces.set(key, (this.pieces.get(key) ?? '') + text)
  }
}

function finalText(value: unknown): string {
  const { message } = value as { message: { content: { type: string; text?: string }[] } }
  return message.content.map(({ type, text }) => (type === 'text' ? text : '')).join('')
}
