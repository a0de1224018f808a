import { MandateError, messageOf } from '../../core/index.ts'
import { redactJson } from '../../redact/index.ts'
import type { Json } from '../../core/index.ts'
import type { ContentPlace, ContentRule } from '../mandate/guard-fields.ts'
import { matchesName } from '../rules/targets.ts'

/** The content that a filter gets. */
interface Content {
  readonly place: ContentPlace
  /** The tool, model or store that sends or receives it. */
  readonly name: string
  /** For prompts a single text, or one value that a tool returned; otherwise the whole input or output. */
  readonly value: Json
}

/** `undefined` lets the content pass; `redact` and `rewrite` replace it with `value`. */
export type FilterAnswer =
  | undefined
  | { readonly action: 'block'; readonly reason: string }
  | { readonly action: 'redact' | 'rewrite'; readonly value: Json; readonly reason: string }

/**
 * A content filter of the host, which mandates refer to by name. A filter that throws, rejects or returns an invalid answer blocks.
 *
 * @example
 * ```ts
 * import type { ContentFilter } from 'mandate/gate'
 * const noMarkdownImages: ContentFilter = {
 *   name: 'no-images',
 *   check: ({ value }) =>
 *     typeof value === 'string' && value.includes('![') ? { action: 'block', reason: 'Images may carry data away.' } : undefined,
 * }
 * ```
 */
export interface ContentFilter {
  /** Its name in decisions and in the journal. */
  readonly name: string
  /** Decides whether a content may pass. */
  check(content: Content): FilterAnswer | Promise<FilterAnswer>
}

export type ContentFilters = ReadonlyMap<string, ContentFilter>

/** A change that a filter made, with its rule. */
export interface ContentChange {
  readonly rule: string
  readonly reason: string
}

export type Filtered =
  | { readonly blocked: ContentChange }
  | { readonly blocked?: undefined; readonly value: Json; readonly changes: readonly ContentChange[] }

const REDACTED = '[redacted]'

/** The rules for this place, and for this tool if they name tools. */
export function rulesAt(rules: readonly ContentRule[], place: ContentPlace, name: string): readonly ContentRule[] {
  return rules.filter(
    ({ on, tools }) =>
      on.includes(place) && (tools === undefined || tools.some((pattern) => matchesName(pattern, name))),
  )
}

/** Applies rules in order, each to the result of the one before. Synchronous until a filter returns a promise. */
export function filterContent(
  rules: readonly ContentRule[],
  filters: ContentFilters | undefined,
  content: Content,
): Filtered | Promise<Filtered> {
  return new Filtering(rules, filters, content).run()
}

class Filtering {
  readonly #rules: readonly ContentRule[]
  readonly #filters: ContentFilters | undefined
  readonly #changes: ContentChange[] = []
  #content: Content
  #next = 0

  constructor(rules: readonly ContentRule[], filters: ContentFilters | undefined, content: Content) {
    this.#rules = rules
    this.#filters = filters
    this.#content = content
  }

  run(): Filtered | Promise<Filtered> {
    while (this.#next < this.#rules.length) {
      const rule = this.#rules[this.#next++]!
      const answer = this.#ask(rule)
      if (answer instanceof Promise) {
        return answer
          .catch((error: unknown) => fault(rule, error))
          .then((late) => this.#apply(rule, late) ?? this.run())
      }
      const blocked = this.#apply(rule, answer)
      if (blocked !== undefined) return blocked
    }
    return { value: this.#content.value, changes: this.#changes }
  }

  #ask(rule: ContentRule): FilterAnswer | Promise<FilterAnswer> {
    if (rule.filter === undefined) return lookForWords(rule, this.#content.value)
    try {
      const filter = this.#filters?.get(rule.filter)
      if (filter === undefined) throw new MandateError('NOT_FOUND', `no filter "${rule.filter}" is registered here`)
      return filter.check(this.#content)
    } catch (error) {
      return fault(rule, error)
    }
  }

  /** Applies the answer of a filter. Host filters may be plain JavaScript: an invalid answer blocks. */
  #apply(rule: ContentRule, answer: FilterAnswer): Filtered | undefined {
    if (answer === undefined) return undefined
    const given = answer as Partial<Record<'action' | 'reason' | 'value', unknown>> | null
    const reason =
      rule.reason ?? (typeof given?.reason === 'string' ? given.reason : `The filter "${rule.id}" lets nothing pass.`)
    const isChange = (given?.action === 'redact' || given?.action === 'rewrite') && given.value !== undefined
    if (!isChange) return { blocked: { rule: rule.id, reason } }
    this.#content = { ...this.#content, value: given.value as Json }
    this.#changes.push({ rule: rule.id, reason })
    return undefined
  }
}

function fault(rule: ContentRule, error: unknown): FilterAnswer {
  return { action: 'block', reason: `The filter "${rule.id}" failed, so nothing passes it: ${messageOf(error)}` }
}

function lookForWords(rule: ContentRule, value: Json): FilterAnswer {
  const words = rule.words ?? []
  let found: string | undefined
  const other = rule.then === 'rewrite' ? (rule.with ?? '') : REDACTED
  const changed = redactJson(value, {
    text: (text) => {
      let result = text
      for (const word of words) {
        const replaced = replaceAll(result, word, other)
        if (replaced !== result) found ??= word
        result = replaced
      }
      return result
    },
  })
  if (found === undefined) return undefined
  // The matched text is left out of the reason, because it may be confidential itself.
  const reason = `It contains a text that the filter "${rule.id}" looks for.`
  return rule.then === 'block' ? { action: 'block', reason } : { action: rule.then ?? 'redact', value: changed, reason }
}

/** Case-insensitive replacement without a regular expression, which crafted texts could make slow. */
function replaceAll(text: string, word: string, other: string): string {
  const low = lowered(text)
  const sought = lowered(word)
  let result = ''
  let from = 0
  for (let at = low.indexOf(sought); at >= 0; at = low.indexOf(sought, from)) {
    result += text.slice(from, at) + other
    from = at + sought.length
  }
  return from === 0 ? text : result + text.slice(from)
}

/** Lower case with unchanged length: letters whose lower case is longer stay as they are, because they would shift all positions. */
function lowered(text: string): string {
  const low = text.toLowerCase()
  if (low.length === text.length) return low
  return text.replaceAll(/[^]/g, (char) => (char.toLowerCase().length === 1 ? char.toLowerCase() : char))
}
