import { installedPackages } from '../../core/index.ts'
import type { Model } from '../model.ts'
import { modelById } from './model-by-id.ts'
import type { ModelSources } from './model-id.ts'

/** The sources of models named by ids in Node: the installed packages and the environment. */
export interface InstalledModels extends ModelSources {
  model(id: string): Model
}

/** The installed AI SDK packages and the keys of the environment; `undefined` outside Node. */
export function installedSources(env?: InstalledModels['env']): InstalledModels | undefined {
  const packages = installedPackages()
  if (packages === undefined) return undefined
  return {
    load: (name) => packages.load(name),
    env: env ?? packages.env,
    model(id) {
      return modelById(id, this)
    },
  }
}
