import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Agent, AgentService, definitionOf } from '../agent/index.ts'
import type { ServiceOptions } from '../agent/index.ts'
import { MandateError, checkFields, isRecord, messageOf, nearest } from '../core/index.ts'
import { isPackSource, readPackSource } from './packs/pack-source.ts'

/** The options that a module may export: one agent, or a service with its agents. */
export type Loaded = Omit<ServiceOptions, 'store' | 'journal' | 'deterministic' | 'onApproval'> & {
  readonly [SETUP]?: Setup | undefined
  readonly [SERVER]?: ServerSettings | undefined
  readonly [CLOSE]?: (() => Promise<void>) | undefined
}

/** Called with the service created from a module's default export: registers graphs and the names that graphs use. */
type Setup = (service: AgentService) => unknown

/** Key of a loaded module's `setup`: a symbol, so that it is separate from the service options but is copied with them. */
const SETUP: unique symbol = Symbol('setup')

/** Settings of the server that `mandate serve` creates for a module: `export const server = { limits }`. */
type ServerSettings = { readonly limits?: Readonly<Record<string, number>> | undefined }

/** Key of a loaded module's `server`, a symbol for the same reasons. */
const SERVER: unique symbol = Symbol('server')

/** Key of the function that closes resources that the service does not close, such as the connections of ready packs. */
const CLOSE: unique symbol = Symbol('close')

export async function closeLoaded(loaded: Loaded): Promise<void> {
  await loaded[CLOSE]?.()
}

/** Runs the `setup` of a module before its service is used. */
export async function setUp(service: AgentService, loaded: Loaded): Promise<void> {
  await loaded[SETUP]?.(service)
}

/** Returns the server settings of a module. */
export function serverOf(loaded: Loaded): ServerSettings {
  return loaded[SERVER] ?? {}
}

const CONFIGS = ['mandate.config.ts', 'mandate.config.js', 'mandate.config.mjs']

/** Returns the configuration file of the project in the current folder, if any. */
export function findConfig(): string | undefined {
  return CONFIGS.find((name) => existsSync(name))
}

/** The exports of a configuration that the command reads, besides the default one. */
export const CONFIG_EXPORTS: readonly string[] = ['setup', 'server', 'store', 'encryption', 'queues', 'restate']

const EXPORTED = /^\s*export\s+(?:async\s+)?(?:const|let|var|function)\s+(\w+)/gmu

/** Refuses an export with a misspelt name: with `encrytion` the store would not be encrypted. Reads the text, so that no user code is executed. */
function checkExports(file: string, text: string): void {
  for (const [, name = ''] of text.matchAll(EXPORTED)) {
    const meant = CONFIG_EXPORTS.includes(name) ? undefined : nearest(name, CONFIG_EXPORTS)
    if (meant === undefined) continue
    const fix = `Did you mean \`${meant}\`? If not, give it another name.`
    throw new MandateError('CONFIG_INVALID', `${file} exports \`${name}\`, which is not read. ${fix}`)
  }
}

/** Returns a named export of the configuration. The file is only imported if its text matches `words`: listing runs must not execute user code. */
export async function configured(name: string, words: RegExp): Promise<unknown> {
  const file = findConfig()
  if (file === undefined) return undefined
  const text = readFileSync(file, 'utf8')
  checkExports(file, text)
  if (!words.test(text)) return undefined
  return ((await importModule(file)) as Record<string, unknown>)[name]
}

/** Loads the default export of a module. Each possible mistake has its own error message, because this is the first step of a new user. */
export async function loadService(file: string): Promise<{ loaded: Loaded; source: string }> {
  if (isPackSource(file)) return loadPacks(file)
  const path = resolve(file)
  if (!existsSync(path))
    throw new MandateError(
      'CONFIG_INVALID',
      `There is no file ${file}. Give the path of a module whose default export is an agent; mandate init makes a project with one.`,
    )
  const module = await importModule(file)
  const exported: unknown = await (typeof module.default === 'function' ? module.default() : module.default)
  if (typeof exported !== 'object' || exported === null) {
    throw new MandateError(
      'CONFIG_INVALID',
      `${file} has no default export that is an agent. Write \`export default new Agent({ id, model, tools })\`, \`export default { id, model, tools }\`, or \`export default defineService({ agents: [...] })\`.`,
    )
  }
  const options = exported instanceof Agent ? await loadedAgent(exported, file) : loadedObject(exported, file)
  const loaded: Loaded = {
    ...options,
    [SETUP]: readSetup(file, module.setup),
    [SERVER]: readServer(file, module.server),
  }
  const below = relative(process.cwd(), path)
  return { loaded, source: below.startsWith('..') || isAbsolute(below) ? path : below }
}

