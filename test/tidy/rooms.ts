import { posix } from 'node:path'
import { type Import, type SourceFile, resolveRelative } from './sources.ts'
import type { House } from './tables.ts'

/** The rooms that offer what `testing` has: its conformance suites, and its cassettes in files. */
const TESTERS = ['kit', 'evals']

/** Compares the table with the folders: every row needs a folder, every folder a row, and imports point upward in it. */
export function checkTable(house: House, folders: readonly string[]): string[] {
  const names = [...house.rooms.keys()]
  return [
    ...names.filter((name) => !folders.includes(name)).map((name) => `src/README.md: room ${name} has no folder`),
    ...folders.filter((name) => !names.includes(name)).map((name) => `src/${name}: no row in src/README.md`),
    ...[...house.rooms].flatMap(([name, mayImport], row) =>
      mayImport
        .filter((other) => !names.slice(0, row).includes(other))
        .map((other) => `src/README.md: ${name} may not import ${other}, which is not above it`),
    ),
    ...(names.some((name) => !TESTERS.includes(name) && house.rooms.get(name)?.includes('testing'))
      ? ['src/README.md: testing is imported by no room but kit and evals']
      : []),
  ]
}

/** What the import check needs to know besides the table. */
export interface Doors {
  /** Subpath of the package (`mandate/run`) to its source file (`src/run/public.ts`). */
  readonly subpaths: ReadonlyMap<string, string>
}

/** Every import of a room against its row: only named rooms, only through doors. */
export function checkImports(file: SourceFile, house: House, doors: Doors): string[] {
  if (file.room === undefined) return []
  return file.imports.flatMap((found) => {
    const complaint = complain(file, found, house, doors)
    return complaint === undefined ? [] : [`${file.path}:${found.line}: ${complaint}`]
  })
}

/** The one import that goes upward, by the name of the package: an agent names code mode, and loads it as a whole at its first use. */
const UPWARD = { path: 'src/agent/config/code-mode.ts', specifier: 'mandate/repl' }

function complain(file: SourceFile, found: Import, house: House, doors: Doors): string | undefined {
  const isSelf = found.specifier === 'mandate' || found.specifier.startsWith('mandate/')
  if (file.path === UPWARD.path && found.specifier === UPWARD.specifier) return undefined
  if (isSelf && !file.isTest) return `import rooms by path, not as ${found.specifier}`
  const target = isSelf ? doors.subpaths.get(found.specifier) : resolveRelative(file.path, found.specifier)
  if (target === undefined) return isSelf ? `${found.specifier} is not a subpath of the package` : undefined
  const room = /^src\/([^/]+)\//.exec(target)?.[1]
  if (room === file.room) return undefined
  if (room === undefined) {
    // Tests may use what `test/` offers to all of them; sources never reach outside `src`.
    return file.isTest && target.startsWith('test/') ? undefined : `${found.specifier} leaves src`
  }
  const isAllowed = house.rooms.get(file.room!)?.includes(room) || (file.isTest && room === 'testing')
  if (!isAllowed) return `${file.room} may not import ${room} (src/README.md)`
  const isDoor = isSelf || isDoorFile(target, doors)
  return isDoor ? undefined : `enter ${room} by its index.ts, not by ${posix.basename(target)}`
}

/** The doors beside each `public.ts`: `store` and `connect` have several. */
function innerDoors({ subpaths }: Doors): string[] {
  return [...subpaths.values()].map((source) => posix.join(posix.dirname(source), 'index.ts'))
}

/** Whether a file is a door between rooms. */
export function isDoorFile(path: string, doors: Doors): boolean {
  return /^src\/[^/]+\/index\.ts$/.test(path) || innerDoors(doors).includes(path)
}

/** Doors show what they hold: `export *` would make a name public without anybody choosing it. */
export function checkExports(file: SourceFile): string[] {
  const names = ['*', 'default']
  return file.exports.flatMap(({ name, line }) =>
    names.includes(name) ? [`${file.path}:${line}: export ${name === '*' ? 'names' : 'a name'}, not ${name}`] : [],
  )
}
