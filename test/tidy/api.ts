import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { declarationsFolder } from './declarations.ts'
import { type SourceFile, nameOf, parseSource, resolveRelative, root } from './sources.ts'
import type { Node } from './walk.ts'

/** Where the agreed public API of a subpath is kept. */
export function snapshotPath(subpath: string): string {
  return join(root, 'test/api', `${subpath === '.' ? 'root' : subpath.replace('./', '')}.txt`)
}

/** Subpath to source file (`public.ts` of a room), as package.json says it; only those whose source exists. */
export function readSubpaths(): Map<string, string> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | Record<string, string>>
  }
  return new Map(
    Object.entries(exports).flatMap(([subpath, target]) => {
      const source = typeof target === 'string' ? undefined : target['mandate-source']?.replace('./', '')
      return source === undefined || !existsSync(join(root, source)) ? [] : [[subpath, source] as const]
    }),
  )
}

/** Reads one written declaration file by the path of its source. */
export function readDeclaration(path: string): SourceFile {
  const written = path.replace(/\.ts$/, '.d.ts')
  return parseSource(written, readFileSync(join(declarationsFolder(), written), 'utf8'))
}

/** The public API of one door: every exported name in order, with its declaration. */
export function describeApi(door: string, read: Read = (path) => readDeclaration(path)): string {
  const lines = [...collect(door, { read, known: new Map() })]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, text]) => text)
  return `${lines.join('\n')}\n`
}

type Read = (path: string) => SourceFile

/** The files that were looked through, each once: a door of a door names most of them many times. */
interface Declarations {
  readonly read: Read
  readonly known: Map<string, Map<string, string>>
}

function collect(path: string, files: Declarations): Map<string, string> {
  const known = files.known.get(path)
  if (known !== undefined) return known
  const file = files.read(path)
  const found = new Map<string, string>()
  files.known.set(path, found)
  for (const node of file.program.body) {
    if (node.type !== 'ExportNamedDeclaration') continue
    for (const declared of node.declaration ? declaredNames(node.declaration) : []) {
      append(found, declared, tidyText(file.text.slice(node.start, node.end)))
    }
    for (const specifier of node.specifiers) {
      const [local, exported] = [nameOf(specifier.local), nameOf(specifier.exported)]
      const text = describe(path, node.source?.value ?? importSource(file, local), local, files)
      found.set(exported, local === exported ? text : `${text} // as ${exported}`)
    }
  }
  return found
}

/** Follows a re-export to its declaration, through as many files as it takes. */
function describe(path: string, from: string | undefined, name: string, files: Declarations): string {
  const target = from === undefined ? path : resolveRelative(path, from)?.replace(/(\.d)?\.[jt]s$/, '.ts')
  if (target === undefined) return `export { ${name} } from '${from}'`
  const text = target === path ? localText(files.read(path), name) : collect(target, files).get(name)
  return text ?? `export { ${name} } // not found in ${target}`
}

function importSource(file: SourceFile, local: string): string | undefined {
  return file.imports.find((found) => found.names.includes(local))?.specifier
}

/** A name that is exported by itself may be a value and a type; what they are made of in the same file belongs to the contract too. */
function localText(file: SourceFile, name: string): string | undefined {
  const textOf = (node: Node): string => tidyText(file.text.slice(node.start, node.end))
  const named = file.program.body.filter((one) => declaredNames(one).includes(name)).map(textOf)
  if (named.length === 0) return undefined
  const words = new Set(named.join(' ').match(/\w+/g))
  const others = file.program.body
    .map((node) => (node.type === 'ExportNamedDeclaration' ? (node.declaration ?? node) : node))
    .filter((node) => declaredNames(node).some((other) => other !== name && words.has(other)))
  return [...named, ...others.map(textOf)].join('\n')
}

/** The text of one declaration of a declaration file, as `describeApi` shows it. */
export function describeDeclaration(file: SourceFile, name: string): string {
  return file.program.body
    .map((node) => (node.type === 'ExportNamedDeclaration' ? (node.declaration ?? node) : node))
    .filter((node) => declaredNames(node).includes(name))
    .map((node) => tidyText(file.text.slice(node.start, node.end)).replace(/^declare /, ''))
    .join('\n')
}

function declaredNames(node: Node): string[] {
  if (node.type === 'VariableDeclaration') return node.declarations.map((one) => nameOf(one.id as { type: string }))
  return 'id' in node && node.id ? [nameOf(node.id)] : []
}

/** Overloads share a name; all of them belong to the contract. */
function append(found: Map<string, string>, name: string, text: string): void {
  const before = found.get(name)
  found.set(name, before === undefined ? text : `${before}\n${text}`)
}

function tidyText(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^export (declare )?/, '')
    .replace(/;$/gm, '')
    .replace(/\n\s*\n/g, '\n')
    .replace(/^ +/gm, (space) => ' '.repeat(space.length / 2))
    .trim()
}
