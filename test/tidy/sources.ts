import { globSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Comment, type EcmaScriptModule, type Program, parseSync } from 'oxc-parser'
import { walk } from './walk.ts'

/** The folder of the repository. */
export const root: string = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** One import or re-export, however it is written. */
export interface Import {
  readonly specifier: string
  readonly line: number
  /** The imported names; `*` for a namespace or a whole module. */
  readonly names: readonly string[]
}

/** A name that a file exports: `default` without one, `*` for all of another module. */
export interface Export {
  readonly name: string
  readonly line: number
}

/** One parsed TypeScript file of `src`, `test`, `examples`, `bench`, `scripts` or the studio. */
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
  readonly exports: readonly Export[]
}

const NAMES: Readonly<Record<string, string>> = { Default: 'default', All: '*', AllButDefault: '*' }

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
      return (imports ??= findImports(parsed, text))
    },
    get exports() {
      return parsed.module.staticExports.flatMap(({ entries }) =>
        entries.map(({ start, exportName, importName }) => ({
          name: NAMES[importName.kind] ?? NAMES[exportName.kind] ?? exportName.name!,
          line: lineAt(text, start),
        })),
      )
    },
  }
}

/** Parses every TypeScript file below the given folders. */
export function readSources(...folders: string[]): SourceFile[] {
  const paths = folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root }))
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

/** Imports as the parser lists them; the tree, which takes much longer to make, only where a module is imported in an expression or a type. */
function findImports(parsed: { readonly program: Program; readonly module: EcmaScriptModule }, text: string): Import[] {
  const { staticImports, staticExports } = parsed.module
  const found: Import[] = staticImports.map(({ start, moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    line: lineAt(text, start),
    names: entries.map(({ importName }) => importName.name ?? '*'),
  }))
  for (const { start, entries } of staticExports) {
    const specifier = entries[0]?.moduleRequest?.value
    if (specifier === undefined) continue
    const names = entries.map(({ importName }) => importName.name ?? '*')
    found.push({ specifier, line: lineAt(text, start), names })
  }
  if (/\bimport\(/.test(text)) found.push(...inExpressions(parsed.program, text))
  return found.toSorted((a, b) => a.line - b.line)
}

/** `const { a } = await import('./x.ts')` names what it takes, `(await import('./x.ts')).a` and `import('./x.ts').A` too; any other use takes all. */
function inExpressions(program: Program, text: string): Import[] {
  const found: Import[] = []
  walk(program, (node) => {
    if (node.type !== 'ImportExpression' && node.type !== 'TSImportType') return
    const specifier = (node.source as { value?: unknown }).value
    if (typeof specifier !== 'string') return
    const [, listed] = /\{([^{}]*)\} = await $/.exec(text.slice(0, node.start)) ?? []
    const after = node.type === 'TSImportType' ? text.slice(node.source.end, node.end) : text.slice(node.end)
    const [, member] = /^\)?\.(?!then\b)(\w+)/.exec(after) ?? []
    const names = listed?.split(',').map((name) => name.split(':')[0]!.trim()) ?? [member ?? '*']
    found.push({ specifier, line: lineAt(text, node.start), names })
  })
  return found
}

/** The name in an import or export list, which may also be a string literal. */
export function nameOf(node: { type: string; name?: string; value?: string }): string {
  return node.name ?? node.value ?? ''
}
