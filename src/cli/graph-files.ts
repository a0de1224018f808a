import { existsSync, readFileSync } from 'node:fs'
import { AgentService } from '../agent/index.ts'
import { installedModels } from '../connect/index.ts'
import { MandateError, parseJson } from '../core/index.ts'
import {
  compileRag,
  graphRegistry,
  readBlueprint,
  registerGraph,
  renderDiagnostics,
  resolveBlueprint,
} from '../graph/index.ts'
import type { Blueprint, Catalog, Diagnostic } from '../graph/index.ts'
import type { Flags } from './flags.ts'
import { findConfig, loadService, setUp } from './load-module.ts'

/** The content of a graph file: `.rag` text, or one blueprint as JSON. */
interface GraphFile {
  readonly file: string
  readonly text: string
  /** The compiled graphs; empty if there is any error. */
  readonly graphs: readonly Blueprint[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads a file, or stdin for `-`. */
export function readText(file: string): string {
  if (file === '-') return readFileSync(0, 'utf8')
  if (existsSync(file)) return readFileSync(file, 'utf8')
  throw new MandateError(
    'INPUT_INVALID',
    `There is no file ${file}. Give the path of a .rag file or of a blueprint (.json), or - for stdin.`,
  )
}

/** Whether a word refers to a graph file rather than a registered graph. */
export function isGraphFile(word: string): boolean {
  const { file } = partsOf(word)
  return file === '-' || /\.(?:rag|json)$/u.test(file) || existsSync(file)
}

/** Compiles a file. With a catalog, all names in it are resolved. */
export function readGraphs(file: string, catalog?: Catalog): GraphFile {
  const text = readText(file)
  const isJson = file.endsWith('.json') || (file === '-' && text.trimStart().startsWith('{'))
  if (!isJson) return { file, text, ...compileRag(text, { label: file, catalog }) }
  const { blueprint, diagnostics } = readBlueprint(parseJson(text, file))
  const unknown = blueprint === undefined || catalog === undefined ? [] : resolveBlueprint(blueprint, catalog)
  const graphs = blueprint === undefined || unknown.length > 0 ? [] : [blueprint]
  return { file, text, graphs, diagnostics: [...diagnostics, ...unknown] }
}

/** Formats diagnostics with their source lines, like a compiler. */
export function renderFile({ file, text, diagnostics }: GraphFile): string {
  const name = file === '-' ? 'stdin' : file
  return renderDiagnostics(text, diagnostics, { name })
}

export function hasErrors({ diagnostics }: GraphFile): boolean {
  return diagnostics.some(({ severity }) => severity === 'error')
}

/** Returns the graphs of a file; throws if the file has errors or no graph. */
function requireGraphs(file: string, catalog?: Catalog): readonly Blueprint[] {
  const read = readGraphs(file, catalog)
  if (hasErrors(read)) throw new MandateError('CONFIG_INVALID', `${file} cannot be used:\n\n${renderFile(read)}`)
  if (read.graphs.length > 0) return read.graphs
  throw new MandateError('CONFIG_INVALID', `${file} contains no graph. Begin with \`graph name { … }\`.`)
}

/** Splits a word into a file and the name of a graph after `#`. */
function partsOf(word: string): { readonly file: string; readonly wanted: string | undefined } {
  const hash = word.lastIndexOf('#')
  return hash > 0 ? { file: word.slice(0, hash), wanted: word.slice(hash + 1) } : { file: word, wanted: undefined }
}

/** Returns one graph of a file: the first, or the one named after `#`. */
export function oneGraph(word: string, catalog?: Catalog): Blueprint {
  const { file, wanted } = partsOf(word)
  return chosen(requireGraphs(file, catalog), file, wanted)
}

function chosen(graphs: readonly Blueprint[], file: string, wanted: string | undefined): Blueprint {
  const found = wanted === undefined ? graphs[0] : graphs.find(({ name }) => name === wanted)
  if (found !== undefined) return found
  const names = graphs.map(({ name }) => name).join(', ')
  throw new MandateError('INPUT_INVALID', `${file} has no graph "${wanted}". It contains: ${names}.`)
}

/** Returns the names that graphs can use according to the configuration of the project; undefined without a configuration. */
export async function catalogHere(flags: Flags): Promise<Catalog | undefined> {
  const file = flags.file ?? findConfig()
  if (file === undefined) return undefined
  const { loaded } = await loadService(file)
  const service = new AgentService({ ...loaded, sinks: [], modelSources: loaded.modelSources ?? installedModels() })
  await setUp(service, loaded)
  return graphRegistry(service)
}

/** Registers the graphs of a file that are not registered yet, always including the selected one, and returns its name. */
export function addGraphs(service: AgentService, word: string): string {
  const { file, wanted } = partsOf(word)
  const names = graphRegistry(service)
  const graphs = requireGraphs(file, names)
  const { name } = chosen(graphs, file, wanted)
  for (const blueprint of graphs)
    if (blueprint.name === name || names.find('graph', blueprint.name) === undefined)
      registerGraph(service, blueprint, { override: true })
  return name
}

/** Registers the graph that a run started with, unless a graph of that name is registered. */
export function addPinned(service: AgentService, blueprint: Blueprint): void {
  if (graphRegistry(service).find('graph', blueprint.name) === undefined) registerGraph(service, blueprint)
}
