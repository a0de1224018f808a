import { checkFields, MandateError } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import { toolFrom, toolsFrom } from './define-tool.ts'
import { isPack } from './pack.ts'
import type { PackManifest, ToolPack } from './pack.ts'
import type { Tool } from './tool.ts'
import type { ToolLike, ToolList } from './types/tool-types.ts'

interface RegisterOptions {
  /** Replaces an existing tool of the same name; without it a second one is refused. */
  readonly override?: boolean | undefined
}

const REGISTER_OPTIONS: FieldNames<RegisterOptions> = { override: 'flag' }

/** Tools by name, and packs of tools by name. */
export interface ToolRegistry {
  /** Adds one tool, in any accepted shape. */
  register(tool: ToolLike, options?: RegisterOptions): Tool
  /** Adds a named pack. Two packs may have different tools of one name, as long as they are not resolved together. */
  registerPack(name: string, tools: ToolList, options?: RegisterOptions): readonly Tool[]
  /** Adds a pack of `definePack`, under the name in its manifest. */
  registerPack(pack: ToolPack, options?: RegisterOptions): readonly Tool[]
  /** The manifest of a pack; `undefined` for one that was added without. */
  manifest(name: string): PackManifest | undefined
  /** The tools of these packs, each once. */
  resolvePacks(names: readonly string[]): readonly Tool[]
  /** A tool by name: single ones first, then those of packs in the order of registration. */
  get(name: string): Tool | undefined
  /** Whether a tool of this name is registered. */
  has(name: string): boolean
  /** Every tool that `get` can find. */
  list(): readonly Tool[]
  /** The names of its packs. */
  listPackNames(): readonly string[]
}

/**
 * An empty registry.
 *
 * @example
 * ```ts
 * import { toolRegistry } from 'mandate/tool'
 * const registry = toolRegistry()
 * registry.registerPack('greeting', { hello: { execute: () => 'hello' } })
 * registry.resolvePacks(['greeting']) // [hello]
 * ```
 */
export function toolRegistry(): ToolRegistry {
  const singles = new Map<string, Tool>()
  const packs = new Map<string, readonly Tool[]>()
  const manifests = new Map<string, PackManifest>()
  const list = (): readonly Tool[] => {
    const byName = new Map(singles)
    for (const tool of [...packs.values()].flat()) if (!byName.has(tool.name)) byName.set(tool.name, tool)
    return [...byName.values()]
  }
  const get = (name: string): Tool | undefined => singles.get(name) ?? list().find((tool) => tool.name === name)
  return {
    register(given, options = {}) {
      const tool = toolFrom(given)
      refuseSecond(singles.has(tool.name), `tool "${tool.name}"`, options)
      singles.set(tool.name, tool)
      return tool
    },
    registerPack(named: string | ToolPack, given?: unknown, more: RegisterOptions = {}) {
      const pack = isPack(named) ? named : undefined
      const name = pack?.manifest.name ?? (named as string)
      const options = pack === undefined ? more : ((given as RegisterOptions | undefined) ?? {})
      if (typeof name !== 'string' || name.trim() === '')
        throw new MandateError('CONFIG_INVALID', 'A pack needs a name. Give a text that is not empty.')
      refuseSecond(packs.has(name), `pack "${name}"`, options)
      const tools = pack?.tools ?? toolsFrom(given as ToolList)
      packs.set(name, tools)
      if (pack === undefined) manifests.delete(name)
      else manifests.set(name, pack.manifest)
      return tools
    },
    manifest: (name) => manifests.get(name),
    resolvePacks(names) {
      const chosen = new Map<string, Tool>()
      for (const name of names) {
        const pack = packs.get(name)
        if (pack === undefined) {
          const known = [...packs.keys()].join(', ') || 'none'
          throw new MandateError('NOT_FOUND', `There is no tool pack "${name}". Known packs: ${known}.`)
        }
        for (const tool of pack) addOnce(chosen, tool, name)
      }
      return [...chosen.values()]
    },
    get,
    has: (name) => get(name) !== undefined,
    list,
    listPackNames: () => [...packs.keys()],
  }
}

function refuseSecond(isThere: boolean, what: string, options: RegisterOptions): void {
  checkFields(options, 'an option of registering', REGISTER_OPTIONS)
  if (isThere && options.override !== true) {
    throw new MandateError('DUPLICATE', `There is a ${what} already. Rename one, or register with { override: true }.`)
  }
}

function addOnce(chosen: Map<string, Tool>, tool: Tool, pack: string): void {
  const other = chosen.get(tool.name)
  if (other !== undefined && other !== tool) {
    throw new MandateError(
      'DUPLICATE',
      `The pack "${pack}" brings another tool "${tool.name}" than a pack before it. Ask for one of them.`,
    )
  }
  chosen.set(tool.name, tool)
}
