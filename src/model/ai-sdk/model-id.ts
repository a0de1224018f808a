import { MandateError, nearest } from '../../core/index.ts'
import type { Model } from '../model.ts'
import { AI_SDK_PROVIDERS, type ProviderRow, type ProviderTable } from './providers.ts'

/** The dependencies of resolving ids, injected for hosts without a process or a package manager. */
export interface ModelSources {
  /** `(name) => import(name)`, written in a file of the host: packages are resolved relative to the file that imports them. */
  readonly load: (packageName: string) => Promise<unknown>
  /** `process.env`, or another record with the keys. */
  readonly env: { readonly [name: string]: string | undefined }
  /** Additional providers, or replacements of known ones. */
  readonly providers?: ProviderTable | undefined
  /** Creates the model of an id synchronously, or throws; `installedModels()` has it. Without it an agent resolves an id with the first call. */
  readonly model?: ((id: string) => Model) | undefined
}

/** A parsed id, with everything that is known before a package is loaded. */
export interface ParsedModelId {
  /** Without the name of the API: the id in prices and journals. */
  readonly id: string
  readonly provider: string
  /** `chat` in `openai.chat/gpt-5`. */
  readonly api: string | undefined
  readonly modelId: string
  readonly row: ProviderRow
}

/** Parses `provider/model` or `provider.api/model`. */
export function parseModelId(given: string, sources: ModelSources): ParsedModelId {
  const found = /^([^/.:\s]+)(?:\.([^/\s]+))?\/(\S+)$/.exec(given)
  if (found === null) {
    const meant = /^[a-z-]+:\S+$/.test(given) ? given.replace(':', '/') : 'openai/gpt-5'
    throw invalid(`The model id "${given}" is not of the form provider/model. Write it like "${meant}".`)
  }
  const [, provider = '', api, modelId = ''] = found
  const table = { ...AI_SDK_PROVIDERS, ...sources.providers }
  const row = Object.hasOwn(table, provider) ? table[provider] : undefined
  if (row === undefined) {
    const near = nearest(provider, Object.keys(table))
    const known = `Known are ${Object.keys(table).join(', ')}, and what you add to \`providers\`.`
    const hint = near === undefined ? known : `Did you mean "${near}/${modelId}"? ${known}`
    throw invalid(`"${given}" names the provider "${provider}", which is not known. ${hint}`)
  }
  return { id: `${provider}/${modelId}`, provider, api, modelId, row }
}

/** The settings of a provider from the environment. */
export function settingsOf({ id, row }: ParsedModelId, env: ModelSources['env']): Record<string, string | boolean> {
  const settings: Record<string, string | boolean> = { ...row.fixed }
  for (const [setting, variables] of Object.entries(row.from)) {
    const value = variables.map((name) => env[name]?.trim()).find((one) => one !== undefined && one !== '')
    if (value !== undefined)
      settings[setting] = setting === 'baseURL' ? wholeUrl(value, variables, row.basePath) : value
    else if (row.needs.includes(setting))
      throw invalid(`"${id}" needs ${variables.join(' or ')}. Set it in the environment.`)
  }
  return settings
}

/** Normalizes a base URL, which may also be just a host. */
function wholeUrl(value: string, variables: readonly string[], basePath: string | undefined): string {
  const text = /^[a-z]+:\/\//i.test(value) ? value : `http://${value}`
  if (!URL.canParse(text))
    throw invalid(`${variables.join(' or ')} is "${value}", which is not an address such as http://127.0.0.1:8080/v1.`)
  const url = new URL(text)
  if (url.pathname === '/' && basePath !== undefined) url.pathname = basePath
  return url.href.replace(/\/$/, '')
}

function invalid(message: string): MandateError {
  return new MandateError('CONFIG_INVALID', message)
}
