import { type Clock, MandateError, checkId, systemClock } from '../core/index.ts'
import { fromText, jsonText } from './json-text.ts'
import type { PromptDraft, PromptStore, PromptTemplate } from './prompt-store.ts'
import { type PromptChange, type PromptPolicy, allowChange } from './prompts/policy.ts'
import { checkDraft, checkTemplate, renderTemplate } from './prompts/rendering.ts'

export type { PromptChange, PromptPolicy } from './prompts/policy.ts'

export interface InMemoryPromptsOptions {
  readonly clock?: Clock | undefined
  /** Who may change templates, and what they may say. Everyone and everything when absent. */
  readonly policy?: PromptPolicy | undefined
  /** Told of every change before it takes effect. If it throws, the change is not made: what cannot be audited is not stored. */
  readonly onChange?: ((change: PromptChange) => unknown) | undefined
  /** For `meta.tokensEstimate`; 0.3 tokens a character when absent. */
  readonly estimateTokens?: ((text: string) => number) | undefined
}

interface Shelf {
  readonly versions: string[]
  readonly labels: Map<string, string>
}

/**
 * Prompt templates in this process, each `put` a new version that never changes again. Labels such as `production` name a version, and
 * can be moved to another.
 *
 * @example
 * ```ts
 * import { inMemoryPrompts } from 'mandate/memory'
 * const prompts = inMemoryPrompts({ policy: { authors: ['ada'] } })
 * await prompts.put({ id: 'summary', text: 'Summarise {{topic}} in {{count}} lines.', requiredVars: ['topic'] }, { author: 'ada' })
 * await prompts.label?.('summary', 'production', '1', { author: 'ada' })
 * const { text } = await prompts.render('summary', { topic: 'the release notes', count: 3 }, { version: 'production' })
 * ```
 */
export function inMemoryPrompts(options: InMemoryPromptsOptions = {}): PromptStore {
  const { estimateTokens = estimate } = options
  const library = new Library(options)
  return {
    async get(id, version) {
      return library.find(id, version)
    },
    put: (draft, { author } = {}) => library.inTurn(() => library.put(draft, author)),
    label: (id, label, version, { author } = {}) => library.inTurn(() => library.label(id, label, version, author)),
    async labels(id) {
      return Object.fromEntries(library.shelf(id)?.labels ?? [])
    },
    async versions(id) {
      return (library.shelf(id)?.versions ?? []).map((text) => fromText(text) as PromptTemplate)
    },
    async list({ tag, name } = {}) {
      return library
        .newest()
        .filter(
          (one) => (tag === undefined || one.tags?.includes(tag) === true) && (name === undefined || one.name === name),
        )
    },
    async render(id, params = {}, renderOptions = {}) {
      return renderTemplate(library.need(id, renderOptions.version), params, renderOptions, estimateTokens)
    },
    validate: (text, engine) => checkTemplate(text, engine),
  }
}

function estimate(text: string): number {
  return Math.ceil(text.length * 0.3)
}

class Library {
  readonly #shelves = new Map<string, Shelf>()
  readonly #options: InMemoryPromptsOptions
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: InMemoryPromptsOptions) {
    this.#options = options
  }

  /** One after the other, so that an audit that takes its time sees every change exactly once. */
  inTurn<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.#turn.then(change)
    this.#turn = changed.catch(() => {})
    return changed
  }

  shelf(id: string): Shelf | undefined {
    return this.#shelves.get(id)
  }

  newest(): readonly PromptTemplate[] {
    return [...this.#shelves.keys()].map((id) => this.find(id)!)
  }

  find(id: string, version?: string): PromptTemplate | null {
    const shelf = this.#shelves.get(id)
    if (shelf === undefined) return null
    const number = version === undefined ? undefined : (shelf.labels.get(version) ?? version)
    const text = number === undefined ? shelf.versions.at(-1) : shelf.versions[Number(number) - 1]
    return text === undefined ? null : (fromText(text) as PromptTemplate)
  }

  need(id: string, version: string | undefined): PromptTemplate {
    const template = this.find(id, version)
    if (template !== null) return template
    const which = version === undefined ? '' : ` in version ${version}`
    const known = [...this.#shelves.keys()].join(', ') || 'none'
    throw new MandateError('NOT_FOUND', `There is no prompt template "${id}"${which}. Known: ${known}.`)
  }

  async put(draft: PromptDraft, author: string | undefined): Promise<PromptTemplate> {
    const { clock = systemClock, policy, onChange } = this.#options
    checkId(draft.id, 'The template id')
    await checkDraft(draft)
    const shelf: Shelf = this.#shelves.get(draft.id) ?? { versions: [], labels: new Map() }
    const createdBy = author ?? draft.createdBy
    const template = {
      ...draft,
      version: String(shelf.versions.length + 1),
      createdAt: new Date(clock.now()).toISOString(),
      ...(createdBy === undefined ? {} : { createdBy }),
    }
    const text = jsonText(template, `The template "${template.id}"`)
    const change = { op: 'put', before: this.find(draft.id), after: fromText(text) as PromptTemplate, author } as const
    await allowChange(policy, change)
    await onChange?.(change)
    shelf.versions.push(text)
    this.#shelves.set(draft.id, shelf)
    return fromText(text) as PromptTemplate
  }

  async label(id: string, label: string, version: string, author: string | undefined): Promise<void> {
    const { policy, onChange } = this.#options
    checkId(label, 'The label')
    if (/^\d+$/.test(label))
      throw new MandateError(
        'INPUT_INVALID',
        `The label "${label}" looks like a version. Use a word, such as "production".`,
      )
    const after = this.need(id, version)
    const shelf = this.#shelves.get(id)!
    const before = shelf.labels.has(label) ? this.find(id, label) : null
    const change = { op: 'label', label, before, after, author } as const
    await allowChange(policy, change)
    await onChange?.(change)
    shelf.labels.set(label, after.version)
  }
}
