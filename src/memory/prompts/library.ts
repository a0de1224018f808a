import { type Clock, MandateError, checkId, systemClock, checkFields, type FieldNames } from '../../core/index.ts'
import { fromText, jsonText } from '../json-text.ts'
import type { PromptDraft, PromptStore, PromptTemplate, RenderOptions } from '../prompt-store.ts'
import type { RecordSealer } from '../records/port.ts'
import { PROMPT_POLICY, type PromptChange, type PromptPolicy, allowChange } from './policy.ts'
import type { PromptPort, PromptRow } from './port.ts'
import { checkDraft, checkTemplate, renderTemplate } from './render.ts'

export interface PromptStoreOptions {
  readonly clock?: Clock | undefined
  /** Who may change templates, and the allowed changes. By default anyone may make any change. */
  readonly policy?: PromptPolicy | undefined
  /**
   * Called before every change takes effect. If it throws, the change is not made: what cannot be audited is not stored. If another process stores a
   * version at the same time, it is called again with the next number.
   */
  readonly onChange?: ((change: PromptChange) => unknown) | undefined
  /** Computes `meta.tokensEstimate`; 0.3 tokens per character by default. */
  readonly estimateTokens?: ((text: string) => number) | undefined
  /** Encrypts stored templates. */
  readonly sealer?: RecordSealer | undefined
}

const PROMPT_STORE_OPTIONS: FieldNames<PromptStoreOptions> = {
  clock: 'object',
  policy: 'object',
  onChange: 'function',
  estimateTokens: 'function',
  sealer: 'object',
}

/** A prompt store with all optional operations. */
export type WholePromptStore = Required<PromptStore>

/**
 * Creates a prompt store over a port, which adds versions, labels, policy and rendering.
 *
 * @example
 * ```ts
 * import { promptsOver } from 'mandate/kit'
 * import type { PromptPort } from 'mandate/kit'
 * declare const port: PromptPort
 * const prompts = promptsOver(port, { policy: { authors: ['ada'] } })
 * await prompts.put({ id: 'hello', text: 'Hello {{name}}' }, { author: 'ada' })
 * ```
 */
export function promptsOver(port: PromptPort, options: PromptStoreOptions = {}): WholePromptStore {
  checkFields(options, 'an option of `promptsOver`', PROMPT_STORE_OPTIONS)
  checkFields(options.policy, 'a field of a prompt policy', PROMPT_POLICY)
  const { estimateTokens = estimate } = options
  const library = new Library(port, options)
  return {
    get: (id, version) => library.find(id, version),
    async put(draft, given = {}) {
      checkFields(given, 'an option of `put`', AUTHOR)
      return library.inTurn(() => library.put(draft, given.author))
    },
    async label(id, label, version, given = {}) {
      checkFields(given, 'an option of `label`', AUTHOR)
      return library.inTurn(() => library.label(id, label, version, given.author))
    },
    async labels(id) {
      return Object.fromEntries([...(await port.labels(id))].map(([label, version]) => [label, String(version)]))
    },
    async versions(id) {
      return library.openAll(await port.versions(id))
    },
    async list(filter = {}) {
      checkFields(filter, 'a filter of `list`', { tag: true, name: true })
      const { tag, name } = filter
      const newest = await library.openAll(await port.newest())
      return newest.filter(
        (one) => (tag === undefined || one.tags?.includes(tag) === true) && (name === undefined || one.name === name),
      )
    },
    async render(id, params = {}, renderOptions = {}) {
      checkFields(renderOptions, 'an option of `render`', RENDER_OPTIONS)
      return renderTemplate(await library.need(id, renderOptions.version), params, renderOptions, estimateTokens)
    },
    validate: (text, engine) => checkTemplate(text, engine),
    close: () => port.close(),
  }
}

const AUTHOR = { author: true }
const RENDER_OPTIONS: FieldNames<RenderOptions> = { throwOnMissing: 'flag', version: 'text' }

function estimate(text: string): number {
  return Math.ceil(text.length * 0.3)
}

