import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { definitionOf } from '../../../agent/index.ts'
import type { Agent, AgentConfig } from '../../../agent/index.ts'
import { MandateError, isRecord, parseJson } from '../../../core/index.ts'
import { checkBaseline } from '../../../evals/index.ts'
import type { EvalBaseline, EvalSuite } from '../../../evals/index.ts'
import type { Flags } from '../../flags.ts'
import { findConfig, importModule, loadService } from '../../load-module.ts'
import type { Loaded } from '../../load-module.ts'

/** Loads a suite from a module, a JSON file, or a file with one task per line. */
export async function loadSuite(file: string): Promise<EvalSuite> {
  const path = resolve(file)
  if (!existsSync(path))
    throw new MandateError(
      'CONFIG_INVALID',
      `There is no file ${file}. Give the path of an eval: .json, .jsonl or a module.`,
    )
  const suite = await readSuite(file, path)
  if (!isRecord(suite))
    throw new MandateError('CONFIG_INVALID', `${file} holds no eval: { name, agent, tasks: [...] }.`)
  const { cassettes } = suite as { readonly cassettes?: unknown }
  return {
    name: basename(file).replace(/(?:\.eval)?\.\w+$/, ''),
    ...suite,
    // The path is relative to the file that contains it, as in other files that refer to files.
    ...(typeof cassettes === 'string' ? { cassettes: resolve(dirname(path), cassettes) } : {}),
  } as EvalSuite
}

async function readSuite(file: string, path: string): Promise<unknown> {
  if (file.endsWith('.json')) return parseJson(readFileSync(path, 'utf8'), file)
  if (file.endsWith('.jsonl')) return suiteOfLines(readFileSync(path, 'utf8'), file)
  const { default: exported } = await importModule(file)
  return typeof exported === 'function' ? (exported as () => unknown)() : exported
}

/** Parses one task per line. The first line may hold the other fields of the suite; it has no `input`. */
function suiteOfLines(text: string, file: string): object {
  const lines = text
    .split('\n')
    .flatMap((line, at) => (line.trim() === '' ? [] : [parseJson(line, `Line ${at + 1} of ${file}`)]))
  const [first, ...rest] = lines
  return isRecord(first) && !('input' in first) ? { ...first, tasks: rest } : { tasks: lines }
}

/** The agent of an eval and its host. */
interface EvalAgent {
  readonly loaded: Loaded
  /** The file that the host was loaded from. */
  readonly source?: string | undefined
  /** The id of the agent in the host, its configuration, or undefined for the first agent. */
  readonly agent: string | AgentConfig | Agent | undefined
}

/** Finds the agent of a suite: in a file (`./agents.ts`, `./agents.ts#writer`), in the configuration of the project, or in the module of the suite. */
export async function findEvalAgent({ agent, name }: EvalSuite, file: string, flags: Flags): Promise<EvalAgent> {
  if (typeof agent === 'object') return inHost(definitionOf(agent)?.config ?? agent, await hostFor(flags))
  const [place = '', id] = (agent ?? '').split('#')
  if (flags.file !== undefined)
    return { ...(await loadService(flags.file)), agent: id ?? (isPath(place) ? undefined : agent) }
  if (isPath(place)) return { ...(await loadService(relative('.', join(dirname(file), place)))), agent: id }
  const host = await hostFor(flags)
  if (host.source !== undefined) return { ...host, agent }
  throw new MandateError(
    'CONFIG_INVALID',
    agent === undefined
      ? `The eval "${name}" names no agent. Add "agent" with the path of a module, or --file <file>.`
      : `There is no mandate.config.ts that could have the agent "${agent}" of the eval "${name}". Name the module of the agent ("./agents.ts#${agent}"), or add --file <file>.`,
  )
}

/** Adds the agent of an eval to a host. It replaces the agent with the same id, which usually is the same agent, imported by the module of the eval. */
function inHost(agent: AgentConfig | Agent, host: Pick<EvalAgent, 'loaded' | 'source'>): EvalAgent {
  const idOf = (one: { readonly id?: string | undefined; readonly name?: string | undefined }) => one.id ?? one.name
  const others = host.loaded.agents?.filter((one) => idOf(one) !== idOf(agent))
  return { ...host, loaded: others === undefined ? host.loaded : { ...host.loaded, agents: others }, agent }
}

async function hostFor({ file }: Flags): Promise<Pick<EvalAgent, 'loaded' | 'source'>> {
  const config = file ?? findConfig()
  return config === undefined ? { loaded: {} } : loadService(config)
}

function isPath(place: string): boolean {
  return /[./\\]/.test(place)
}

/** Returns the path of the baseline: the given path, or beside the eval. */
export function baselinePath({ baseline }: Flags, file: string): string {
  return baseline ?? `${file.replace(/\.\w+$/, '')}.baseline.json`
}

/** Reads the baseline of an eval; undefined if none was given and there is none beside the eval. */
export function readBaseline(flags: Flags, file: string): EvalBaseline | undefined {
  const path = baselinePath(flags, file)
  if (existsSync(path)) return checkBaseline(parseJson(readFileSync(path, 'utf8'), path), path)
  if (flags.baseline === undefined || flags.updateBaseline) return undefined
  throw new MandateError('CONFIG_INVALID', `There is no baseline ${path}. Record one with --update-baseline.`)
}

/** Writes indented JSON, so that diffs are readable. */
export function writeJson(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}
