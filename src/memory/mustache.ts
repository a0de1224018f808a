import { TemplateFault, type TemplateNode } from './template.ts'

const PATH = /^(\.|[\p{L}_][\p{L}\p{N}_-]*(\.[\p{L}\p{N}_-]+)*)$/u
const DEPTH_MAX = 32

interface OpenSection {
  readonly path: string
  readonly inverted: boolean
  readonly body: TemplateNode[]
}

/**
 * Parses mustache: `{{name}}`, `{{a.b}}`, `{{#list}}…{{/list}}`, `{{^empty}}…{{/empty}}`, `{{! remark }}`. Prompts are not HTML, so
 * nothing is escaped and `{{{name}}}` and `{{&name}}` mean the same as `{{name}}`. No partials, lambdas or other delimiters.
 */
export function parseMustache(text: string): readonly TemplateNode[] {
  const root: TemplateNode[] = []
  const open: OpenSection[] = []
  const add = (node: TemplateNode): void => void (open.at(-1)?.body ?? root).push(node)
  let at = 0
  while (at < text.length) {
    const start = text.indexOf('{{', at)
    if (start < 0) break
    if (start > at) add({ type: 'text', text: text.slice(at, start) })
    const closer = text.startsWith('{{{', start) ? '}}}' : '}}'
    const end = text.indexOf(closer, start + closer.length)
    if (end < 0) throw new TemplateFault(`"{{" at ${placeOf(text, start)} is never closed`)
    readTag(text.slice(start + closer.length, end), { open, add, place: placeOf(text, start), isRaw: closer === '}}}' })
    at = end + closer.length
  }
  const left = open.at(-1)
  if (left !== undefined) throw new TemplateFault(`"{{#${left.path}}}" is never closed`)
  if (at < text.length) add({ type: 'text', text: text.slice(at) })
  return root
}

interface TagPlace {
  readonly open: OpenSection[]
  readonly add: (node: TemplateNode) => void
  readonly place: string
  readonly isRaw: boolean
}

function readTag(tag: string, { open, add, place, isRaw }: TagPlace): void {
  const trimmed = tag.trim()
  const sigil = isRaw ? '' : (/^[#^/!&>=]/.exec(trimmed)?.[0] ?? '')
  const path = trimmed.slice(sigil.length).trim()
  if (sigil === '!') return
  if (sigil === '>' || sigil === '=')
    throw new TemplateFault(
      `"{{${sigil}" at ${place}: ${sigil === '>' ? 'partials' : 'other delimiters'} are not supported`,
    )
  if (!PATH.test(path)) throw new TemplateFault(`"{{${trimmed}}}" at ${place} is not a variable name`)
  if (sigil === '#' || sigil === '^') {
    if (open.length >= DEPTH_MAX) throw new TemplateFault(`sections are nested deeper than ${DEPTH_MAX}`)
    open.push({ path, inverted: sigil === '^', body: [] })
  } else if (sigil === '/') {
    const section = open.pop()
    if (section?.path !== path)
      throw new TemplateFault(
        `"{{/${path}}}" at ${place} closes ${section === undefined ? 'nothing' : `"${section.path}"`}`,
      )
    add({ type: 'section', ...section })
  } else add({ type: 'variable', path })
}

/** Line and column, from 1. */
export function placeOf(text: string, at: number): string {
  const before = text.slice(0, at).split('\n')
  return `${before.length}:${before.at(-1)!.length + 1}`
}