class Library {
  readonly #port: PromptPort
  readonly #options: PromptStoreOptions
  #turn: Promise<unknown> = Promise.resolve()

  constructor(port: PromptPort, options: PromptStoreOptions) {
    this.#port = port
    this.#options = options
  }

  /** Serializes changes, so that a slow audit is called exactly once for every change. */
  inTurn<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.#turn.then(change)
    this.#turn = changed.catch(() => {})
    return changed
  }

  async openAll(rows: readonly PromptRow[]): Promise<readonly PromptTemplate[]> {
    const templates: PromptTemplate[] = []
    for (const row of rows) templates.push(await this.#open(row))
    return templates
  }

  async find(id: string, version?: string): Promise<PromptTemplate | null> {
    const number = version === undefined ? undefined : await this.#number(id, version)
    const row = number === null ? undefined : await this.#port.get(id, number)
    return row === undefined ? null : this.#open(row)
  }

  async need(id: string, version: string | undefined): Promise<PromptTemplate> {
    const template = await this.find(id, version)
    if (template !== null) return template
    const versions = (await this.#port.versions(id)).map((row) => String(row.version))
    if (versions.length > 0) {
      const known = [...versions, ...(await this.#port.labels(id)).keys()].join(', ')
      throw new MandateError('NOT_FOUND', `The prompt template "${id}" has no version ${version}. It has: ${known}.`)
    }
    const known = (await this.#port.newest()).map((row) => row.id).join(', ') || 'none'
    throw new MandateError('NOT_FOUND', `There is no prompt template "${id}". Known: ${known}.`)
  }

  async put(draft: PromptDraft, author: string | undefined): Promise<PromptTemplate> {
    checkId(draft.id, 'The template id')
    await checkDraft(draft)
    for (;;) {
      const before = await this.#port.get(draft.id)
      const version = (before?.version ?? 0) + 1
      const text = jsonText(this.#template(draft, version, author), `The template "${draft.id}"`)
      const after = fromText(text) as PromptTemplate
      await this.#allow({ op: 'put', before: before === undefined ? null : await this.#open(before), after, author })
      const kept = (await this.#options.sealer?.seal(text, placeOf(draft.id, version))) ?? text
      // Otherwise another process was faster, and the next version number is tried.
      if (await this.#port.add(draft.id, version, kept)) return fromText(text) as PromptTemplate
    }
  }

  async label(id: string, label: string, version: string, author: string | undefined): Promise<void> {
    checkId(label, 'The label')
    if (/^\d+$/.test(label))
      throw new MandateError(
        'INPUT_INVALID',
        `The label "${label}" looks like a version. Use a word, such as "production".`,
      )
    const after = await this.need(id, version)
    const pointed = (await this.#port.labels(id)).get(label)
    const before = pointed === undefined ? null : await this.find(id, String(pointed))
    await this.#allow({ op: 'label', label, before, after, author })
    await this.#port.setLabel(id, label, Number(after.version))
  }

  #template(draft: PromptDraft, version: number, author: string | undefined): PromptTemplate {
    const { clock = systemClock } = this.#options
    const createdBy = author ?? draft.createdBy
    return {
      ...draft,
      version: String(version),
      createdAt: new Date(clock.now()).toISOString(),
      ...(createdBy === undefined ? {} : { createdBy }),
    }
  }

  async #allow(change: PromptChange): Promise<void> {
    await allowChange(this.#options.policy, change)
    await this.#options.onChange?.(change)
  }

  /** The version for a label or number; `null` if it is neither. */
  async #number(id: string, version: string): Promise<number | null> {
    if (/^[1-9]\d{0,8}$/.test(version)) return Number(version)
    return (await this.#port.labels(id)).get(version) ?? null
  }

  async #open({ id, version, text }: PromptRow): Promise<PromptTemplate> {
    const { sealer } = this.#options
    return fromText(sealer === undefined ? text : await sealer.open(text, placeOf(id, version))) as PromptTemplate
  }
}

function placeOf(id: string, version: number): readonly string[] {
  return ['prompt', id, String(version)]
}
