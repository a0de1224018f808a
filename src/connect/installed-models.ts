import { MandateError } from '../core/index.ts'
import { type InstalledModels, installedSources } from '../model/index.ts'

/**
 * Packages as the current project has them installed, or as this package has; keys from the environment. A service uses the same without being given any:
 * give it another `env`, or `providers` of your own beside it.
 *
 * @example
 * ```ts
 * import { Agent } from 'mandate'
 * import { installedModels } from 'mandate/connect'
 * const env = { OPENAI_API_KEY: 'from a vault' }
 * const agent = (): Agent => new Agent({ id: 'helper', model: 'openai/gpt-5' }, { modelSources: installedModels(env) })
 * ```
 */
export function installedModels(env: InstalledModels['env'] = process.env): InstalledModels {
  const sources = installedSources(env)
  if (sources === undefined)
    throw new MandateError(
      'CONFIG_INVALID',
      'There are no installed packages here. Give `modelSources: { load, env }`.',
    )
  return sources
}
