import { MandateError } from '../../core/index.ts'
import type { Model } from '../model.ts'
import { AI_SDK_PROVIDERS, type ProviderRow, type ProviderTable } from './providers.ts'

/** What a host hands in, so that ids can be resolved where there is no process and no package manager. */
export interface ModelSources {
  /** `(name) => import(name)`, written in a file of the host's own: packages are looked for from the file that imports them. */
  readonly load: (packageName: string) => Promise<unknown>
  /** `process.env`, or whatever has the keys. */
  readonly env: { readonly [name: string]: string | undefined }
  /** Providers besides the known ones, or in their place. */
  readonly providers?: ProviderTable | undefined
  /** Makes the model of an id at once, or says what is wrong with it; `installedModels()` has it. Without it an agent reads an id at the first call. */
  readonly model?: ((id: string) => Model) | undefined
}

/** An id that was read, with everything that can be known before a package is loaded. */
export interface ParsedModelId {
  /** Without the name of the API: what prices and journals go by. */
  readonly id: string
  readonly provider: string
  /** `chat` in `openai.chat/gpt-5`. */
  readonly api: string | undefined
  readonly modelId: string
  readonly row: ProviderRow
}

/** Reads `provider/model` or `provider.api/model`. */
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
    const names = Object.keys(table).join(', ')
    throw invalid(
      `"${given}" names the provider "${provider}", which is not known. Use one of ${names}; or add yours to \`providers\`.`,
    )
  }
  return { id: `${provider}/${modelId}`, provider, api, modelId, row }
}

/** The settings of a provider, out of the environment. */
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

/** Base URLs are written in many ways; only the host may be named. */
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
