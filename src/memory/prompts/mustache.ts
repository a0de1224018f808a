import Mustache from 'mustache'
import { messageOf } from '../../core/index.ts'
import type { ReadTemplate } from './engine.ts'
import { TemplateFault, type TemplateNode, fillTemplate, namesIn, placeOf } from './template.ts'
import { valueWriter } from './value.ts'

const PATH = /^(\.|[\p{L}_][\p{L}\p{N}_-]*(\.[\p{L}\p{N}_-]+)*)$/u
const DEPTH_MAX = 32

/** A token of mustache.js: type, name, position, and the tokens inside a section. */
type Token = readonly [type: string, value: string, start: number, end: number, inner?: readonly Token[]]

/**
 * Parses mustache: `{{name}}`, `{{a.b}}`, `{{#list}}…{{/list}}`, `{{^empty}}…{{/empty}}`, `{{! remark }}`. mustache.js parses; rendering is
 * implemented here, because its lookup follows prototypes and calls functions. Prompts are not HTML, so nothing is escaped and `{{{name}}}` and
 * `{{&name}}` are equal to `{{name}}`. No partials, lambdas or other delimiters.
 */
export function readMustache(text: string): ReadTemplate {
  const nodes = nodesOf(tokensOf(text), text, 0)
  const show = valueWriter(text)
  return { names: namesIn(nodes), fill: (params) => fillTemplate(nodes, params, show) }
}

function tokensOf(text: string): readonly Token[] {
  const writer = new Mustache.Writer()
  // Otherwise it would keep every text it ever parsed.
  writer.clearCache()
  try {
    return writer.parse(text) as readonly Token[]
  } catch (error) {
    const [, what, at] = /^(.*?) at (\d+)$/.exec(messageOf(error)) ?? []
    throw new TemplateFault(
      what === undefined ? messageOf(error) : `${what.toLowerCase()} at ${placeOf(text, Number(at))}`,
    )
  }
}

function nodesOf(tokens: readonly Token[], text: string, depth: number): readonly TemplateNode[] {
  if (depth > DEPTH_MAX) throw new TemplateFault(`sections are nested deeper than ${DEPTH_MAX}`)
  return tokens.flatMap(([type, value, start, , inner]): readonly TemplateNode[] => {
    if (type === 'text') return [{ type: 'text', text: value }]
    if (type === '!') return []
    if (type === '>' || type === '=')
      throw new TemplateFault(
        `"{{${type}" at ${placeOf(text, start)}: ${type === '>' ? 'partials' : 'other delimiters'} are not supported`,
      )
    if (!PATH.test(value)) throw new TemplateFault(`"{{${value}}}" at ${placeOf(text, start)} is not a variable name`)
    if (type !== '#' && type !== '^') return [{ type: 'variable', path: value }]
    return [{ type: 'section', path: value, inverted: type === '^', body: nodesOf(inner ?? [], text, depth + 1) }]
  })
}
