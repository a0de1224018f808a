import { readDeclaration, readSubpaths } from '../tidy/api.ts'
import { type Found, reachableFrom, resolve } from '../tidy/reach.ts'
import { type SourceFile, nameOf, parseSource, root } from '../tidy/sources.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Node } from '../tidy/walk.ts'

/** What a value of a type may be, as far as a caller can write it down. */
export type Shape =
  | { readonly kind: 'text' | 'number' | 'flag' | 'function' | 'null' | 'any' }
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  /** Something that others implement, or that a function makes: it is checked as a whole. */
  | { readonly kind: 'contract'; readonly name: string }
  | { readonly kind: 'list'; readonly of: () => Shape }
  | { readonly kind: 'map'; readonly of: () => Shape }
  | { readonly kind: 'union'; readonly of: readonly Shape[] }
  | { readonly kind: 'object'; readonly name: string; readonly fields: ReadonlyMap<string, Field> }

export interface Field {
  readonly shape: () => Shape
  readonly isOptional: boolean
}

/** Where a type is written, and what its parameters stand for. */
interface Scope {
  readonly path: string
  readonly given: ReadonlyMap<string, () => Shape>
}

/** A node of any type: its members are named as in the syntax tree, and each is what its reader takes. */
// oxlint-disable-next-line typescript/no-explicit-any -- the types of the syntax tree tell one node from another, which is done by `type` here
type Typed = { readonly [key: string]: any }

const files = new Map<string, SourceFile>()
const read = (path: string): SourceFile => {
  const file = files.get(path) ?? readDeclaration(path)
  files.set(path, file)
  return file
}

const ANY: Shape = { kind: 'any' }
const KEYWORDS: Readonly<Record<string, Shape>> = {
  TSStringKeyword: { kind: 'text' },
  TSTemplateLiteralType: { kind: 'text' },
  TSNumberKeyword: { kind: 'number' },
  TSBooleanKeyword: { kind: 'flag' },
  TSNullKeyword: { kind: 'null' },
  TSFunctionType: { kind: 'function' },
  TSConstructorType: { kind: 'function' },
}

/** Types of the language and of packages that callers fill with anything. */
const OPEN = new Set(['Json', 'JsonObject', 'Promise', 'Date', 'ExprNode', 'Expr'])

function shapeOf(node: Node, scope: Scope): Shape {
  const type = node as unknown as Typed
  const known = KEYWORDS[node.type]
  if (known !== undefined) return known
  switch (node.type as string) {
    case 'TSParenthesizedType':
    case 'TSTypeAnnotation':
      return shapeOf(type['typeAnnotation'], scope)
    case 'TSTypeOperator':
      return type['operator'] === 'readonly' ? shapeOf(type['typeAnnotation'], scope) : { kind: 'text' }
    case 'TSLiteralType':
      return literalOf(type['literal'])
    case 'TSArrayType':
      return { kind: 'list', of: once(() => shapeOf(type['elementType'], scope)) }
    case 'TSTupleType':
      return { kind: 'list', of: () => ANY }
    case 'TSUnionType':
      return unionOf(
        (type['types'] as Node[]).filter((one) => one.type !== 'TSUndefinedKeyword').map((one) => shapeOf(one, scope)),
      )
    case 'TSIntersectionType':
      return merged((type['types'] as Node[]).map((one) => shapeOf(one, scope)))
    case 'TSTypeLiteral':
      return objectOf('{}', type['members'], scope)
    case 'TSMappedType':
      return {
        kind: 'map',
        of: once(() => (type['typeAnnotation'] === null ? ANY : shapeOf(type['typeAnnotation'], scope))),
      }
    case 'TSTypeReference':
      return referred(
        nameOf(type['typeName']),
        (type['typeArguments'] as { params?: Node[] } | null)?.params ?? [],
        scope,
      )
    case 'TSIndexedAccessType':
      return (type['objectType'] as Node).type === 'TSParenthesizedType' ||
        (type['objectType'] as Node).type === 'TSTypeQuery'
        ? listedWords(type['objectType'], scope)
        : indexed(shapeOf(type['objectType'], scope), type['indexType'])
    default:
      return ANY
  }
}

function once(make: () => Shape): () => Shape {
  let made: Shape | undefined
  return () => (made ??= make())
}

function literalOf(literal: { readonly type: string; readonly value?: unknown }): Shape {
  return literal.type === 'Literal' ? { kind: 'literal', value: literal.value as string } : { kind: 'text' }
}

