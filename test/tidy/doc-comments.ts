import { type SourceFile, lineAt, nameOf, resolveRelative } from './sources.ts'
import type { Node } from './walk.ts'

/** Functions and classes that a door shows without a comment that says what they promise. */
export function checkDocComments(door: SourceFile, files: ReadonlyMap<string, SourceFile>): string[] {
  return exportedNames(door).flatMap(({ name, from }) => {
    const found = declarationOf(name, from, door, files)
    if (found === undefined || hasComment(found.file, found.start)) return []
    return [`${found.file.path}:${lineAt(found.file.text, found.start)}: ${name} is public and has no doc comment`]
  })
}

interface Exported {
  readonly name: string
  /** What it is called outside. */
  readonly as: string
  readonly from: string | undefined
}

function exportedNames(door: SourceFile): Exported[] {
  return door.program.body.flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration') return []
    const own = declaredName(node)
    if (own !== undefined) return [{ name: own, as: own, from: undefined }]
    return node.specifiers.map((one) => ({
      name: nameOf(one.local),
      as: nameOf(one.exported),
      from: node.source?.value,
    }))
  })
}

/** Follows a re-export through as many doors as it takes. */
function declarationOf(
  name: string,
  from: string | undefined,
  door: SourceFile,
  files: ReadonlyMap<string, SourceFile>,
): { readonly file: SourceFile; readonly start: number } | undefined {
  const file = from === undefined ? door : files.get(resolveRelative(door.path, from) ?? '')
  const declaration = file?.program.body.find((node) => declaredName(node) === name)
  if (file === undefined) return undefined
  if (declaration !== undefined) return { file, start: declaration.start }
  const next = exportedNames(file).find((exported) => exported.as === name && exported.from !== undefined)
  return next && declarationOf(next.name, next.from, file, files)
}

/** The name of an exported function or class; other declarations may go without a comment. */
function declaredName(node: Node): string | undefined {
  const declaration = node.type === 'ExportNamedDeclaration' ? node.declaration : null
  switch (declaration?.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction': // the first of several overloads carries the comment
    case 'ClassDeclaration':
      return declaration.id?.name
    default:
      return undefined
  }
}

function hasComment(file: SourceFile, start: number): boolean {
  return file.comments.some(
    (comment) =>
      comment.type === 'Block' &&
      comment.value.startsWith('*') &&
      comment.end <= start &&
      file.text.slice(comment.end, start).trim() === '',
  )
}
