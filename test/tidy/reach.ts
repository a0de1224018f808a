import { type SourceFile, nameOf, resolveRelative } from './sources.ts'
import { type Node, walk } from './walk.ts'

export type Read = (path: string) => SourceFile

/** Classes with the inner state of a run: code that holds one could write entries or change a budget past the gate. */
export const INNER: readonly string[] = [
  'ActiveRun',
  'JournalWriter',
  'RunFold',
  'DeliveryQueue',
  'PendingEntries',
  'Slots',
  'Calls',
]

/** Reachable for authors of minds, engines and stores alone: what gets around the checks of a service. */
export const BEHIND_SERVICE: readonly string[] = ['Kernel', 'LiveRuns', 'ScheduleKeeper', 'ServiceHost']

/** A declaration and the way that leads to it from a public name: `Kernel > RunSpec > ActiveRun`. */
export interface Reached {
  readonly name: string
  readonly path: string
  readonly way: string
}

/** Every declaration that a user can reach from a door through the types of what it exports. */
export function reachableFrom(door: string, read: Read): Reached[] {
  const seen = new Map<string, Reached>()
  const queue: Reached[] = exportsOf(read(door)).map(({ name }) => ({ name, path: door, way: name }))
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const found = resolve(next.name, next.path, read)
    if (found === undefined || seen.has(`${found.file.path}:${found.name}`)) continue
    seen.set(`${found.file.path}:${found.name}`, { name: found.name, path: found.file.path, way: next.way })
    for (const name of namesIn(found.node)) {
      if (name !== found.name) queue.push({ name, path: sourceOf(found.file.path), way: `${next.way} > ${name}` })
    }
  }
  return [...seen.values()]
}

export interface Found {
  readonly name: string
  readonly file: SourceFile
  readonly node: Node
}

/** Where a name that is used in a file is declared: there, or behind its imports and re-exports. */
export function resolve(name: string, path: string, read: Read): Found | undefined {
  const file = read(path)
  const node = file.program.body.find((one) => declared(one).includes(name))
  if (node !== undefined) return { name, file, node }
  const from = exportsOf(file).find((one) => one.name === name) ?? importsOf(file).find((one) => one.name === name)
  const target = from?.source === undefined ? undefined : resolveRelative(path, from.source)
  return target === undefined ? undefined : resolve(from!.local, sourceOf(target), read)
}

/** The path of a source, whichever way its declaration file is named. */
function sourceOf(path: string): string {
  return path.replace(/(\.d)?\.[jt]s$/, '.ts')
}

interface Named {
  readonly name: string
  readonly local: string
  readonly source: string | undefined
}

function exportsOf(file: SourceFile): Named[] {
  return file.program.body.flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration') return []
    const own = declared(node).map((name) => ({ name, local: name, source: undefined }))
    const others = node.specifiers.map((one) => ({
      name: nameOf(one.exported),
      local: nameOf(one.local),
      source: node.source?.value,
    }))
    return [...own, ...others]
  })
}

function importsOf(file: SourceFile): Named[] {
  return file.program.body.flatMap((node) => {
    if (node.type !== 'ImportDeclaration') return []
    return node.specifiers.map((one) => ({
      name: one.local.name,
      local: one.type === 'ImportSpecifier' ? nameOf(one.imported) : one.local.name,
      source: node.source.value,
    }))
  })
}

function declared(node: Node): string[] {
  const inner = node.type === 'ExportNamedDeclaration' ? node.declaration : node
  if (inner === null || inner === undefined) return []
  if (inner.type === 'VariableDeclaration') return inner.declarations.map((one) => nameOf(one.id as { type: string }))
  return 'id' in inner && inner.id ? [nameOf(inner.id)] : []
}

function namesIn(node: Node): Set<string> {
  const names = new Set<string>()
  walk(node, (one) => {
    if (one.type === 'Identifier') names.add(one.name)
  })
  return names
}
