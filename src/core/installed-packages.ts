/** The packages that the process can load by name, and its environment variables. */
interface InstalledPackages {
  load(name: string): Promise<unknown>
  /**
   * Every loadable copy of a package: that of this package, then that of the current project. They may be the same. A program that imported the
   * package gets the copy it imported, if the package has an ESM form.
   */
  copies(name: string): Iterable<unknown>
  readonly env: { readonly [name: string]: string | undefined }
}

interface Require {
  (path: string): unknown
  resolve(name: string): string
}

interface Builtins {
  'node:module': { createRequire(from: string): Require }
  'node:path': { join(...parts: string[]): string }
  'node:process': { cwd(): string; readonly env: InstalledPackages['env'] }
  'node:url': { pathToFileURL(path: string): { readonly href: string }; fileURLToPath(url: string): string }
}

/**
 * The packages of the current project or beside this one, and the environment. `undefined` outside Node: `getBuiltinModule` finds Node's modules
 * without an import that browsers would fail on.
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
  const projectRequire = (): Require => modules.createRequire(path.join(current.cwd(), 'package.json'))
  return {
    env: current.env,
    async load(name) {
      let found: string
      try {
        found = url.pathToFileURL(projectRequire().resolve(name)).href
      } catch {
        // Not installed there, or without an entry point for `require`: resolved from this package.
        found = name
      }
      return import(/* @vite-ignore */ found) as Promise<unknown>
    },
    *copies(name) {
      // Loaded through a `require` of this module, so that Node has a parent module; an absolute path is the same file from everywhere.
      const own = modules.createRequire(import.meta.url)
      const ways = [
        () => own(url.fileURLToPath(import.meta.resolve(name))),
        () => own(imported(projectRequire().resolve(name))),
        () => own(projectRequire().resolve(name)),
        () => own(name),
      ]
      for (const way of ways) {
        try {
          yield way()
        } catch {
          // Not installed there, or not in this form.
        }
      }
    },
  }
}

/** The path that an `import` resolves to, where a package has `x.cjs` beside `x.js`. */
function imported(path: string): string {
  return path.endsWith('.cjs') ? `${path.slice(0, -'.cjs'.length)}.js` : path
}
