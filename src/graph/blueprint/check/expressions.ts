import { MandateError, nearest } from '../../../core/index.ts'
import { compileExpr, parseCondition } from '../../../expr/index.ts'
import type { GraphView } from './graph-view.ts'

const AFTER = ['state', 'result', 'item'] as const
const BEFORE = ['state', 'item'] as const

/** Checks that every expression parses and uses only names that exist where it is evaluated. */
export function checkExpressions(view: GraphView): void {
  view.blueprint.nodes.forEach((node, index) => {
    const path = `/nodes/${index}`
    if (node.input !== undefined) check({ text: node.input, path: `${path}/input`, names: BEFORE }, view)
    for (const field of ['prompt', 'system'] as const) {
      const text = node[field]
      if (text !== undefined) checkTemplate(text, `${path}/${field}`, view)
    }
    node.routes?.forEach(({ when }, at) => {
      if (when !== undefined) check({ text: when, path: `${path}/routes/${at}/when`, names: AFTER }, view)
    })
    node.sends?.forEach(({ each }, at) => {
      if (each !== undefined) check({ text: each, path: `${path}/sends/${at}/each`, names: AFTER }, view)
    })
    node.command?.update.forEach((update, at) => {
      if ('expr' in update) check({ text: update.expr, path: `${path}/command/update/${at}/expr`, names: AFTER }, view)
    })
  })
}

/** The expressions between double braces in a text. */
function checkTemplate(whole: string, path: string, view: GraphView): void {
  for (const found of whole.matchAll(/\{\{(.*?)\}\}/gsu)) {
    const text = found[1]!.trim()
    const offset = found.index + 2 + found[1]!.indexOf(text)
    check({ text, path, names: BEFORE, offset }, view)
  }
}

interface Expression {
  readonly text: string
  readonly path: string
  /** The names in scope. */
  readonly names: readonly string[]
  /** Its start in the text at the path. */
  readonly offset?: number
}

function check({ text, path, names, offset = 0 }: Expression, { report }: GraphView): void {
  try {
    const parsed = parseCondition(text)
    const known = Object.fromEntries(names.map((name) => [name, (): undefined => undefined]))
    compileExpr(parsed, { names: known })
  } catch (error) {
    if (!MandateError.isInstance(error)) throw error
    const unknown = /: `([^`]+)` is not known; known are: /.exec(error.message)?.[1]
    if (unknown === undefined)
      report.error('E-rag-invalid-condition', `The expression cannot be read: ${problemOf(error, text)}`, {
        path,
        part: moved(partAt(error, text), offset),
        help: 'Expressions are JavaScript without functions, assignments and statements.',
      })
    else
      report.error('E-rag-unknown-name', `The expression uses \`${unknown}\`, which is not known there.`, {
        path,
        part: moved(partOf(unknown, text), offset),
        help: () => {
          const meant = nearest(unknown, names)
          const hint = `\`state.${unknown}\`?`
          return meant === undefined ? `It sees ${names.join(', ')}: ${hint}` : `Did you mean \`${meant}\`, or ${hint}`
        },
      })
  }
}

function moved(part: { start: number; end: number } | undefined, offset: number): typeof part {
  return part && { start: part.start + offset, end: part.end + offset }
}

/** The parser's message without the position, which is shown separately. */
function problemOf(error: MandateError, text: string): string {
  const { line, column } = (error.info ?? {}) as { line?: number; column?: number }
  const prefix = `At ${line}:${column} of \`${text.slice(0, 200)}\`: `
  return error.message.startsWith(prefix) ? error.message.slice(prefix.length) : error.message
}

function partAt(error: MandateError, text: string): { start: number; end: number } | undefined {
  const { line, column } = (error.info ?? {}) as { line?: number; column?: number }
  if (line === undefined || column === undefined) return undefined
  const before = text.split('\n').slice(0, line - 1)
  const start = before.reduce((sum, each) => sum + each.length + 1, 0) + column - 1
  const token = /^(?:[\w$]+|\S)/u.exec(text.slice(start))?.[0] ?? ''
  return { start, end: start + token.length }
}

/** The first occurrence of a name as a whole word. */
function partOf(name: string, text: string): { start: number; end: number } | undefined {
  const escaped = name.replaceAll(/[$]/g, String.raw`\$`)
  const found = new RegExp(`(?<![\\w$.])${escaped}(?![\\w$])`, 'u').exec(text)
  return found === null ? undefined : { start: found.index, end: found.index + name.length }
}
