import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Model, type ModelSources, modelById } from '../model/index.ts'

/** Where models named by their ids come from in Node: the packages that are installed, and the environment's variables. */
export interface InstalledModels extends ModelSources {
  model(id: string): Model
}

/**
 * Packages as the current project has them installed, or as this package has; keys from the environment.
 *
 * @example
 * ```ts
 * import { Agent } from 'mandate'
 * import { installedModels } from 'mandate/connect'
 * const agent = (): Agent => new Agent({ id: 'helper', model: 'openai/gpt-5' }, { modelSources: installedModels() })
 * ```
 */
export function installedModels(env: InstalledModels['env'] = process.env): InstalledModels {
  return {
    load: loadPackage,
    env,
    model(id) {
      return modelById(id, this)
    },
  }
}

async function loadPackage(name: string): Promise<unknown> {
  try {
    const found = createRequire(join(process.cwd(), 'package.json')).resolve(name)
    return (await import(pathToFileURL(found).href)) as unknown
  } catch {
    // Some packages have no door for `require`; those are looked for from here.
    return import(name) as Promise<unknown>
  }
}
