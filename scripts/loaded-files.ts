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

/**
 * The sources, below `src` and without their ending, that are loaded together with these, dynamic imports apart.
 * Through a door comes only what is asked for: the build keeps the rest of its room elsewhere.
 */
export function loadedWith(starts: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>()
  const follow = (file: string): void => {
    if (reached.has(file)) return
    reached.add(file)
    for (const [from, names] of importsOf(file)) {
      const offers = from.endsWith('/index.ts') ? [...importsOf(from)] : []
      const sources = names.map((name) => offers.find(([, offered]) => offered.includes(name))?.[0])
      // What a door does not take from elsewhere is its own, and so is it no door.
      for (const source of sources) follow(source ?? from)
    }
  }
  for (const start of starts) follow(start)
  return new Set([...reached].map((file) => file.replace(/\.ts$/, '')))
}

/** Every room's door to what it loads by first use. */
export function laterDoors(): readonly string[] {
  return globSync('src/*/later-door.ts', { cwd: root }).map((file) => posix.relative('src', file.replaceAll('\\', '/')))
}
