import { MandateError, checkFields, isRecord, joinLabels } from '../../core/index.ts'
import type { FieldNames, Json, Label } from '../../core/index.ts'
import type { ContextSource } from '../../memory/index.ts'
import type { Range } from './chunks.ts'
import { badCall } from './limits.ts'
import { bytePages, changed, textPages } from './page-index.ts'
import { PagedText } from './paged-text.ts'
import { Records } from './records.ts'
import { TextView } from './text-view.ts'

/** A range of a context as plain data: scripts keep it, pass it on and give it to `rlm_query`, and nothing of its text moves. */
export type ContextPart = {
  /** Which content the range is of. */
  readonly context: string
  readonly from: number
  readonly to: number
}

/** What is known of a context without reading it. Recorded when a session opens it, so that a replay needs no source. */
export type ContextFacts = {
  readonly label: string
  /** Names the content: its hash, and the range of it where the context is a part. */
  readonly ref: string
  /** Characters, as `length` of a text counts them. */
  readonly length: number
  /** Bytes of the whole source. */
  readonly bytes: number
  readonly lineCount: number
  /** Those of the context, where it has any. */
  readonly labels?: readonly Label[]
}

/** A context that is indexed. */
export interface OpenContext {
  readonly facts: ContextFacts
  readonly view: TextView
  readonly records: Records
}

interface ContextOptions {
  /** Name shown to people and models; of a text in memory `context` when absent. */
  readonly label?: string | undefined
  /** Put on everything that is read from it, as `untrusted:file`. */
  readonly labels?: readonly Label[] | undefined
}

const CONTEXT_OPTIONS: FieldNames<ContextOptions> = { label: true, labels: true }

/** A large input of a session: its text stays where it is and is read in parts. */
export class Context {
  readonly label: string
  readonly labels: readonly Label[]
  readonly #text: () => Promise<PagedText>
  readonly #range: Range | undefined
  #open: Promise<OpenContext> | undefined

  constructor(
    text: () => Promise<PagedText>,
    options: { readonly label: string; readonly labels: readonly Label[]; readonly range?: Range },
  ) {
    this.#text = text
    this.label = options.label
    this.labels = options.labels
    this.#range = options.range
  }

  /** Indexes the text the first time, in one pass. */
  open(): Promise<OpenContext> {
    this.#open ??= this.#opened().catch((error: unknown) => {
      this.#open = undefined
      throw error
    })
    return this.#open
  }

  async #opened(): Promise<OpenContext> {
    const text = await this.#text()
    const view = this.#range === undefined ? new TextView(text) : new TextView(text, this.#range.from, this.#range.to)
    const hash = text.index.hash.slice(0, HASH_DIGITS)
    const facts: ContextFacts = {
      label: this.label,
      ref: this.#range === undefined ? hash : `${hash}@${view.from}-${view.to}`,
      length: view.length,
      bytes: text.index.bytes,
      lineCount: await view.lineCount(),
      ...(this.labels.length === 0 ? {} : { labels: this.labels }),
    }
    return { facts, view, records: new Records(view) }
  }

  /** A range of this context as a context of its own. A range outside of it, or of other content, is refused. */
  async part(part: ContextPart): Promise<Context> {
    const { view } = await this.open()
    const { from, to } = await this.#place(part)
    const text = view.text
    return new Context(async () => text, { label: this.label, labels: this.labels, range: { from, to } })
  }

  /** The same content with more labels. */
  withLabels(labels: readonly Label[]): Context {
    return new Context(async () => (await this.open()).view.text, {
      label: this.label,
      labels: joinLabels(this.labels, labels),
      ...(this.#range === undefined ? {} : { range: this.#range }),
    })
  }

  /** Whether a reference is to the content of this context; positions count from the beginning of the range that the reference names. */
  async #place({ context, from, to }: ContextPart): Promise<Range> {
    const { view } = await this.open()
    const named = readRef(context)
    if (!view.text.index.hash.startsWith(named.hash)) throw changed(this.label)
    const base = named.from ?? 0
    const range = { from: base + from, to: base + to }
    const isWhole = Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && from <= to
    if (isWhole && range.from >= view.from && range.to <= view.to) return range
    throw badCall(`The range from ${from} to ${to} is not in this context, which has ${view.length} characters.`)
  }

  /** The context that a reference names: this one or a range of it. Throws where the content is another one. */
  async at(ref: string): Promise<Context> {
    const { facts, view } = await this.open()
    if (ref === facts.ref) return this
    const { hash, from = 0, to } = readRef(ref)
    return this.part({ context: hash, from, to: to ?? view.text.length })
  }
}

const HASH_DIGITS = 32

function readRef(ref: string): { readonly hash: string; readonly from?: number; readonly to?: number } {
  const [, hash, from, to] = /^([0-9a-f]{32})(?:@(\d{1,15})-(\d{1,15}))?$/.exec(ref) ?? []
  if (hash === undefined) throw badCall(`"${ref.slice(0, 60)}" names no context. Pass what \`chunks\` gave.`)
  return from === undefined ? { hash } : { hash, from: Number(from), to: Number(to) }
}

/** Whether a value is a range of a context, as `chunks` gives it. */
export function isContextPart(value: unknown): value is ContextPart {
  return (
    isRecord(value) &&
    typeof value['context'] === 'string' &&
    typeof value['from'] === 'number' &&
    typeof value['to'] === 'number'
  )
}

/** Whether a value is a context, or a source that one can be made of, rather than data. */
export function isContextLike(value: unknown): value is Context | ContextSource {
  return value instanceof Context || isSource(value)
}

export function asContext(given: Context | ContextSource, labels: readonly Label[] = []): Context {
  const context = given instanceof Context ? given : contextOf(given)
  return labels.length === 0 ? context : context.withLabels(labels)
}

function isSource(value: unknown): value is ContextSource {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<ContextSource>).read === 'function' &&
    typeof (value as Partial<ContextSource>).size === 'function'
  )
}

/**
 * Makes a context of a text, of plain data, or of a source that is read in parts, as a file of 100 MB. Nothing is read before its first use. Plain data
 * becomes JSON: a list with one element per line, so that lines and records of it are the same.
 *
 * @example
 * ```ts
 * import { contextOf } from 'mandate/repl'
 * import { fileContext } from 'mandate/connect'
 * const log = contextOf(fileContext('server.log'), { labels: ['untrusted:file'] })
 * const note = contextOf('A short text works the same way.')
 * ```
 */
export function contextOf(given: ContextSource | Json, options: ContextOptions = {}): Context {
  checkFields(options, 'an option of `contextOf`', CONTEXT_OPTIONS)
  const labels = options.labels ?? []
  if (isSource(given)) {
    if (typeof given.label !== 'string')
      throw new MandateError('CONFIG_INVALID', 'The source of a context needs a `label`: a short name for it.')
    return new Context(() => PagedText.open(bytePages(given)), { label: options.label ?? given.label, labels })
  }
  const label = options.label ?? (typeof given === 'string' ? 'context' : 'context.json')
  const text = typeof given === 'string' ? given : jsonText(given)
  return new Context(() => PagedText.open(textPages(label, text)), { label, labels })
}

function jsonText(value: Json): string {
  if (!Array.isArray(value)) return JSON.stringify(value, null, 2)
  return `[\n${value.map((element) => JSON.stringify(element)).join(',\n')}\n]`
}
