import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type SourceFile, nameOf, root } from './sources.ts'

/** Names that users can import, over all subpaths; the same name in two subpaths counts twice. */
export const MOST_PUBLIC_NAMES = 450

/** The names that a subpath exports. */
export function publicNames(door: SourceFile): string[] {
  return door.program.body.flatMap((node) =>
    node.type === 'ExportNamedDeclaration' ? node.specifiers.map((one) => nameOf(one.exported)) : [],
  )
}

/** The words of everything that is written for users: the documents, the README and the examples. */
export function wordsForUsers(): Set<string> {
  const paths = globSync('{README.md,docs/*.md,examples/**/*.{ts,md}}', { cwd: root })
  const texts = paths
    .filter((path) => !path.includes('node_modules'))
    .map((path) => readFileSync(join(root, path), 'utf8'))
  return wordsIn(texts.join('\n'))
}

/** Every word that could be a name. */
export function wordsIn(text: string): Set<string> {
  return new Set(text.match(/[A-Za-z_$][\w$]*/g))
}

/** Public names that no document and no example mentions. */
export function checkMentions(doors: ReadonlyMap<string, SourceFile>, words: ReadonlySet<string>): string[] {
  return [...doors].flatMap(([subpath, door]) =>
    publicNames(door)
      .filter((name) => !words.has(name))
      .map(
        (name) =>
          `${door.path}: ${name} of ${subpath} is in no document and no example: describe it there, or do not export it`,
      ),
  )
}
