import { type SourceFile, lineAt, nameOf, resolveRelative } from './sources.ts'
import type { Node } from './walk.ts'

/** Functions and classes that a door shows without a comment that says what they promise. */
export function checkDocComments(door: SourceFile, files: ReadonlyMap<string, SourceFile>): string[] {
  return exportedNames(door).flatMap(({ name, from }) => {
    const file = from === undefined ? door : files.get(resolveRelative(door.path, from) ?? '')
    const declaration = file?.program.body.find((node) => declaredName(node) === name)
    if (file === undefined || declaration === undefined || hasComment(file, declaration.start)) return []
    return [`${file.path}:${lineAt(file.text, declaration.start)}: ${name} is public and has no doc comment`]
  })
}

function exportedNames(door: SourceFile): { name: string; from: string | undefined }[] {
  return door.program.body.flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration') return []
    const own = declaredName(node)
    if (own !== undefined) return [{ name: own, from: undefined }]
    return node.specifiers.map((one) => ({ name: nameOf(one.local), from: node.source?.value }))
  })
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
