import { type Clock, MandateError, checkId, messageOf, systemClock, toPlain } from '../core/index.ts'
import { parseFstring } from './fstring.ts'
import { fromText, jsonText } from './json-text.ts'
import { parseMustache } from './mustache.ts'
import type {
  PromptDraft,
  PromptEngine,
  PromptParams,
  PromptStore,
  PromptTemplate,
  PromptValidation,
  RenderOptions,
  RenderedPrompt,
} from './prompt-store.ts'
import { TemplateFault, type TemplateNode, fillTemplate, namesIn } from './template.ts'

/** What an audit is told before a template changes. */
export interface PromptChange {
  readonly op: 'put'
  readonly before: PromptTemplate | null
  readonly after: PromptTemplate
}

export interface InMemoryPromptsOptions {
  readonly clock?: Clock | undefined
  /** Told of every change before it takes effect. If it throws, the change is not made: what cannot be audited, or is against a policy, is not stored. */
  readonly onChange?: ((change: PromptChange) => unknown) | undefined
  /** For `meta.tokensEstimate`; 0.3 tokens a character when absent. */
  readonly estimateTokens?: ((text: string) => number) | undefined
}

const TEMPLATE_MAX = 256 * 1024
const PARSERS: Partial<Record<PromptEngine, (text: string) => readonly TemplateNode[]>> = {
  mustache: parseMustache,
  fstring: parseFstring,
}

/**
 * Prompt templates in this process, each `put` a new version that never changes again.
 *
 * @example
 * ```ts
 * import { inMemoryPrompts } from 'mandate/memory'
 * const prompts = inMemoryPrompts()
 * await prompts.put({ id: 'summary', text: 'Summarise {{topic}} in {{count}} lines.', requiredVars: ['topic'] }, { author: 'ada' })
 * const { text } = await prompts.render('summary', { topic: 'the release notes', count: 3 })
 * ```
 */
export function inMemoryPrompts(options: InMemoryPromptsOptions = {}): PromptStore {
  const { clock = systemClock, onChange, estimateTokens = estimate } = options
  const versions = new Map<string, string[]>()
  let turn: Promise<unknown> = Promise.resolve()
  const find = (id: string, version?: string): PromptTemplate | null => {
    const stored = versions.get(id)
    const text = version === undefined ? stored?.at(-1) : stored?.[Number(version) - 1]
    return text === undefined ? null : (fromText(text) as PromptTemplate)
  }
  return {
    async get(id, version) {
      return find(id, version)
    },
    put(draft, { author } = {}) {
      // One after the other, so that an audit that takes its time sees every version exactly once.
      const put = turn.then(async () => {
        const stored = versions.get(draft.id) ?? []
        const template = madeFrom(draft, String(stored.length + 1), new Date(clock.now()).toISOString(), author)
        const text = jsonText(template, `The template "${template.id}"`)
        await onChange?.({ op: 'put', before: find(template.id), after: fromText(text) as PromptTemplate })
        versions.set(template.id, [...stored, text])
        return fromText(text) as PromptTemplate
      })
      turn = put.catch(() => {})
      return put
    },
    async list({ tag, name } = {}) {
      return [...versions.keys()]
        .map((id) => find(id)!)
        .filter(
          (one) => (tag === undefined || one.tags?.includes(tag) === true) && (name === undefined || one.name === name),
        )
    },
    async render(id, params = {}, renderOptions = {}) {
      const template = find(id, renderOptions.version)
      if (template === null) {
        const which = renderOptions.version === undefined ? '' : ` in version ${renderOptions.version}`
        throw new MandateError(
          'NOT_FOUND',
          `There is no prompt template "${id}"${which}. Known: ${[...versions.keys()].join(', ') || 'none'}.`,
        )
      }
      return renderTemplate(template, params, renderOptions, estimateTokens)
    },
    async validate(text, engine) {
      return checkTemplate(text, engine)
    },
  }
}

function estimate(text: string): number {
  return Math.ceil(text.length * 0.3)
}

function renderTemplate(
  template: PromptTemplate,
  params: PromptParams,
  options: RenderOptions,
  tokens: (text: string) => number,
): RenderedPrompt {
  const { value, issues } = toPlain(params)
  if (issues.length > 0)
    throw new MandateError('INPUT_INVALID', `The variables of "${template.id}" are not plain data: ${issues[0]}.`)
  const given = new Set(Object.keys(value as object))
  const { text, missing } = fillTemplate(parse(template.text, template.engine), value)
  const required = (template.requiredVars ?? []).filter((name) => !given.has(name))
  const absent = [...new Set([...required, ...(options.throwOnMissing === false ? [] : missing)])]
  if (absent.length > 0) {
    throw new MandateError(
      'INPUT_INVALID',
      `The prompt "${template.id}" needs ${absent.join(', ')}. Give ${absent.length === 1 ? 'it' : 'them'} in the variables.`,
      {
        info: { missing: absent },
      },
    )
  }
  const meta = { tokensEstimate: tokens(text), version: template.version }
  return { text, meta: missing.length > 0 ? { ...meta, missing } : meta }
}

function madeFrom(draft: PromptDraft, version: string, createdAt: string, author: string | undefined): PromptTemplate {
  checkId(draft.id, 'The template id')
  const { ok, errors = [] } = checkTemplate(draft.text, draft.engine)
  if (!ok) throw new MandateError('CONFIG_INVALID', `The template "${draft.id}" is not valid: ${errors.join('; ')}.`)
  const used = namesIn(parse(draft.text, draft.engine))
  const unused = (draft.requiredVars ?? []).filter((name) => !used.includes(name))
  if (unused.length > 0) {
    throw new MandateError(
      'CONFIG_INVALID',
      `The template "${draft.id}" requires ${unused.join(', ')} but never uses it. Correct \`requiredVars\` or the text.`,
    )
  }
  const createdBy = author ?? draft.createdBy
  return { ...draft, version, createdAt, ...(createdBy === undefined ? {} : { createdBy }) }
}

function checkTemplate(text: unknown, engine?: PromptEngine): PromptValidation {
  if (typeof text !== 'string') return { ok: false, errors: ['the text is missing'] }
  if (text.length > TEMPLATE_MAX) return { ok: false, errors: [`the text is longer than ${TEMPLATE_MAX} characters`] }
  try {
    parse(text, engine)
    return { ok: true }
  } catch (error) {
    return { ok: false, errors: [messageOf(error)] }
  }
}

function parse(text: string, engine: PromptEngine = 'mustache'): readonly TemplateNode[] {
  const parser = Object.hasOwn(PARSERS, engine) ? PARSERS[engine] : undefined
  if (parser === undefined)
    throw new TemplateFault(`the engine "${engine}" is not available yet; use "mustache" or "fstring"`)
  return parser(text)
}
