import { type Json, MandateError } from '../../core/index.ts'
import { fieldOf } from '../query.ts'
import type { WriteValue } from './value.ts'

/** A parsed template: fixed text and placeholders. */
export type TemplateNode =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'variable'; readonly path: string }
  | {
      readonly type: 'section'
      readonly path: string
      readonly inverted: boolean
      readonly body: readonly TemplateNode[]
    }

/** A syntax error of a template; the message has its position. */
export class TemplateFault extends Error {}

export interface FilledTemplate {
  readonly text: string
  /** Variables that were not given. */
  readonly missing: readonly string[]
}

/** The maximum length of a rendered prompt. Real prompts are shorter; nested sections over long lists can exceed it. */
const TEXT_MAX = 4_000_000

/** The maximum number of rendering steps: nested sections over long lists can run for very long without writing anything. */
const STEPS_MAX = 2_000_000

export function checkSteps(steps: number): void {
  if (steps <= STEPS_MAX) return
  throw new MandateError(
    'LIMIT_EXCEEDED',
    `Rendering took more than ${STEPS_MAX} steps. Put shorter lists into its variables.`,
  )
}

/** Ends a rendering that is longer than any prompt. */
export function checkLength(text: string): void {
  if (text.length <= TEXT_MAX) return
  throw new MandateError(
    'LIMIT_EXCEEDED',
    `The rendered prompt is longer than ${TEXT_MAX} characters. Put less into its variables.`,
  )
}

/** Renders a parsed template. Values are inserted once and verbatim: template syntax inside a value stays text. */
export function fillTemplate(nodes: readonly TemplateNode[], params: Json, show: WriteValue): FilledTemplate {
  const missing = new Set<string>()
  let text = ''
  const write = (piece: string): void => {
    text += piece
    checkLength(text)
  }
  let steps = 0
  const fill = (list: readonly TemplateNode[], scopes: readonly Json[]): void => {
    for (const node of list) {
      checkSteps(++steps)
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

/** The names that a template uses, in and around sections. */
export function namesIn(nodes: readonly TemplateNode[]): readonly string[] {
  const names = nodes.flatMap((node) => {
    if (node.type === 'text') return []
    return [node.path.split('.')[0]!, ...(node.type === 'section' ? namesIn(node.body) : [])]
  })
  return [...new Set(names)]
}

/** The scopes of a section's body, one per rendering: the items of a list, an object, or no new one. */
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

/** The value of a path in the nearest scope that has its first name; own members only, so no value leads to a prototype. */
function look(path: string, scopes: readonly Json[]): Json | undefined {
  if (path === '.') return scopes[0]
  const [head] = path.split('.')
  const scope = scopes.find((one) => typeof one === 'object' && one !== null && Object.hasOwn(one, head!))
  return scope === undefined ? undefined : fieldOf(scope, path)
}

/** Line and column, from 1. */
export function placeOf(text: string, at: number): string {
  const before = text.slice(0, at).split('\n')
  return `${before.length}:${before.at(-1)!.length + 1}`
}
