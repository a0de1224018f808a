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

/** What a file of graphs holds: `.rag` text, or one blueprint as JSON. */
interface GraphFile {
  readonly file: string
  readonly text: string
  /** None when there is an error anywhere. */
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

/** Whether a word names a file of graphs rather than a registered graph. */
export function isGraphFile(word: string): boolean {
  const { file } = partsOf(word)
  return file === '-' || /\.(?:rag|json)$/u.test(file) || existsSync(file)
}

/** Compiles what a file holds; with a catalog, everything it names is looked up. */
export function readGraphs(file: string, catalog?: Catalog): GraphFile {
  const text = readText(file)
  const isJson = file.endsWith('.json') || (file === '-' && text.trimStart().startsWith('{'))
  if (!isJson) return { file, text, ...compileRag(text, { label: file, catalog }) }
  const { blueprint, diagnostics } = readBlueprint(parseJson(text, file))
  const unknown = blueprint === undefined || catalog === undefined ? [] : resolveBlueprint(blueprint, catalog)
  const graphs = blueprint === undefined || unknown.length > 0 ? [] : [blueprint]
  return { file, text, graphs, diagnostics: [...diagnostics, ...unknown] }
}

/** Findings as a compiler shows them, with the line they are about. */
export function renderFile({ file, text, diagnostics }: GraphFile): string {
  const name = file === '-' ? 'stdin' : file
  return renderDiagnostics(text, diagnostics, { name })
}

export function hasErrors({ diagnostics }: GraphFile): boolean {
  return diagnostics.some(({ severity }) => severity === 'error')
}

/** The graphs of a file that must be right; what is wrong with it is the error. */
function requireGraphs(file: string, catalog?: Catalog): readonly Blueprint[] {
  const read = readGraphs(file, catalog)
  if (hasErrors(read)) throw new MandateError('CONFIG_INVALID', `${file} cannot be used:\n\n${renderFile(read)}`)
  if (read.graphs.length > 0) return read.graphs
  throw new MandateError('CONFIG_INVALID', `${file} contains no graph. Begin with \`graph name { … }\`.`)
}

/** The file that a word names, and the graph of it behind a `#`. */
function partsOf(word: string): { readonly file: string; readonly wanted: string | undefined } {
  const hash = word.lastIndexOf('#')
  return hash > 0 ? { file: word.slice(0, hash), wanted: word.slice(hash + 1) } : { file: word, wanted: undefined }
}

/** One graph of a file: the first, or the one that is named behind a `#`. */
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

/** What graphs can name by the project's configuration; nothing is known where there is none. */
export async function catalogHere(flags: Flags): Promise<Catalog | undefined> {
  const file = flags.file ?? findConfig()
  if (file === undefined) return undefined
  const { loaded } = await loadService(file)
  const service = new AgentService({ ...loaded, sinks: [], modelSources: loaded.modelSources ?? installedModels() })
  await setUp(service, loaded)
  return graphRegistry(service)
}

/** Registers the graphs of a file that are not there yet, and the one that is meant in any case; gives its name. */
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

/** Registers the graph that a run began with, where none of its name is there. */
export function addPinned(service: AgentService, blueprint: Blueprint): void {
  if (graphRegistry(service).find('graph', blueprint.name) === undefined) registerGraph(service, blueprint)
}
