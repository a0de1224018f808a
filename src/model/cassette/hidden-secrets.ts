import { type Json, type JsonObject } from '../../core/index.ts'
import { type KnownValues, type Redactor, composeRedactors, knownValues, redactJson } from '../../redact/index.ts'
import type { RecordedEvent } from './recorder.ts'
import { secretTokens } from './secret-tokens.ts'

/** Removes what must not be committed to a repository. Idempotent, so that both sides of a comparison can be processed. */
export interface Hiding {
  json(value: Json): Json
  text(text: string): string
  events(events: readonly RecordedEvent[]): readonly RecordedEvent[]
}

/** Redacts known values first, then what the given redactor finds, then what has the format of a token; headers with credentials lose their value. */
export function hidingBy(redactor: Redactor | undefined, secrets: Readonly<Record<string, string>>): Hiding {
  const known: KnownValues = knownValues()
  // Longer values first: otherwise a value that contains another would be split.
  const sorted = Object.entries(secrets).toSorted(([, a], [, b]) => b.length - a.length)
  for (const [name, value] of sorted) known.add(name, value)
  const all = composeRedactors(known, ...(redactor === undefined ? [] : [redactor]), secretTokens)
  const json = (value: Json): Json => redactJson(withoutCredentials(value), all)
  return {
    json,
    text: (text) => all.text(text),
    events: (events) => joinWhereHidden(events, all).map((event) => hideIn(event, json)),
  }
}

function hideIn(event: RecordedEvent, json: (value: Json) => Json): RecordedEvent {
  return 'item' in event ? { item: json(event.item) } : { emit: event.emit, data: json(event.data) }
}

const HEADERS = /^(?:request|response)?[-_]?headers$/i
const CREDENTIALS = /auth|cookie|token|secret|key|session|password|signature/i
const NOT_RECORDED = '[not recorded]'
/** Members that only a provider's own transport fills: headers in them are removed completely. */
const TRANSPORT = new Set(['providerOptions', 'providerMetadata'])

function withoutCredentials(value: Json, isTransport = false): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => withoutCredentials(item, isTransport))
  const members = Object.entries(value)
    .filter(([key]) => !(isTransport && HEADERS.test(key)))
    .map(([key, member]): [string, Json] => [
      key,
      HEADERS.test(key) ? headersOf(member) : withoutCredentials(member, isTransport || TRANSPORT.has(key)),
    ])
  return Object.fromEntries(members)
}

/** Redacts headers, given as a record of texts or as a list of pairs; other values are left as they are. */
function headersOf(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  const hide = (name: Json, content: Json): Json =>
    typeof name === 'string' && CREDENTIALS.test(name) && isText(content) ? NOT_RECORDED : content
  if (Array.isArray(value)) {
    return (value as readonly Json[]).map((pair) =>
      Array.isArray(pair) && pair.length === 2 ? [pair[0] as Json, hide(pair[0] as Json, pair[1] as Json)] : pair,
    )
  }
  return Object.fromEntries(Object.entries(value).map(([name, content]) => [name, hide(name, content)]))
}

function isText(value: Json): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.every((item) => typeof item === 'string'))
}

/** A secret may be streamed in pieces, none of which shows it: if the joined pieces of a block contain one, the block becomes one piece. */
function joinWhereHidden(events: readonly RecordedEvent[], redactor: Redactor): readonly RecordedEvent[] {
  const joined: RecordedEvent[] = []
  let block: Piece[] = []
  const close = (): void => {
    const text = block.map((piece) => piece.text).join('')
    const apart = block.map((piece) => redactor.text(piece.text)).join('')
    if (redactor.text(text) === apart) joined.push(...block.map((piece) => piece.event))
    else joined.push({ item: block[0]!.withText(text) })
    block = []
  }
  for (const event of events) {
    const piece = pieceOf(event)
    if (block.length > 0 && block[0]!.block !== piece?.block) close()
    if (piece === undefined) joined.push(event)
    else block.push(piece)
  }
  if (block.length > 0) close()
  return joined
}

/** A piece of streamed text. */
interface Piece {
  readonly event: RecordedEvent
  /** Neighbouring pieces of one block are parts of one text. */
  readonly block: string
  readonly text: string
  withText(text: string): Json
}

function pieceOf(event: RecordedEvent): Piece | undefined {
  if (!('item' in event)) return undefined
  const { item } = event
  if (typeof item === 'string') return { event, block: '', text: item, withText: (text) => text }
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return undefined
  const members = item as JsonObject
  const { type, id } = members
  // Parts of this package have `text`, those of the AI SDK `delta`.
  for (const member of ['text', 'delta']) {
    const text = members[member]
    if (typeof type === 'string' && typeof text === 'string')
      return { event, block: JSON.stringify([type, id]), text, withText: (whole) => ({ ...members, [member]: whole }) }
  }
  return undefined
}
