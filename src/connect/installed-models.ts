import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Where models named by their ids come from in Node: the packages that are installed, and the environment's variables. */
export interface InstalledModels {
  readonly load: (packageName: string) => Promise<unknown>
  readonly env: { readonly [name: string]: string | undefined }
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
  return { load: loadPackage, env }
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
