import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { declarationsFolder } from '../../test/tidy/declarations.ts'
import { type SourceFile, nameOf, parseSource, resolveRelative } from '../../test/tidy/sources.ts'
import type { Node } from '../../test/tidy/walk.ts'
import { outsideCode } from './pages.ts'

/** A declaration with its file. */
export interface Declared {
  readonly name: string
  readonly file: SourceFile
  /** One node, or the overloads of a function, or a value and a type of the same name. */
  readonly nodes: readonly Node[]
  /** Nodes that only alias the declaration: the doc comment of a class exported under a typed alias is on the alias. */
  readonly aliases?: readonly Node[]
}

const files = new Map<string, SourceFile | undefined>()

/** Reads a declaration file by the path of its source; undefined for files outside `src`. */
function readFile(path: string): SourceFile | undefined {
  if (files.has(path)) return files.get(path)
  const written = join(declarationsFolder(true), path.replace(/\.ts$/, '.d.ts'))
  const file = existsSync(written) ? parseSource(path, readFileSync(written, 'utf8')) : undefined
  files.set(path, file)
  return file
}

/** Returns the names that the public file of a subpath exports. */
export function exportedNames(path: string): { readonly name: string; readonly declared: Declared }[] {
  const file = readFile(path)
  if (file === undefined) throw new Error(`${path} has no declaration file`)
  return file.program.body
    .flatMap((node) => (node.type === 'ExportNamedDeclaration' ? node.specifiers : []))
    .map((specifier) => nameOf(specifier.exported))
    .flatMap((name) => {
      const declared = findName(path, name)
      return declared === undefined ? [] : [{ name, declared }]
    })
}

/** Resolves a name in a file: declared there, re-exported, or imported. */
export function findName(path: string, name: string): Declared | undefined {
  const file = readFile(path)
  if (file === undefined) return undefined
  const nodes = declaring(file, name)
  if (nodes.length > 0) {
    const alias = file.program.body
      .map((node) => followed(node, name))
      .find((found) => found?.from === undefined && found)
    return { name, file, nodes, aliases: alias === undefined ? [] : declaring(file, alias.local) }
  }
  for (const node of file.program.body) {
    const found = followed(node, name)
    if (found === undefined) continue
    const target = found.from === undefined ? path : resolveRelative(path, found.from)?.replace(/(\.d)?\.[jt]s$/, '.ts')
    if (target === undefined || (target === path && found.local === name)) return undefined
    return findName(target, found.local)
  }
  return undefined
}

function declaring(file: SourceFile, name: string): Node[] {
  return file.program.body.filter((node) => {
    const inner = declarationIn(node)
    return inner !== undefined && declaredNames(inner).includes(name)
  })
}

function followed(node: Node, name: string): { readonly from: string | undefined; readonly local: string } | undefined {
  if (node.type === 'ExportNamedDeclaration') {
    const specifier = node.specifiers.find((one) => nameOf(one.exported) === name)
    return specifier && { from: node.source?.value, local: nameOf(specifier.local) }
  }
  if (node.type !== 'ImportDeclaration') return undefined
  const specifier = node.specifiers.find((one) => one.local.name === name)
  if (specifier?.type !== 'ImportSpecifier') return undefined
  return { from: node.source.value, local: nameOf(specifier.imported) }
}

/** Returns the declaration inside an export, or the node itself if it is a declaration. */
export function declarationIn(node: Node): Node | undefined {
  if (node.type === 'ExportNamedDeclaration') return node.declaration ?? undefined
  return 'id' in node || node.type === 'VariableDeclaration' ? node : undefined
}

function declaredNames(node: Node): string[] {
  if (node.type === 'VariableDeclaration') return node.declarations.map((one) => nameOf(one.id as { type: string }))
  return 'id' in node && node.id ? [nameOf(node.id)] : []
}

/** A doc comment: its text, and the code of its examples. */
export interface DocComment {
  readonly text: string
  readonly examples: readonly string[]
}

/** Returns the doc comment before a node. */
export function docOf(file: SourceFile, start: number): DocComment {
  const comment = file.comments.findLast(
    ({ type, value, end }) =>
      type === 'Block' && value.startsWith('*') && end <= start && file.text.slice(end, start).trim() === '',
  )
  const lines = (comment?.value.slice(1) ?? '').split('\n').map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
  const [text = '', ...examples] = lines.join('\n').split(/^\s*@example\b/m)
  return {
    // Text that looks like an HTML tag would not be displayed.
    text: outsideCode(text.trim(), (part) => part.replace(/<(?=[a-z/])/gi, '&lt;')),
    examples: examples.map((part) => /```ts\n([\s\S]*?)\n\s*```/.exec(part)?.[1]).filter((code) => code !== undefined),
  }
}
