import type { Json } from '../../core/index.ts'
import { MandateError } from '../../core/index.ts'
import type { PromptEngine } from '../prompt-store.ts'
import type { FilledTemplate } from './template.ts'

/** A template parsed by an engine. */
export interface ReadTemplate {
  /** The variables it uses. */
  readonly names: readonly string[]
  fill(params: Json): FilledTemplate
}

type Reader = (text: string) => ReadTemplate | Promise<ReadTemplate>

/** Each engine, and its library, is loaded with the first template that uses it. */
const READERS: { readonly [E in PromptEngine]: () => Promise<Reader> } = {
  fstring: async () => (await import('./fstring.ts')).readFstring,
  mustache: async () => (await import('./mustache.ts')).readMustache,
  handlebars: async () => (await import('./handlebars.ts')).readHandlebars,
  liquid: async () => (await import('./liquid.ts')).readLiquid,
}

/** Parses a template. Throws a `TemplateFault` if it is invalid. */
export async function readTemplate(text: string, engine: PromptEngine = 'mustache'): Promise<ReadTemplate> {
  if (!Object.hasOwn(READERS, engine)) {
    const known = Object.keys(READERS).join(', ')
    throw new MandateError('CONFIG_INVALID', `There is no template engine "${engine}". Use one of: ${known}.`)
  }
  const read = await READERS[engine]()
  return read(text)
}
