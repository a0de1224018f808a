import { globSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Comment, type ImportDeclaration, type Program, parseSync } from 'oxc-parser'
import { type Node, walk } from './walk.ts'

/** The folder of the repository. */
export const root: string = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** One import or re-export, however it is written. */
export interface Import {
  readonly specifier: string
  readonly line: number
  /** The imported names; `*` for a namespace or a whole module. */
  readonly names: readonly string[]
}

/** One parsed TypeScript file of `src`, `test`, `examples`, `bench` or `scripts`. */
export interface SourceFile {
  /** Relative to the repository, with forward slashes. */
  readonly path: string
  /** The first folder below `src`, or undefined for files elsewhere. */
  readonly room: string | undefined
  readonly isTest: boolean
  readonly text: string
  readonly lineCount: number
  readonly program: Program
  readonly comments: readonly Comment[]
  readonly imports: readonly Import[]
}

const testPattern = /\.(test|test-d|fixture)\.ts$|\/fixtures\//

/** Parses one file; `path` is relative to the repository, and need not exist. */
export function parseSource(path: string, text: string): SourceFile {
  const parsed = parseSync(path, text)
  if (parsed.errors.length > 0) throw new Error(`${path} does not parse: ${parsed.errors[0]?.message}`)
  let imports: readonly Import[] | undefined
  // The tree is made when it is asked for: that takes far longer than parsing, and of most files only the size is of interest.
  return {
    path,
    room: /^src\/([^/]+)\//.exec(path)?.[1],
    isTest: testPattern.test(path),
    text,
    lineCount: text.replace(/\n$/, '').split('\n').length,
    get program() {
      return parsed.program
    },
    get comments() {
      return parsed.comments
    },
    get imports() {
      return (imports ??= findImports(parsed.program, text))
    },
  }
}

/** Parses every TypeScript file below the given folders. */
export function readSources(...folders: string[]): SourceFile[] {
  const paths = folders.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
  return paths
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.includes('node_modules'))
    .toSorted()
    .map((path) => parseSource(path, readFileSync(join(root, path), 'utf8')))
}

/** The line, counted from one, in which an offset lies. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** The path that a relative specifier names, relative to the repository; undefined for packages. */
export function resolveRelative(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : undefined
}

function findImports(program: Program, text: string): Import[] {
  const found: Import[] = []
  const add = (node: Node, source: unknown, names: readonly string[]): void => {
    const specifier = (source as { value?: unknown } | null)?.value
    if (typeof specifier === 'string') found.push({ specifier, line: lineAt(text, node.start), names })
  }
  walk(program, (node) => {
    if (node.type === 'ImportDeclaration') add(node, node.source, importedNames(node))
    else if (node.type === 'ExportAllDeclaration') add(node, node.source, ['*'])
    else if (node.type === 'ExportNamedDeclaration')
      add(
        node,
        node.source,
        node.specifiers.map((s) => nameOf(s.local)),
      )
    else if (node.type === 'ImportExpression') add(node, node.source, ['*'])
    else if (node.type === 'TSImportType') add(node, node.source, ['*'])
  })
  return found
}

function importedNames(node: ImportDeclaration): string[] {
  return node.specifiers.map((specifier) => (specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : '*'))
}

/** The name in an import or export list, which may also be a string literal. */
export function nameOf(node: { type: string; name?: string; value?: string }): string {
  return node.name ?? node.value ?? ''
}
