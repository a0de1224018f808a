import type { Catalog } from '../registry/catalog.ts'
import type { AllowBlueprint, Blueprint, CatalogKind } from './blueprint.ts'
import { CHANNEL_KINDS } from './blueprint.ts'
import type { ErrorDiagnosticCode } from './codes.ts'
import type { Diagnostic } from './diagnostic.ts'
import { DIAGNOSTICS_MAX, Report, didYouMean } from './report.ts'

/** A reference of a blueprint to something outside the graph. */
interface Reference {
  readonly kind: CatalogKind
  readonly name: string
  /** A JSON pointer into the blueprint. */
  readonly path: string
}

/** All references to things outside the graph, in the order of the blueprint. */
export function referencesOf(blueprint: Blueprint): Reference[] {
  const found: Reference[] = []
  const add = (kind: CatalogKind, name: string | undefined, path: string): void => {
    if (name !== undefined) found.push({ kind, name, path })
  }
  add('model', blueprint.defaults?.model, '/defaults/model')
  blueprint.channels.forEach((channel, index) => {
    if (!(CHANNEL_KINDS as readonly string[]).includes(channel.reducer))
      add('reducer', channel.reducer, `/channels/${index}/reducer`)
    else if (channel.reducer === 'aggregate' && typeof channel.args[0] === 'string')
      add('reducer', channel.args[0], `/channels/${index}/args/0`)
  })
  blueprint.nodes.forEach((node, index) => {
    const path = `/nodes/${index}`
    add('model', node.model, `${path}/model`)
    add('agent', node.agent, `${path}/agent`)
    add('graph', node.graph, `${path}/graph`)
    add('program', node.script, `${path}/script`)
    add('router', node.router, `${path}/router`)
    add('tool', node.tool, `${path}/tool`)
    node.tools?.forEach((tool, at) => add('tool', tool, `${path}/tools/${at}`))
  })
  return found
}

const CODES: Readonly<Record<Exclude<CatalogKind, 'store'>, ErrorDiagnosticCode>> = {
  model: 'E-rag-unknown-model',
  tool: 'E-rag-unknown-tool',
  agent: 'E-rag-unknown-agent',
  graph: 'E-rag-unknown-subgraph',
  router: 'E-rag-unknown-router',
  reducer: 'E-rag-unknown-reducer',
  program: 'E-rag-unknown-script',
}

const WORDS: Readonly<Record<CatalogKind, string>> = {
  model: 'model',
  tool: 'tool',
  agent: 'agent',
  graph: 'graph',
  router: 'router',
  reducer: 'reducer',
  program: 'script',
  store: 'store',
}

/**
 * Finds references that a catalog does not contain or the blueprint itself does not allow: all of them at once, with the nearest known name. An
 * empty list means that everything exists.
 *
 * @example
 * ```ts
 * import { compileRag, resolveBlueprint } from 'mandate/graph'
 * import type { Catalog } from 'mandate/graph'
 * declare const catalog: Catalog
 * const { graphs } = compileRag('graph hello { start say node say { model "small" prompt "Say hello." next END } }')
 * for (const graph of graphs) for (const { message, help } of resolveBlueprint(graph, catalog)) console.log(message, help)
 * ```
 */
export function resolveBlueprint(blueprint: Blueprint, catalog: Catalog): readonly Diagnostic[] {
  const report = new Report(DIAGNOSTICS_MAX)
  resolveInto(blueprint, catalog, report)
  return report.diagnostics()
}

/** The same into a report. `graphs` are additional known names: those of the same text, which are not registered yet. */
export function resolveInto(
  blueprint: Blueprint,
  catalog: Catalog,
  report: Report,
  graphs: readonly string[] = [],
): void {
  for (const { kind, name, path } of referencesOf(blueprint)) {
    const isOwn = kind === 'graph' && (name === blueprint.name || graphs.includes(name))
    if (!isOwn && catalog.find(kind, name) === undefined) {
      const known = [
        ...catalog.names(kind),
        ...(kind === 'graph' ? graphs : []),
        ...(kind === 'reducer' ? CHANNEL_KINDS : []),
      ]
      const code = CODES[kind as keyof typeof CODES]
      report.error(code, `There is no ${WORDS[kind]} "${name.slice(0, 60)}".`, {
        path,
        help: didYouMean(name, known, `No ${WORDS[kind]} is registered.`),
      })
    }
    const allowed = blueprint.allow?.[kind]
    if (allowed !== undefined && !isAllowed(kind, name, allowed, catalog))
      report.error('E-rag-not-allowed', `The graph does not allow itself the ${WORDS[kind]} "${name.slice(0, 60)}".`, {
        path,
        help: `Add it to \`allow ${WORDS[kind] === 'script' ? 'program' : kind}s [ … ]\`, or use one of those that are there.`,
      })
  }
}

/** Whether a name is allowed, directly or by an alias. */
function isAllowed(
  kind: CatalogKind,
  name: string,
  allowed: NonNullable<AllowBlueprint[CatalogKind]>,
  catalog: Catalog,
): boolean {
  if (allowed.includes(name)) return true
  const meant = catalog.find(kind, name)
  return meant !== undefined && allowed.some((each) => catalog.find(kind, each) === meant)
}
