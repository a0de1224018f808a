import { MandateError, nearest, checkFields } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import { toolsFrom } from './define-tool.ts'
import { RISKS } from './tool.ts'
import type { Risk, Tool } from './tool.ts'
import type { ToolList } from './types/tool-types.ts'

/** The manifest of a pack, for people who decide whether to allow it. */
export interface PackManifest {
  readonly name: string
  readonly version: string
  readonly description?: string | undefined
  /** The names of all its tools. */
  readonly tools: readonly string[]
  /** The tools that need a grant of the mandate: those that are not safe by default. */
  readonly permissions: readonly string[]
  /** The highest risk of its tools. */
  readonly risk: Risk
}

/** A named, versioned set of tools with its manifest. */
export interface ToolPack {
  readonly manifest: PackManifest
  readonly tools: readonly Tool[]
}

export interface PackDefinition {
  readonly name: string
  readonly version: string
  readonly description?: string | undefined
  /** Checked against the tools; derived from them by default. */
  readonly manifest?: Partial<Pick<PackManifest, 'tools' | 'permissions' | 'risk'>> | undefined
  readonly tools: ToolList
}

const PACK_DEFINITION: FieldNames<PackDefinition> = {
  name: 'text',
  version: 'text',
  description: 'text',
  manifest: 'object',
  tools: 'list|object',
}
const MANIFEST: FieldNames<NonNullable<PackDefinition['manifest']>> = {
  tools: 'texts',
  permissions: 'texts',
  risk: 'text',
}

/**
 * Creates a pack of tools with its manifest. A given manifest must match the tools: every tool and no other, every required permission, and no lower
 * risk. A tool without a declared risk counts as `exec`.
 *
 * @example
 * ```ts
 * import { definePack } from 'mandate'
 * const pack = definePack({
 *   name: 'clock',
 *   version: '1.0.0',
 *   tools: [{ name: 'now', risk: 'read', run: () => 'noon' }],
 * })
 * pack.manifest.risk // 'read'
 * ```
 */
export function definePack(definition: PackDefinition): ToolPack {
  checkFields(definition, 'a field of a tool pack', PACK_DEFINITION)
  const { name, version, description, manifest = {} } = definition
  checkFields(manifest, 'a field of the manifest of a tool pack', MANIFEST)
  if (typeof name !== 'string' || name.trim() === '') throw invalid('?', 'needs a `name`')
  if (typeof version !== 'string' || !/^\d+\.\d+\.\d+/.test(version))
    throw invalid(name, 'needs a `version`, such as "1.0.0"')
  const tools = toolsFrom(definition.tools)
  const names = tools.map((tool) => tool.name)
  const permissions = tools.filter(({ safeByDefault }) => safeByDefault === false).map((tool) => tool.name)
  checkNames(name, manifest.tools, names)
  for (const missing of permissions)
    if (manifest.permissions !== undefined && !manifest.permissions.includes(missing))
      throw invalid(name, `has the tool "${missing}", which is not safe by default: name it under \`permissions\``)
  return Object.freeze({
    manifest: Object.freeze({
      name: name.trim(),
      version,
      ...(description === undefined ? {} : { description }),
      tools: names,
      permissions: manifest.permissions ?? permissions,
      risk: riskOf(name, tools, manifest.risk),
    }),
    tools,
  })
}

/** Whether a value is a pack, and not a list or record of tools. */
export function isPack(value: unknown): value is ToolPack {
  const { manifest, tools } = (value ?? {}) as Partial<ToolPack>
  return typeof manifest === 'object' && typeof manifest?.name === 'string' && Array.isArray(tools)
}

function checkNames(pack: string, said: readonly string[] | undefined, names: readonly string[]): void {
  if (said === undefined) return
  const absent = said.find((name) => !names.includes(name))
  if (absent !== undefined) {
    const meant = nearest(absent, names)
    throw invalid(
      pack,
      `names the tool "${absent}", which it does not have${meant === undefined ? '' : `; it has "${meant}"`}`,
    )
  }
  const unsaid = names.find((name) => !said.includes(name))
  if (unsaid !== undefined) throw invalid(pack, `has the tool "${unsaid}", which its manifest does not name`)
}

function riskOf(pack: string, tools: readonly Tool[], said: Risk | undefined): Risk {
  const rank = Math.max(0, ...tools.map(({ risk = 'exec' }) => RISKS.indexOf(risk)))
  if (said === undefined) return RISKS[rank]!
  if (!RISKS.includes(said)) throw invalid(pack, `has the risk "${said}". Use one of: ${RISKS.join(', ')}`)
  if (RISKS.indexOf(said) < rank)
    throw invalid(pack, `says its risk is "${said}", but one of its tools is of risk "${RISKS[rank]!}"`)
  return said
}

function invalid(pack: string, what: string): MandateError {
  return new MandateError('CONFIG_INVALID', `The pack "${pack}" ${what}.`)
}
