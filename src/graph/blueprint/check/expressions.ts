import { MandateError } from '../../../core/index.ts'
import { compileExpr, parseCondition } from '../../../expr/index.ts'
import { didYouMean } from '../report.ts'
import type { GraphView } from './graph-view.ts'

const AFTER = ['state', 'result'] as const
const BEFORE = ['state', 'item'] as const

/** Every expression can be read and uses names that exist where it is evaluated. */
export function checkExpressions(view: GraphView): void {
  view.blueprint.nodes.forEach((node, index) => {
    const path = `/nodes/${index}`
    if (node.input !== undefined) check(node.input, `${path}/input`, BEFORE, view)
    node.routes?.forEach(({ when }, at) => {
      if (when !== undefined) check(when, `${path}/routes/${at}/when`, AFTER, view)
    })
    node.sends?.forEach(({ each }, at) => {
      if (each !== undefined) check(each, `${path}/sends/${at}/each`, AFTER, view)
    })
    node.command?.update.forEach((update, at) => {
      if ('expr' in update) check(update.expr, `${path}/command/update/${at}/expr`, AFTER, view)
    })
  })
}

function check(text: string, path: string, names: readonly string[], { report }: GraphView): void {
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
        part: partAt(error, text),
        help: 'Expressions are JavaScript without functions, assignments and statements.',
      })
    else
      report.error('E-rag-unknown-name', `The expression uses \`${unknown}\`, which is not known there.`, {
        path,
        part: partOf(unknown, text),
        help: () => {
          const help = didYouMean(unknown, names)()
          return help?.startsWith('Known') ? `It sees ${names.join(' and ')}: \`state.${unknown}\`?` : help
        },
      })
  }
}

/** What the parser says without the place, which is shown otherwise. */
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

/** The first place where a name stands as a name of its own. */
function partOf(name: string, text: string): { start: number; end: number } | undefined {
  const escaped = name.replaceAll(/[$]/g, String.raw`\$`)
  const found = new RegExp(`(?<![\\w$.])${escaped}(?![\\w$])`, 'u').exec(text)
  return found === null ? undefined : { start: found.index, end: found.index + name.length }
}