/** Loads the agent of ready packs, which no file exports. */
async function loadPacks(source: string): Promise<{ loaded: Loaded; source: string }> {
  const { openPacks } = await import('./packs/ready-packs.ts')
  const opened = await openPacks(readPackSource(source))
  return { loaded: { agents: [opened.agent], [CLOSE]: () => opened.close() }, source }
}

/** Options that the command sets itself. An agent with one of them would not run as the command line specifies. */
const OWN_OF_COMMAND = ['store', 'journal', 'deterministic', 'onApproval'] as const

/** Converts an exported agent that has its own host: the host is stopped, and the agent runs in the service of the command with the same definition. */
async function loadedAgent(agent: Agent, file: string): Promise<Loaded> {
  const definition = definitionOf(agent)
  if (definition === undefined) throw notLoadable(file, 'an agent that lives in a service')
  const { config, host } = definition
  const own = OWN_OF_COMMAND.find((name) => host[name] !== undefined)
  if (own !== undefined)
    throw new MandateError(
      'CONFIG_INVALID',
      `${file} exports an agent whose host has \`${own}\`, which the command provides itself (--dir sets where runs are stored). Leave it out.`,
    )
  await agent.stop()
  return { ...host, agents: [...(host.agents ?? []), config] }
}

function loadedObject(exported: object, file: string): Loaded {
  if (exported instanceof AgentService) throw notLoadable(file, 'a service that has opened its store')
  if ((exported as { readonly version?: unknown }).version === 'agent-v1')
    throw notLoadable(file, 'an agent of another copy of mandate than the one that runs the command')
  return isService(exported) ? exported : { agents: [exported] }
}

function notLoadable(file: string, what: string): MandateError {
  return new MandateError(
    'CONFIG_INVALID',
    `${file} exports ${what}. Export what it was made from instead: \`export default { id, model, tools }\`, or \`export default defineService({ agents: [...] })\`.`,
  )
}

function readSetup(file: string, setup: unknown): Setup | undefined {
  if (setup === undefined || typeof setup === 'function') return setup as Setup | undefined
  throw new MandateError(
    'CONFIG_INVALID',
    `${file} exports a \`setup\` that is not a function. Write \`export function setup(service) { … }\`.`,
  )
}

function readServer(file: string, server: unknown): ServerSettings | undefined {
  if (server === undefined) return undefined
  if (!isRecord(server))
    throw new MandateError(
      'CONFIG_INVALID',
      `${file} exports a \`server\` that is not an object. Write \`export const server = { limits: { streams: 100 } }\`.`,
    )
  checkFields(server, 'a field of `server`', { limits: true })
  return server
}

/** Fields that only an agent has, not a service. */
const DECIDING = ['id', 'model', 'models', 'planner', 'runner']

/** Whether an export is a service: it lists agent objects, or has only fields that agents and programs share. In an agent, `agents` is a list of names. */
function isService(exported: object): boolean {
  const { agents } = exported as { readonly agents?: unknown }
  if (Array.isArray(agents) && agents.some((agent) => typeof agent === 'object')) return true
  return !DECIDING.some((field) => Object.hasOwn(exported, field))
}

interface Imported {
  readonly default?: unknown
  readonly setup?: unknown
  readonly server?: unknown
  readonly queues?: unknown
  readonly restate?: unknown
}

/** Imports a user module; an error names the file. */
export async function importModule(file: string): Promise<Imported> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as Imported
  } catch (cause) {
    const message = messageOf(cause)
    // A package.json made by `npm init` makes all files CommonJS.
    const hint = message.endsWith('outside a module')
      ? '. Make the project one of ES modules: npm pkg set type=module'
      : ''
    throw new MandateError('CONFIG_INVALID', `${file} cannot be loaded: ${message}${hint}`, { cause })
  }
}
