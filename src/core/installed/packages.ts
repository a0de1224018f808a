/** Bundles of CommonJS have no URL. */
const HERE: string | undefined = import.meta.url

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
  'node:fs': { existsSync(file: URL): boolean }
  'node:module': { createRequire(from: string): Require }
  'node:path': { join(...parts: string[]): string }
  'node:process': { cwd(): string; readonly env: InstalledPackages['env'] }
  'node:url': { pathToFileURL(path: string): URL; fileURLToPath(url: string): string }
}

/**
 * The packages of the current project or beside this one, and the environment. `undefined` outside Node: `getBuiltinModule` finds Node's modules
 * without an import that browsers would fail on.
 */
export function installedPackages(): InstalledPackages | undefined {
  const host = hostModules()
  if (host === undefined) return undefined
  const { modules, current, url } = host
  return {
    env: current.env,
    // Not installed there, or without an entry point for `require`: resolved from this package.
    load: (name) => importUnseen(inProject(host, name) ?? name),
    *copies(name) {
      // Loaded through a `require` of this module, so that Node has a parent module; an absolute path is the same file from everywhere.
      const own = modules.createRequire(HERE ?? manifestOf(host))
      const ways = [
        () => own(url.fileURLToPath(import.meta.resolve(name))),
        () => own(imported(projectRequire(host).resolve(name))),
        () => own(projectRequire(host).resolve(name)),
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

/**
 * Imports an installed package: the one beside this package, or beside the bundle that contains it; otherwise the one of the current project, because a
 * bundle may lie anywhere.
 */
export async function importInstalled(specifier: string): Promise<unknown> {
  try {
    return await importUnseen(specifier)
  } catch (error) {
    const host = hostModules()
    const found = host === undefined ? undefined : inProject(host, specifier)
    if (found === undefined) throw error
    return importUnseen(found)
  }
}

/** Imports what bundlers must not look for: each of the comments is for another bundler, and all of them stay in the built package. */
function importUnseen(specifier: string): Promise<unknown> {
  return import(/* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ specifier) as Promise<unknown>
}

export interface Host {
  readonly files: Builtins['node:fs']
  readonly modules: Builtins['node:module']
  readonly path: Builtins['node:path']
  readonly current: Builtins['node:process']
  readonly url: Builtins['node:url']
}

/** The modules of Node that are used here; `undefined` elsewhere. */
export function hostModules(): Host | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } }
  const builtin = <Id extends keyof Builtins>(id: Id): Builtins[Id] | undefined =>
    process?.getBuiltinModule?.(id) as Builtins[Id] | undefined
  const files = builtin('node:fs')
  const modules = builtin('node:module')
  const path = builtin('node:path')
  const current = builtin('node:process')
  const url = builtin('node:url')
  if (files === undefined || modules === undefined || path === undefined) return undefined
  return current === undefined || url === undefined ? undefined : { files, modules, path, current, url }
}

function projectRequire(host: Host): Require {
  return host.modules.createRequire(manifestOf(host))
}

/** The manifest of the current project. */
export function manifestOf({ path, current }: Host): string {
  return path.join(current.cwd(), 'package.json')
}

/** The URL of a package's entry point for `require`, as the current project resolves it. */
function inProject(host: Host, specifier: string): string | undefined {
  try {
    return host.url.pathToFileURL(projectRequire(host).resolve(specifier)).href
  } catch {
    return undefined
  }
}

/** The path that an `import` resolves to, where a package has `x.cjs` beside `x.js`. */
function imported(path: string): string {
  return path.endsWith('.cjs') ? `${path.slice(0, -'.cjs'.length)}.js` : path
}
