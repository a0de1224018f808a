import { MandateError, checkFields, isRecord, joinLabels } from '../../core/index.ts'
import type { FieldNames, Json, Label } from '../../core/index.ts'
import type { ContextSource } from '../../memory/index.ts'
import type { Range } from './chunks.ts'
import { badCall } from './limits.ts'
import { bytePages, changed, textPages } from './page-index.ts'
import { PagedText } from './paged-text.ts'
import { Records } from './records.ts'
import { TextView } from './text-view.ts'

/** A range of a context as plain data. Scripts store it, pass it on and give it to `rlm_query` without copying any text. */
export type ContextPart = {
  /** Reference to the content. */
  readonly context: string
  readonly from: number
  readonly to: number
}

/** Metadata of a context. Recorded when a session opens it, so that a replay does not need the source. */
export type ContextFacts = {
  readonly label: string
  /** Identifies the content: its hash and, for a part, its range. */
  readonly ref: string
  /** Characters, as `length` of a text counts them. */
  readonly length: number
  /** Bytes of the whole source. */
  readonly bytes: number
  readonly lineCount: number
  /** Labels of the context, if it has any. */
  readonly labels?: readonly Label[]
}

/** An indexed context. */
export interface OpenContext {
  readonly facts: ContextFacts
  readonly view: TextView
  readonly records: Records
}

interface ContextOptions {
  /** Name shown to people and models; `context` when absent for text in memory. */
  readonly label?: string | undefined
  /** Added to everything that is read from the context, for example `untrusted:file`. */
  readonly labels?: readonly Label[] | undefined
}

const CONTEXT_OPTIONS: FieldNames<ContextOptions> = { label: 'text', labels: 'texts' }

/** A large input of a session. Its text stays in the source and is read in parts. */
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

  /** Opens the context. The first call indexes the text in one pass. */
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

  /** Creates a context of a range of this one. Throws for a range outside of it or a reference to other content. */
  async part(part: ContextPart): Promise<Context> {
    const { view } = await this.open()
    const { from, to } = await this.#place(part)
    const text = view.text
    return new Context(async () => text, { label: this.label, labels: this.labels, range: { from, to } })
  }

  /** Returns a context of the same content with additional labels. */
  withLabels(labels: readonly Label[]): Context {
    return new Context(async () => (await this.open()).view.text, {
      label: this.label,
      labels: joinLabels(this.labels, labels),
      ...(this.#range === undefined ? {} : { range: this.#range }),
    })
  }

  /**
   * Resolves a part to a range of this context. Positions are relative to the start of the range in the reference. Throws if the reference is to other
   * content.
   */
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

  /** Returns the context that a reference identifies: this one or a range of it. Throws if the content differs. */
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

/** Whether a value is a range of a context, as returned by `chunks`. */
export function isContextPart(value: unknown): value is ContextPart {
  return (
    isRecord(value) &&
    typeof value['context'] === 'string' &&
    typeof value['from'] === 'number' &&
    typeof value['to'] === 'number'
  )
}

/** Whether a value is a context or a context source, as opposed to plain data. */
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
 * Creates a context from a text, plain data, or a source that is read in parts (such as a 100 MB file). Nothing is read before the first use. Plain data is
 * converted to JSON; a list has one element per line, so each line is one record.
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