function unionOf(shapes: readonly Shape[]): Shape {
  const flat = shapes.flatMap((shape) => (shape.kind === 'union' ? shape.of : [shape]))
  return flat.length === 1 ? flat[0]! : { kind: 'union', of: flat }
}

/** All fields of several objects; anything else in an intersection brands a value. */
function merged(shapes: readonly Shape[]): Shape {
  const objects = shapes.filter((shape) => shape.kind === 'object')
  if (objects.length === 0) return shapes[0] ?? ANY
  if (shapes.some(({ kind }) => kind === 'contract')) return shapes.find(({ kind }) => kind === 'contract')!
  return { kind: 'object', name: objects[0]!.name, fields: new Map(objects.flatMap(({ fields }) => [...fields])) }
}

function indexed(shape: Shape, index: Node): Shape {
  const literal = (index as unknown as Typed)['literal'] as { value?: string } | undefined
  if (shape.kind !== 'object' || typeof literal?.value !== 'string') return ANY
  return shape.fields.get(literal.value)?.shape() ?? ANY
}

/** `(typeof WORDS)[number]`: the words of a list. */
function listedWords(node: Node, scope: Scope): Shape {
  const query = (node.type === 'TSTypeQuery' ? node : (node as unknown as Typed)['typeAnnotation']) as unknown as Typed
  if ((query['type'] as string) !== 'TSTypeQuery') return ANY
  const found = resolve(nameOf(query['exprName']), scope.path, read)
  const outer = found?.node as unknown as Typed | undefined
  const declaration = (outer?.['declaration'] ?? outer) as { readonly declarations?: readonly Typed[] } | undefined
  const list = declaration?.declarations?.find((one) => nameOf(one['id']) === found!.name)
  const annotation = (list?.['id'] as { typeAnnotation?: { typeAnnotation: Node } } | undefined)?.typeAnnotation
    ?.typeAnnotation
  const tuple = (annotation?.type === 'TSTypeOperator'
    ? (annotation as unknown as Typed)['typeAnnotation']
    : annotation) as unknown as Typed | undefined
  if (tuple === undefined || (tuple['type'] as string) !== 'TSTupleType') return ANY
  return unionOf((tuple['elementTypes'] as Node[]).map((one) => shapeOf(one, scope)))
}

function objectOf(name: string, members: readonly Node[], scope: Scope, bases: readonly Shape[] = []): Shape {
  const fields = new Map<string, Field>(bases.flatMap((base) => (base.kind === 'object' ? [...base.fields] : [])))
  let index: (() => Shape) | undefined
  let isContract = bases.some(({ kind }) => kind === 'contract')
  for (const node of members) {
    const member = node as unknown as Typed
    if (node.type === 'TSIndexSignature') index = once(() => shapeOf(member['typeAnnotation'], scope))
    if (node.type === 'TSMethodSignature' && member['optional'] !== (true as never)) isContract = true
    if (node.type === 'TSCallSignatureDeclaration' || node.type === 'TSConstructSignatureDeclaration')
      return { kind: 'function' }
    if (node.type !== 'TSPropertySignature' && node.type !== 'TSMethodSignature') continue
    const key = member['key'] as { readonly type: string; readonly name?: string; readonly value?: string }
    const field = key.name ?? key.value
    if (field === undefined || member['computed'] === (true as never)) {
      isContract = true
      continue
    }
    const isMethod = node.type === 'TSMethodSignature'
    fields.set(field, {
      shape: once(() =>
        isMethod
          ? { kind: 'function' }
          : member['typeAnnotation'] === null
            ? ANY
            : shapeOf(member['typeAnnotation'], scope),
      ),
      isOptional: member['optional'] === (true as never),
    })
  }
  if (isContract) return { kind: 'contract', name }
  if (index !== undefined && fields.size === 0) return { kind: 'map', of: index }
  return { kind: 'object', name, fields }
}

/** A named type: one of the language, a parameter, or a declaration here. */
function referred(name: string, args: readonly Node[], scope: Scope): Shape {
  const given = scope.given.get(name)
  if (given !== undefined) return given()
  const first = (): Shape => (args[0] === undefined ? ANY : shapeOf(args[0], scope))
  switch (name) {
    case 'Partial':
    case 'Required':
    case 'Readonly':
      return adjusted(first(), name)
    case 'Omit':
    case 'Pick':
      return chosen(first(), args[1], name, scope)
    case 'Exclude':
    case 'NonNullable':
      return first()
    case 'Array':
    case 'ReadonlyArray':
      return { kind: 'list', of: once(first) }
    case 'Record':
      return { kind: 'map', of: once(() => (args[1] === undefined ? ANY : shapeOf(args[1], scope))) }
  }
  if (OPEN.has(name)) return ANY
  const found = resolve(name, scope.path, read)
  return found === undefined ? { kind: 'contract', name } : declaredShape(found, args, scope)
}

