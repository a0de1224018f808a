/** The packages that a process can load by name, and its environment variables. */
export interface InstalledPackages {
  load(name: string): Promise<unknown>
  readonly env: { readonly [name: string]: string | undefined }
}

interface Builtins {
  'node:module': { createRequire(from: string): { resolve(name: string): string } }
  'node:path': { join(...parts: string[]): string }
  'node:process': { cwd(): string; readonly env: InstalledPackages['env'] }
  'node:url': { pathToFileURL(path: string): { readonly href: string } }
}

/**
 * The packages of the current project, or those beside this one, and the variables of the process. Absent where there is no Node: `getBuiltinModule` finds
 * its modules without an import that browsers would fail on.
 */
export function installedPackages(): InstalledPackages | undefined {
  const host = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } }
  const builtin = <Id extends keyof Builtins>(id: Id): Builtins[Id] | undefined =>
    host.process?.getBuiltinModule?.(id) as Builtins[Id] | undefined
  const modules = builtin('node:module')
  const path = builtin('node:path')
  const current = builtin('node:process')
  const url = builtin('node:url')
  if (modules === undefined || path === undefined || current === undefined || url === undefined) return undefined
  return {
    env: current.env,
    async load(name) {
      let found: string
      try {
        found = url.pathToFileURL(modules.createRequire(path.join(current.cwd(), 'package.json')).resolve(name)).href
      } catch {
        // Not there, or without an entry point for `require`: looked for from this package.
        found = name
      }
      return import(/* @vite-ignore */ found) as Promise<unknown>
    },
  }
}
