import type { ReadTemplate } from './engine.ts'
import { TemplateFault, type TemplateNode, fillTemplate, namesIn, placeOf } from './template.ts'
import { valueWriter } from './value.ts'

const PATH = /^[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}\p{N}_]+)*$/u

/** Parses an f-string template. */
export function readFstring(text: string): ReadTemplate {
  const nodes = parse(text)
  const show = valueWriter(text)
  return { names: namesIn(nodes), fill: (params) => fillTemplate(nodes, params, show) }
}

/** Parses f-strings: `{name}` and `{a.b}`; `{{` and `}}` are literal braces. No expressions, no formats. */
function parse(text: string): readonly TemplateNode[] {
  const nodes: TemplateNode[] = []
  let plain = ''
  let at = 0
  while (at < text.length) {
    const char = text[at]!
    if (char !== '{' && char !== '}') {
      plain += char
      at++
    } else if (text[at + 1] === char) {
      plain += char
      at += 2
    } else if (char === '}') {
      throw new TemplateFault(`"}" at ${placeOf(text, at)} closes nothing; write "}}" for a brace`)
    } else {
      const end = text.indexOf('}', at)
      const path = end < 0 ? '' : text.slice(at + 1, end).trim()
      if (!PATH.test(path)) {
        throw new TemplateFault(
          `"{" at ${placeOf(text, at)} is not followed by a variable name and "}"; write "{{" for a brace`,
        )
      }
      if (plain !== '') nodes.push({ type: 'text', text: plain })
      plain = ''
      nodes.push({ type: 'variable', path })
      at = end + 1
    }
  }
  if (plain !== '') nodes.push({ type: 'text', text: plain })
  return nodes
}
