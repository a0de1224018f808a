import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

const root = join(import.meta.dirname, '..')

/** What a file imports for use, by the file it comes from; types are gone when it runs. */
type Imports = ReadonlyMap<string, readonly string[]>

const STATEMENT = /^(?:import|export) (?!type\b)(?:\{([^}]*)\}|\* as \w+|\w+) from '(\.[^']*)'/gm

function importsOf(file: string): Imports {
  const found = new Map<string, readonly string[]>()
  for (const [, names, from] of readFileSync(join(root, 'src', file), 'utf8').matchAll(STATEMENT)) {
    const used = (names ?? '*').split(',').map((name) => name.trim())
    const values = used.filter((name) => name !== '' && !name.startsWith('type '))
    const path = posix.join(posix.dirname(file), from!)
    if (values.length > 0)
      found.set(path, [...(found.get(path) ?? []), ...values.map((name) => name.split(' as ')[0]!)])
  }
  return found
}

/** The file behind a door that a name comes from, through as many doors as it takes. What a door does not take from elsewhere is its own. */
function sourceOf(name: string, from: string): string {
  if (!from.endsWith('/index.ts')) return from
  const source = [...importsOf(from)].find(([, offered]) => offered.includes(name))?.[0]
  return source === undefined ? from : sourceOf(name, source)
}

/**
 * The sources, below `src` and without their ending, that are loaded together with these, dynamic imports apart.
 * Through a door comes only what is asked for: the build keeps the rest of its room elsewhere.
 */
export function loadedWith(starts: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>()
  const follow = (file: string): void => {
    if (reached.has(file)) return
    reached.add(file)
    for (const [from, names] of importsOf(file)) for (const name of names) follow(sourceOf(name, from))
  }
  for (const start of starts) follow(start)
  return new Set([...reached].map((file) => file.replace(/\.ts$/, '')))
}

/** Every room's door to what it loads by first use. */
export function laterDoors(): readonly string[] {
  return globSync('src/*/later-door.ts', { cwd: root }).map((file) => posix.relative('src', file.replaceAll('\\', '/')))
}
