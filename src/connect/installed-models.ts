import { MandateError } from '../core/index.ts'
import { type InstalledModels, installedSources } from '../model/index.ts'

/**
 * The model sources of a service by default: the packages installed in the current project or beside this package, with keys from the environment.
 * Use it to give another `env`, or additional `providers`.
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
