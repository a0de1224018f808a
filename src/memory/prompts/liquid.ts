import type * as Library from 'liquidjs'
import { type Json, loadPackage, messageOf } from '../../core/index.ts'
import type { ReadTemplate } from './engine.ts'
import { type FilledTemplate, TemplateFault, checkLength } from './template.ts'
import { type WriteValue, valueWriter } from './value.ts'

/** Tags that read other templates, from wherever the library finds them. */
const TAGS = ['include', 'render', 'layout', 'block']
/** Filters that read the clock, use randomness, evaluate values as expressions, or insert values unescaped. */
const FILTERS =
  'date date_to_xmlschema date_to_rfc822 date_to_string date_to_long_string sample shuffle raw where_exp reject_exp group_by_exp find_exp find_index_exp has_exp'
const TEXT_LIMIT = 262_144
/** Limits as the library counts memory and rendering time. */
const MEMORY_LIMIT = 8_000_000
const RENDER_LIMIT_MS = 2000

function engineFor(library: typeof Library, show: WriteValue, isStrict: boolean): Library.Liquid {
  const engine = new library.Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: isStrict,
    lenientIf: true,
    // An empty set of templates instead of files.
    templates: {},
    parseLimit: TEXT_LIMIT,
    memoryLimit: MEMORY_LIMIT,
    renderLimit: RENDER_LIMIT_MS,
    outputEscape: (value) => (value === undefined ? '' : show(value as Json)),
  })
  for (const tag of TAGS) delete engine.tags[tag]
  for (const filter of FILTERS.split(' ')) delete engine.filters[filter]
  return engine
}

/** Parses Liquid with liquidjs: only own members, no files, no clock, no randomness; unknown filters and tags are errors. */
export async function readLiquid(text: string): Promise<ReadTemplate> {
  const library = await loadPackage<typeof Library>('liquidjs', 'A Liquid template')
  const show = valueWriter(text)
  const engine = engineFor(library, show, true)
  const parsed = faultOr(() => engine.parse(text))
  const names = faultOr(() => engine.globalVariablesSync(parsed))
  return { names: [...new Set(names)], fill: (params) => fill({ library, text, names, show, params }) }
}

interface Filling {
  readonly library: typeof Library
  readonly text: string
  readonly names: readonly string[]
  readonly show: WriteValue
  readonly params: Json
}

function fill({ library, text, names, show, params }: Filling): FilledTemplate {
  const scope = params as object
  const strict = engineFor(library, show, true)
  try {
    const filled = String(strict.parseAndRenderSync(text, scope))
    checkLength(filled)
    return { text: filled, missing: [] }
  } catch (error) {
    const absent = /undefined variable: ([^\s,]+)/.exec(messageOf(error))?.[1]
    if (absent === undefined) throw new TemplateFault(firstLine(error))
    const filled = String(engineFor(library, show, false).parseAndRenderSync(text, scope))
    checkLength(filled)
    const missing = [absent, ...names.filter((name) => !Object.hasOwn(scope, name))]
    return { text: filled, missing: [...new Set(missing)] }
  }
}

function faultOr<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new TemplateFault(firstLine(error))
  }
}

function firstLine(error: unknown): string {
  return messageOf(error).split('\n')[0]!
}
