import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

interface Manifest {
  readonly name: string
  readonly bin?: string | Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

export interface InstallCost {
  /** Names of all installed packages, including the requested ones. */
  readonly packages: readonly string[]
  /** Their folders, in the same order. */
  readonly folders: readonly string[]
  readonly bytes: number
  /** Files in `node_modules/.bin`. */
  readonly bins: readonly string[]
}

/** Computes what `npm install` of these packages installs, from the packages installed for `project`: dependencies and non-optional peers, transitively. */
export function installCost(project: string, names: readonly string[]): InstallCost {
  const found = new Map<string, Manifest>()
  const visit = (name: string, from: string): void => {
    const folder = find(name, from)
    if (found.has(folder)) return
    const manifest = read(folder)
    found.set(folder, manifest)
    for (const next of needsOf(manifest)) visit(next, folder)
  }
  for (const name of names) visit(name, project)
  const manifests = [...found.values()]
  const folders = [...found.keys()]
  return {
    packages: manifests.map(({ name }) => name),
    folders,
    bytes: folders.reduce((sum, folder) => sum + sizeOf(folder), 0),
    bins: manifests.flatMap(({ name, bin = {} }) => (typeof bin === 'string' ? [name] : Object.keys(bin))),
  }
}

function needsOf({ dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }: Manifest): string[] {
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true)
  return [...Object.keys(dependencies), ...peers]
}

/** Finds the folder of a package by Node's resolution algorithm. */
function find(name: string, from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name)
    if (existsSync(join(found, 'package.json'))) return found
    if (folder === dirname(folder)) throw new Error(`${name} is not installed (asked for by ${from})`)
  }
}

function read(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** Returns the size of the files of a package, without nested packages. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    if (entry.name === 'node_modules') return sum
    const path = join(folder, entry.name)
    return sum + (entry.isDirectory() ? sizeOf(path) : statSync(path).size)
  }, 0)
}
