import { checkFields } from '../../core/index.ts'
import type { Blueprint, Provenance, Span } from '../blueprint/blueprint.ts'
import { checkBlueprint } from '../blueprint/check/check.ts'
import type { Diagnostic } from '../blueprint/diagnostic.ts'
import { checkOrigin } from '../blueprint/origin.ts'
import { DIAGNOSTICS_MAX, Report } from '../blueprint/report.ts'
import type { Locate } from '../blueprint/report.ts'
import { resolveInto } from '../blueprint/resolve.ts'
import type { Catalog } from '../registry/catalog.ts'
import { characters } from './syntax/characters.ts'
import { readTokens } from './syntax/lexer.ts'
import { lowerGraph } from './lowering/lower-graph.ts'
import { parseFile } from './syntax/parser.ts'
import type { GraphTree } from './syntax/syntax-tree.ts'
import { readTextLiteral } from './syntax/text-literal.ts'

interface CompileRagOptions {
  /** The path of the file, or a name of the generated text. */
  readonly label?: string | undefined
  /** `file` by default. */
  readonly origin?: Provenance['origin'] | undefined
  /** The names that the graphs may use. Without it, names outside the text are not checked. */
  readonly catalog?: Catalog | undefined
}

export interface CompiledRag {
  /** The graphs of the text in order; none if there is any error. */
  readonly graphs: readonly Blueprint[]
  /** All findings, in the order of the text. */
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Compiles `.rag` text to blueprints. Invalid text never throws: all problems are in `diagnostics`, each with its position and a fix.
 *
 * @example
 * ```ts
 * import { compileRag, renderDiagnostics } from 'mandate/graph'
 * const source = 'graph hello { start say node say { prompt "Say hello." next END } }'
 * const { graphs, diagnostics } = compileRag(source, { label: 'hello.rag' })
 * if (graphs.length === 0) console.log(renderDiagnostics(source, diagnostics))
 * ```
 */
export function compileRag(source: string, options: CompileRagOptions = {}): CompiledRag {
  checkFields(options, 'an option of `compileRag`', { label: true, origin: true, catalog: true })
  const { label, catalog } = options
  const origin = checkOrigin(options.origin) ?? 'file'
  const report = new Report(DIAGNOSTICS_MAX)
  const { graphs: trees } = parseFile(readTokens(source, report), report)
  checkTrees(trees, report)
  const names = trees.map((tree) => tree.name.text)
  const graphs = trees.map((tree) => {
    const places = new Map<string, Span>()
    report.locate = locateIn(source, places)
    report.isPartial = !tree.isWhole
    const { blueprint, spans } = lowerGraph(tree, { report, places })
    checkBlueprint(blueprint, report)
    if (catalog) resolveInto(blueprint, catalog, report, names)
    return { ...blueprint, provenance: { origin, ...(label !== undefined && { label }), spans } }
  })
  return { graphs: report.errors > 0 ? [] : graphs, diagnostics: report.diagnostics() }
}

function checkTrees(trees: readonly GraphTree[], report: Report): void {
  if (trees.length === 0 && report.errors === 0)
    report.warning('W-rag-no-graph', 'The text holds no graph.', { help: 'Begin with `graph name { … }`.' })
  const first = new Map<string, GraphTree>()
  for (const tree of trees) {
    const before = first.get(tree.name.text)
    first.set(tree.name.text, before ?? tree)
    if (before !== undefined)
      report.error('E-rag-duplicate-graph', `There is a second graph \`${tree.name.text}\`.`, {
        span: tree.name.span,
        related: [{ span: before.name.span, label: 'first here' }],
        help: 'Rename one of them.',
      })
  }
}

/** Finds source positions by JSON pointer; a part without its own has that of the nearest enclosing part. */
function locateIn(source: string, places: ReadonlyMap<string, Span>): Locate {
  return (path, part) => {
    let at = path
    while (at !== '' && !places.has(at)) at = at.slice(0, at.lastIndexOf('/'))
    const span = places.get(at)
    return span !== undefined && part !== undefined && at === path ? partOf(source, span, part) : span
  }
}

/** The position of a part of a text literal's value. */
function partOf(source: string, span: Span, part: { readonly start: number; readonly end: number }): Span {
  const { offsets, end: after } = readTextLiteral(source, span.start)
  const start = Math.min(offsets[part.start] ?? after - 1, after - 1)
  const end = Math.max(offsets[part.end] ?? after, start + 1)
  const before = source.slice(span.start, start)
  const lastBreak = before.lastIndexOf('\n')
  const column = characters(before.slice(lastBreak + 1)) + (lastBreak === -1 ? span.column : 1)
  return { start, end: Math.min(end, after), line: span.line + before.split('\n').length - 1, column }
}