const underWay = new Set<string>()

function declaredShape(found: Found, args: readonly Node[], scope: Scope): Shape {
  const outer = found.node as unknown as Typed
  const node = (found.node.type === 'ExportNamedDeclaration' ? outer['declaration'] : found.node) as unknown as Typed
  const path = found.file.path.replace(/(\.d)?\.[jt]s$/, '.ts')
  const parameters = ((node['typeParameters'] as { params?: Node[] } | null)?.params ?? []) as unknown as Typed[]
  const given = new Map<string, () => Shape>()
  for (const [index, parameter] of parameters.entries()) {
    const fallback = (parameter['default'] ?? parameter['constraint']) as Node | null
    const arg = args[index]
    const inner: Scope = { path, given: new Map(given) }
    given.set(
      nameOf(parameter['name']),
      once(() => (arg !== undefined ? shapeOf(arg, scope) : fallback === null ? ANY : shapeOf(fallback, inner))),
    )
  }
  const inner: Scope = { path, given }
  if ((node['type'] as string) === 'TSTypeAliasDeclaration') {
    const id = `${path}:${found.name}`
    if (underWay.has(id)) return ANY
    underWay.add(id)
    try {
      return shapeOf(node['typeAnnotation'], inner)
    } finally {
      underWay.delete(id)
    }
  }
  if ((node['type'] as string) !== 'TSInterfaceDeclaration') return { kind: 'contract', name: found.name }
  const bases = (node['extends'] as unknown as Typed[]).map((base) =>
    referred(nameOf(base['expression']), (base['typeArguments'] as { params?: Node[] } | null)?.params ?? [], inner),
  )
  return objectOf(found.name, (node['body'] as unknown as { body: Node[] }).body, inner, bases)
}

function adjusted(shape: Shape, how: string): Shape {
  if (shape.kind !== 'object' || how === 'Readonly') return shape
  const isOptional = how === 'Partial'
  const fields = [...shape.fields].map(([name, field]) => [name, { ...field, isOptional }] as const)
  return { ...shape, fields: new Map(fields) }
}

function chosen(shape: Shape, keys: Node | undefined, how: 'Omit' | 'Pick', scope: Scope): Shape {
  if (shape.kind !== 'object' || keys === undefined) return shape
  const named = shapeOf(keys, scope)
  const names = (named.kind === 'union' ? named.of : [named]).flatMap((one) =>
    one.kind === 'literal' ? [String(one.value)] : [],
  )
  const fields = [...shape.fields].filter(([name]) => names.includes(name) === (how === 'Pick'))
  return { ...shape, fields: new Map(fields) }
}

/** Everything that users and other rooms can reach, by name: two rooms may have a declaration of one name. */
const REACHED: ReadonlyMap<string, readonly string[]> = (() => {
  const found = new Map<string, string[]>()
  const doors = [...readSubpaths().values()]
    .flatMap((source) => [source, source.replace('/public.ts', '/index.ts')])
    .filter((door) => existsSync(join(root, door)))
  for (const { name, path } of doors.flatMap((door) => reachableFrom(door, read))) {
    const source = path.replace(/(\.d)?\.[jt]s$/, '.ts')
    const paths = found.get(name) ?? []
    if (!paths.includes(source)) found.set(name, [...paths, source])
  }
  return found
})()

/** The shape of the options that a taker like `Agent.run: SessionRunOptions` takes. */
export function shapeOfTaker(taker: string): Shape {
  const [, name, text] = /^(\w+)(?:\.\w+)?: (.*)$/.exec(taker)!
  const type = /^(?:Omit|Pick|Partial)<(\w+)/.exec(text!)?.[1] ?? /^\w+/.exec(text!)![0]
  const places = [...(REACHED.get(name!) ?? []), ...(REACHED.get(type) ?? [])]
  const path = places.find((one) => resolve(type, one, read) !== undefined)
  if (path === undefined) throw new Error(`no room declares what ${taker} takes`)
  return shapeOfText(text!, path)
}

/** The shape of a type as it is written in a file. */
export function shapeOfText(text: string, path: string): Shape {
  const { program } = parseSource('type.ts', `type T = ${text}`)
  const alias = program.body[0] as unknown as { readonly typeAnnotation: Node }
  return shapeOf(alias.typeAnnotation, { path, given: new Map() })
}
