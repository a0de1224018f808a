import { MandateError, messageOf, toPlain } from '../../core/index.ts'
import type {
  PromptDraft,
  PromptEngine,
  PromptParams,
  PromptTemplate,
  PromptValidation,
  RenderOptions,
  RenderedPrompt,
} from '../prompt-store.ts'
import { type ReadTemplate, readTemplate } from './engine.ts'
import { TemplateFault } from './template.ts'

const TEMPLATE_MAX = 256 * 1024

/** Renders one version of a template. A missing variable is an error, unless `throwOnMissing` is false and the variable is not required. */
export async function renderTemplate(
  template: PromptTemplate,
  params: PromptParams,
  options: RenderOptions,
  tokens: (text: string) => number,
): Promise<RenderedPrompt> {
  const { value, issues } = toPlain(params)
  if (issues.length > 0)
    throw new MandateError('INPUT_INVALID', `The variables of "${template.id}" are not plain data: ${issues[0]}.`)
  const given = new Set(Object.keys(value as object))
  const required = (template.requiredVars ?? []).filter((name) => !given.has(name))
  if (required.length > 0) throw missingVariables(template.id, required)
  const { text, missing } = await filled(template, value)
  if (missing.length > 0 && options.throwOnMissing !== false) throw missingVariables(template.id, missing)
  const meta = { tokensEstimate: tokens(text), version: template.version }
  return { text, meta: missing.length > 0 ? { ...meta, missing } : meta }
}

async function filled(
  template: PromptTemplate,
  params: Parameters<ReadTemplate['fill']>[0],
): Promise<ReturnType<ReadTemplate['fill']>> {
  try {
    return (await readTemplate(template.text, template.engine)).fill(params)
  } catch (error) {
    if (error instanceof TemplateFault)
      throw new MandateError('INPUT_INVALID', `The prompt "${template.id}" cannot be rendered: ${error.message}.`)
    throw error
  }
}

function missingVariables(id: string, names: readonly string[]): MandateError {
  const them = names.length === 1 ? 'it' : 'them'
  return new MandateError(
    'INPUT_INVALID',
    `The prompt "${id}" needs ${names.join(', ')}. Give ${them} in the variables.`,
    {
      info: { missing: names },
    },
  )
}

/** Validates a template for an engine. */
export async function checkTemplate(text: unknown, engine?: PromptEngine): Promise<PromptValidation> {
  if (typeof text !== 'string') return { ok: false, errors: ['the text is missing'] }
  if (text.length > TEMPLATE_MAX) return { ok: false, errors: [`the text is longer than ${TEMPLATE_MAX} characters`] }
  try {
    await readTemplate(text, engine)
    return { ok: true }
  } catch (error) {
    return { ok: false, errors: [messageOf(error)] }
  }
}

/** Throws if a draft could never be rendered. */
export async function checkDraft(draft: PromptDraft): Promise<void> {
  const { ok, errors = [] } = await checkTemplate(draft.text, draft.engine)
  if (!ok) {
    const why = errors.map((error) => error.replace(/\.$/, '')).join('; ')
    throw new MandateError('CONFIG_INVALID', `The template "${draft.id}" is not valid: ${why}.`)
  }
  const { names } = await readTemplate(draft.text, draft.engine)
  const unused = (draft.requiredVars ?? []).filter((name) => !names.includes(name))
  if (unused.length > 0) {
    throw new MandateError(
      'CONFIG_INVALID',
      `The template "${draft.id}" requires ${unused.join(', ')} but never uses it. Correct \`requiredVars\` or the text.`,
    )
  }
}
