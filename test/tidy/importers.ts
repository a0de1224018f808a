import { type Doors, isDoorFile } from './rooms.ts'
import { type SourceFile, resolveRelative } from './sources.ts'

/** Exports of `src` without an importer.
 *
 *  - A name in a door (`index.ts`) needs an importer in another room, or the `public.ts` of its own.
 *    Tests import the file that declares it.
 *  - A name of any other file needs an importer that is no test; for a test alone it may be exported as long as its own file uses it too.
 *  - `testing` exists for tests: there they count as importers.
 *
 *  `kept` names exceptions with their reason: `src/gate/index.ts PRESETS`. */
export function checkImporters(
  files: readonly SourceFile[],
  doors: Doors,
  kept: Readonly<Record<string, string>> = {},
): string[] {
  const importers = findImporters(files, doors)
  const unused = new Map<string, string>()
  for (const file of files) {
    if (file.room === undefined || file.isTest || file.path.endsWith('/public.ts')) continue
    for (const { name } of file.exports) {
      const users = importers(file, name)
      const complaint = isDoorFile(file.path, doors) ? complainOfDoor(file, users) : complainOfFile(file, name, users)
      if (complaint !== undefined) unused.set(`${file.path} ${name}`, complaint)
    }
  }
  return [
    ...[...unused].filter(([one]) => kept[one] === undefined).map(([one, complaint]) => `${one}: ${complaint}`),
    ...Object.keys(kept)
      .filter((one) => !unused.has(one))
      .map((one) => `${one}: has an importer or is gone: take it off the list of exceptions`),
  ]
}

function complainOfDoor(door: SourceFile, users: readonly SourceFile[]): string | undefined {
  if (door.room === 'testing' && users.some((user) => user.room !== 'testing')) return undefined
  const isUsed = users.some((user) => isSource(user) && (user.room !== door.room || user.path.endsWith('/public.ts')))
  return isUsed
    ? undefined
    : 'no other room imports it: take it out of the door; tests import the file that declares it'
}

function complainOfFile(file: SourceFile, name: string, users: readonly SourceFile[]): string | undefined {
  if (users.some((user) => !isForTests(user)) || (file.room === 'testing' && users.length > 0)) return undefined
  if (users.length === 0) return 'no other file imports it: do not export it'
  return usesItself(file, name) ? undefined : 'only tests use it: remove it'
}

function isSource(file: SourceFile): boolean {
  return file.room !== undefined && !file.isTest
}

function isForTests(file: SourceFile): boolean {
  return file.isTest || file.path.startsWith('test/')
}

/** Who imports a name of a file; a namespace import counts for every name. */
function findImporters(
  files: readonly SourceFile[],
  doors: Doors,
): (file: SourceFile, name: string) => readonly SourceFile[] {
  const found = new Map<string, Set<SourceFile>>()
  for (const file of files) {
    for (const { specifier, names } of file.imports) {
      const target = doors.subpaths.get(specifier) ?? resolveRelative(file.path, specifier)
      if (target === undefined || target === file.path) continue
      for (const name of names) {
        const key = `${target} ${name}`
        found.set(key, (found.get(key) ?? new Set()).add(file))
      }
    }
  }
  return (file, name) => [...(found.get(`${file.path} ${name}`) ?? []), ...(found.get(`${file.path} *`) ?? [])]
}

/** Whether a file names what it declares once more, outside of comments. */
function usesItself(file: SourceFile, name: string): boolean {
  let code = file.text
  for (const { start, end } of file.comments.toReversed()) code = `${code.slice(0, start)}${code.slice(end)}`
  return [...code.matchAll(/[\w$]+/g)].filter(([word]) => word === name).length > 1
}
