import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './sources.ts'

/** The rules of the house, as written for people in `src/README.md`. */
export interface House {
  /** Folder to the rooms it may import, in the order of the table. */
  readonly rooms: ReadonlyMap<string, readonly string[]>
  /** Thing (`clock`, `network`, …) to the rooms that may touch it. */
  readonly owners: ReadonlyMap<string, readonly string[]>
  /** Package to the room that may import it. */
  readonly dependencies: ReadonlyMap<string, string>
  /** Packages whose code is built into ours, so that users do not install them. */
  readonly builtIn: ReadonlySet<string>
  /** Packages that are loaded by their names where they are installed, and imported nowhere. */
  readonly loaded: ReadonlySet<string>
}

/** Reads the tables of `src/README.md`. */
export function readHouse(): House {
  return parseHouse(readFileSync(join(root, 'src/README.md'), 'utf8'))
}

/** Reads the four tables by their first column heading, and refuses a text that lacks one. */
export function parseHouse(markdown: string): House {
  return {
    rooms: new Map(rowsOf(markdown, 'folder').map((cells) => [nameIn(cells[0]), namesIn(cells[2])])),
    owners: new Map(
      rowsOf(markdown, 'thing').flatMap(([things = '', rooms]) =>
        things.split(',').map((thing) => [thing.trim(), namesIn(rooms)] as const),
      ),
    ),
    dependencies: new Map(rowsOf(markdown, 'package').map((cells) => [nameIn(cells[0]), nameIn(cells[1])])),
    builtIn: new Set(
      rowsOf(markdown, 'package')
        .filter((cells) => cells[2]?.endsWith('built in') === true)
        .map((cells) => nameIn(cells[0])),
    ),
    loaded: new Set(rowsOf(markdown, 'loaded package').map((cells) => nameIn(cells[0]))),
  }
}

/** The cells of each row of the table whose first heading is `heading`. */
function rowsOf(markdown: string, heading: string): string[][] {
  const lines = markdown.split('\n')
  const top = lines.findIndex((line) => cellsOf(line)[0] === heading)
  if (top < 0) throw new Error(`src/README.md has no table whose first column is "${heading}"`)
  const below = lines.slice(top + 2)
  const end = below.findIndex((line) => !line.startsWith('|'))
  return below.slice(0, end < 0 ? undefined : end).map(cellsOf)
}

function cellsOf(line: string): string[] {
  return line.startsWith('|')
    ? line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
    : []
}

function namesIn(cell = ''): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]!)
}

function nameIn(cell = ''): string {
  return namesIn(cell)[0] ?? cell
}
