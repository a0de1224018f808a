import { type Json, MandateError } from '../core/index.ts'
import { fieldOf } from './query.ts'

/** A template, parsed: fixed text and holes. */
export type TemplateNode =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'variable'; readonly path: string }
  | {
      readonly type: 'section'
      readonly path: string
      readonly inverted: boolean
      readonly body: readonly TemplateNode[]
    }

/** A text that is no template; the message says where. */
export class TemplateFault extends Error {}

export interface FilledTemplate {
  readonly text: string
  /** Variables that were not given. */
  readonly missing: readonly string[]
}

/** No honest prompt is longer; nested sections over long lists could be, without end. */
const TEXT_MAX = 4_000_000

/** Writing that cannot be seen or turns what is seen around: the usual way to hide orders in data. */
const INVISIBLE = /[\u200B\u2060\uFEFF]|[\u202A-\u202E]|[\u2066-\u2069]|[\u{E0000}-\u{E0FFF}]/gu

/** Fills a parsed template. Values are put in as they are, once: what looks like a template inside a value stays text. */
export function fillTemplate(nodes: readonly TemplateNode[], params: Json): FilledTemplate {
  const missing = new Set<string>()
  let text = ''
  const write = (piece: string): void => {
    text += piece
    if (text.length > TEXT_MAX) {
      throw new MandateError(
        'LIMIT_EXCEEDED',
        `The rendered prompt is longer than ${TEXT_MAX} characters. Put less into its variables.`,
      )
    }
  }
  const fill = (list: readonly TemplateNode[], scopes: readonly Json[]): void => {
    for (const node of list) {
      if (node.type === 'text') write(node.text)
      else if (node.type === 'variable') {
        const value = look(node.path, scopes)
        if (value === undefined) missing.add(node.path)
        write(value === undefined ? '' : show(value))
      } else
        for (const scope of scopesOf(node, look(node.path, scopes)))
          fill(node.body, scope === undefined ? scopes : [scope, ...scopes])
    }
  }
  fill(nodes, [params])
  return { text, missing: [...missing] }
}

/** The names a template uses, in and around sections. */
export function namesIn(nodes: readonly TemplateNode[]): readonly string[] {
  const names = nodes.flatMap((node) => {
    if (node.type === 'text') return []
    return [node.path.split('.')[0]!, ...(node.type === 'section' ? namesIn(node.body) : [])]
  })
  return [...new Set(names)]
}

/** What a section's body is filled with, once for each: an item of a list, an object, or nothing new. */
function scopesOf(node: { readonly inverted: boolean }, value: Json | undefined): readonly (Json | undefined)[] {
  const isEmpty =
    value === undefined ||
    value === null ||
    value === false ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  if (node.inverted) return isEmpty ? [undefined] : []
  if (isEmpty) return []
  if (Array.isArray(value)) return value as readonly Json[]
  return [typeof value === 'object' ? value : undefined]
}

/** The nearest scope that has the name; own members only, so no value leads to a prototype. */
function look(path: string, scopes: readonly Json[]): Json | undefined {
  if (path === '.') return scopes[0]
  const [head] = path.split('.')
  const scope = scopes.find((one) => typeof one === 'object' && one !== null && Object.hasOwn(one, head!))
  return scope === undefined ? undefined : fieldOf(scope, path)
}

function show(value: Json): string {
  const text = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
  return text.replace(INVISIBLE, '')
}
