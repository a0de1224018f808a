import type Library from 'handlebars'
import { loadPackage, messageOf } from '../../core/index.ts'
import type { ReadTemplate } from './engine.ts'
import { type HandlebarsNode, checkHandlebars, fillHandlebars } from './handlebars-tree.ts'
import { TemplateFault } from './template.ts'
import { valueWriter } from './value.ts'

/**
 * Parses Handlebars with the library's parser. Rendering walks the syntax tree, because the library compiles templates to code, which is not allowed
 * everywhere, and follows prototypes. The built-in helpers `if`, `unless`, `each`, `with` and `lookup` work as in the library; partials, decorators
 * and other helpers are refused.
 */
export async function readHandlebars(text: string): Promise<ReadTemplate> {
  const { default: library } = await loadPackage<{ default: typeof Library }>('handlebars', 'A Handlebars template')
  const root = parse(library, text)
  const names = checkHandlebars(root)
  const show = valueWriter(text)
  return { names, fill: (params) => fillHandlebars(root, params, show) }
}

function parse(library: typeof Library, text: string): HandlebarsNode {
  try {
    return library.parse(text)
  } catch (error) {
    throw new TemplateFault(messageOf(error).split('\n')[0])
  }
}
