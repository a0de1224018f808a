import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** Where the programs of a server are, and as whom they must run. */
export interface Programs {
  readonly folder: string
  /** Postgres refuses to run as root; then its own user runs it. */
  readonly as?: { readonly uid: number; readonly gid: number } | undefined
}

const isRoot = process.getuid?.() === 0

/** The programs of a Postgres server, if there is one that can be started here. */
export function findPostgres(): Programs | undefined {
  const folder = folders('/usr/lib/postgresql').find((each) => ['initdb', 'postgres'].every((name) => has(each, name)))
  if (folder === undefined) return undefined
  if (!isRoot) return { folder }
  try {
    const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { stdio: 'pipe' }).toString())
    return { folder, as: { uid: id('-u'), gid: id('-g') } }
  } catch {
    return undefined
  }
}

/** The program of a Redis server, if it is installed. */
export function findRedis(): Programs | undefined {
  const folder = onPath().find((each) => has(each, 'redis-server'))
  return folder === undefined ? undefined : { folder }
}

/** The program of a Restate server: the package of this platform, which is large and installed by name, or one that is on the path. */
export function findRestate(): Programs | undefined {
  const own = join('node_modules', RESTATE_PACKAGE, 'bin')
  const folder = [own, ...onPath()].find((each) => has(each, 'restate-server'))
  return folder === undefined ? undefined : { folder: resolve(folder) }
}

export const RESTATE_PACKAGE: string = `@restatedev/restate-server-${process.platform}-${process.arch}`

/** Newest version first, then whatever is on the path. */
function folders(debian: string): string[] {
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  return [...versions.map((version) => join(debian, version, 'bin')), ...onPath()]
}

function onPath(): string[] {
  return (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
}

function has(folder: string, name: string): boolean {
  return existsSync(join(folder, name))
}
