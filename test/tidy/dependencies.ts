import { builtinModules } from 'node:module'
import type { SourceFile } from './sources.ts'
import type { House } from './tables.ts'

/** The parts of package.json that say what users install along. */
export interface PackageLists {
  readonly dependencies?: Readonly<Record<string, string>> | undefined
  readonly optionalDependencies?: Readonly<Record<string, string>> | undefined
  readonly peerDependencies?: Readonly<Record<string, string>> | undefined
}

/** Compares package.json and all imports with the table of runtime dependencies. */
export function checkDependencies(files: readonly SourceFile[], lists: PackageLists, house: House): string[] {
  const listed = Object.keys({ ...lists.dependencies, ...lists.optionalDependencies, ...lists.peerDependencies })
  const allowed = [...house.dependencies.keys()]
  const loaded = [...house.loaded]
  const peers = Object.keys(lists.peerDependencies ?? {})
  return [
    ...loaded
      .filter((name) => !peers.includes(name))
      .map((name) => `src/README.md: ${name} is no peer in package.json`),
    ...listed
      .filter((name) => !allowed.includes(name) && !(loaded.includes(name) && peers.includes(name)))
      .map((name) => `package.json: ${name} is not in src/README.md`),
    ...allowed
      .filter((name) => listed.includes(name) === house.builtIn.has(name))
      .map((name) =>
        house.builtIn.has(name)
          ? `package.json: ${name} is built in, and installed besides`
          : `src/README.md: ${name} is not in package.json`,
      ),
    ...allowed.flatMap((name) => checkOneImporter(name, files, house.dependencies.get(name)!)),
    ...files.flatMap((file) => checkPackages(file, house)),
  ]
}

function checkOneImporter(name: string, files: readonly SourceFile[], room: string): string[] {
  const importers = files.filter(
    (file) => isShipped(file) && file.imports.some((one) => packageOf(one.specifier) === name),
  )
  // Before its room exists nobody can import it.
  if (importers.length === 0 && !files.some((file) => file.room === room)) return []
  if (importers.length === 1 && importers[0]?.room === room) return []
  const where = importers.map((file) => file.path).join(', ') || 'no file'
  return [`${name} is imported by ${where}, not by exactly one file of ${room}`]
}

function checkPackages(file: SourceFile, house: House): string[] {
  if (!isShipped(file)) return []
  return file.imports.flatMap(({ specifier, line }) => {
    const name = packageOf(specifier)
    return name === undefined || house.dependencies.has(name)
      ? []
      : [`${file.path}:${line}: ${name} is not a runtime dependency (src/README.md)`]
  })
}

function isShipped(file: SourceFile): boolean {
  return file.room !== undefined && !file.isTest
}

/** The package that a specifier names; undefined for files, builtin modules and ourselves. */
function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:') || builtinModules.includes(specifier)) return undefined
  const [first = '', second] = specifier.split('/')
  if (first === 'mandate') return undefined
  return first.startsWith('@') ? `${first}/${second}` : first
}
