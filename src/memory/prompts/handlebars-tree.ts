import type { Json } from '../../core/index.ts'
import { memberOf } from '../query.ts'
import { type FilledTemplate, TemplateFault, checkLength, checkSteps } from './template.ts'
import type { WriteValue } from './value.ts'

/** A node of the parser's syntax tree, as far as it is used here. */
export interface HandlebarsNode {
  readonly type: string
  readonly loc?: { readonly start: { readonly line: number; readonly column: number } }
  readonly body?: readonly HandlebarsNode[]
  readonly path?: HandlebarsNode
  readonly params?: readonly HandlebarsNode[]
  readonly hash?: { readonly pairs: readonly unknown[] }
  readonly program?: HandlebarsNode
  readonly inverse?: HandlebarsNode
  readonly blockParams?: readonly string[]
  readonly value?: string | number | boolean
  readonly parts?: readonly string[]
  readonly depth?: number
  readonly data?: boolean
  readonly original?: string | number | boolean | null
}

const BLOCKS: ReadonlySet<string> = new Set(['if', 'unless', 'each', 'with'])
const LITERALS: ReadonlySet<string> = new Set([
  'StringLiteral',
  'NumberLiteral',
  'BooleanLiteral',
  'NullLiteral',
  'UndefinedLiteral',
])
const DATA: ReadonlySet<string> = new Set(['index', 'key', 'first', 'last', 'root'])
const DEPTH_MAX = 32

/** Refuses constructs that could reach beyond the values, and returns the names that the template reads from outside its blocks. */
export function checkHandlebars(root: HandlebarsNode): readonly string[] {
  const names = new Set<string>()
  const visit = (node: HandlebarsNode, local: ReadonlySet<string>, depth: number): void => {
    if (depth > DEPTH_MAX) throw new TemplateFault(`blocks are nested deeper than ${DEPTH_MAX}`)
    if (node.type === 'Program') for (const one of node.body!) visit(one, local, depth)
    else if (node.type === 'MustacheStatement' || node.type === 'SubExpression')
      checkCall(node, (one) => visit(one, local, depth))
    else if (node.type === 'BlockStatement') {
      checkBlock(node)
      const isHelper = BLOCKS.has(nameOf(node))
      for (const one of isHelper ? node.params! : [node.path!]) visit(one, local, depth)
      const known = new Set([...local, ...(node.program?.blockParams ?? [])])
      for (const one of [node.program, node.inverse])
        if (one !== undefined && one !== null) visit(one, known, depth + 1)
    } else if (node.type === 'PathExpression') {
      checkPath(node)
      const [head] = node.parts!
      if (node.data !== true && head !== undefined && !local.has(head)) names.add(head)
    } else if (!LITERALS.has(node.type) && node.type !== 'ContentStatement' && node.type !== 'CommentStatement')
      throw refused(node, `${node.type.replace(/Statement$/, '').toLowerCase()}s are not supported`)
  }
  visit(root, new Set(), 0)
  return [...names]
}

function checkCall(node: HandlebarsNode, visit: (node: HandlebarsNode) => void): void {
  if ((node.hash?.pairs.length ?? 0) > 0) throw refused(node, 'named arguments are not supported')
  if (LITERALS.has(node.path!.type)) throw refused(node, 'a literal is no variable; write its text')
  if (node.params!.length === 0 && node.type === 'MustacheStatement') return visit(node.path!)
  if (nameOf(node) !== 'lookup' || node.params!.length !== 2)
    throw refused(node, `there is no helper "${String(node.path!.original)}"; use if, unless, each, with or lookup`)
  for (const one of node.params!) visit(one)
}

function checkBlock(node: HandlebarsNode): void {
  if ((node.hash?.pairs.length ?? 0) > 0) throw refused(node, 'named arguments are not supported')
  const wanted = BLOCKS.has(nameOf(node)) ? 1 : 0
  if (node.params!.length !== wanted)
    throw refused(
      node,
      wanted === 1
        ? `"#${nameOf(node)}" takes one value`
        : `there is no helper "${String(node.path!.original)}"; use if, unless, each, with or lookup`,
    )
}

function checkPath(node: HandlebarsNode): void {
  if (node.data === true && !DATA.has(node.parts![0] ?? ''))
    throw refused(node, `there is no "@${node.parts!.join('.')}"`)
}

function nameOf(node: HandlebarsNode): string {
  return node.path?.type === 'PathExpression' && node.path.parts!.length === 1 && node.path.depth === 0
    ? node.path.parts![0]!
    : ''
}

function refused({ loc }: HandlebarsNode, why: string): TemplateFault {
  return new TemplateFault(loc === undefined ? why : `${why} (at ${loc.start.line}:${loc.start.column + 1})`)
}

/**
 * A scope of names: the current value, the enclosing scope, names given by `as |x|`, and `@index` and similar ones.
 */
interface Scope {
  readonly self: Json | undefined
  readonly outer?: Scope | undefined
  readonly names?: ReadonlyMap<string, Json | undefined> | undefined
  readonly data: ReadonlyMap<string, Json>
}

/** Renders a validated template. */
export function fillHandlebars(root: HandlebarsNode, params: Json, show: WriteValue): FilledTemplate {
  const filling = new Filling(show)
  filling.walk(root, { self: params, data: new Map([['root', params]]) })
  return { text: filling.text, missing: [...filling.missing] }
}

class Filling {
  text = ''
  readonly missing = new Set<string>()
  readonly #show: WriteValue
  #steps = 0

  constructor(show: WriteValue) {
    this.#show = show
  }

  walk(node: HandlebarsNode | undefined | null, scope: Scope): void {
    for (const one of node?.body ?? []) {
      checkSteps(++this.#steps)
      if (one.type === 'ContentStatement') this.text += String(one.value)
      else if (one.type === 'MustacheStatement') this.#write(one, scope)
      else if (one.type === 'BlockStatement') this.#block(one, scope)
      checkLength(this.text)
    }
  }

  #write(node: HandlebarsNode, scope: Scope): void {
    const value = valueOf(node.params!.length > 0 ? node : node.path!, scope)
    if (value === undefined) this.missing.add(String(node.path!.original))
    else this.text += this.#show(value)
  }

  #block(node: HandlebarsNode, scope: Scope): void {
    checkSteps(++this.#steps)
    const helper = BLOCKS.has(nameOf(node)) ? nameOf(node) : 'section'
    const value = valueOf(helper === 'section' ? node.path! : node.params![0]!, scope)
    const isTrue = helper === 'unless' ? isEmpty(value) : !isEmpty(value)
    if (!isTrue) return this.walk(node.inverse, scope)
    if (helper === 'if' || helper === 'unless') return this.walk(node.program, scope)
    const isList = helper === 'each' || (helper === 'section' && Array.isArray(value))
    if (isList) return this.#each(node, value!, scope)
    this.walk(node.program, value === true ? scope : inner(node, scope, { value: value!, key: undefined }))
  }

  #each(node: HandlebarsNode, value: Json, scope: Scope): void {
    const pairs: readonly (readonly [string, Json])[] =
      typeof value === 'object' && value !== null ? Object.entries(value as Readonly<Record<string, Json>>) : []
    if (pairs.length === 0) return this.walk(node.inverse, scope)
    for (const [index, [key, item]] of pairs.entries()) {
      checkSteps(++this.#steps)
      const data = { index, first: index === 0, last: index === pairs.length - 1 }
      this.walk(node.program, inner(node, scope, { value: item, key: Array.isArray(value) ? index : key, data }))
    }
  }
}

interface Entered {
  readonly value: Json
  readonly key: Json | undefined
  readonly data?: Readonly<Record<string, Json>> | undefined
}

function inner(node: HandlebarsNode, scope: Scope, { value, key, data }: Entered): Scope {
  const [first, second] = node.program?.blockParams ?? []
  const names = new Map(scope.names)
  if (first !== undefined) names.set(first, value)
  if (second !== undefined) names.set(second, key)
  const own =
    data === undefined ? scope.data : new Map([...scope.data, ...Object.entries(data), ['key', key!] as const])
  return { self: value, outer: scope, names, data: own }
}

function valueOf(node: HandlebarsNode, scope: Scope): Json | undefined {
  if (node.type === 'UndefinedLiteral') return undefined
  if (LITERALS.has(node.type)) return node.type === 'NullLiteral' ? null : node.value
  if (node.type === 'PathExpression') return pathValue(node, scope)
  const [of, name] = node.params!.map((one) => valueOf(one, scope))
  return typeof name === 'string' || typeof name === 'number' ? memberOf(of, String(name)) : undefined
}

function pathValue({ parts = [], depth = 0, data, original }: HandlebarsNode, scope: Scope): Json | undefined {
  let from: Scope | undefined = scope
  for (let up = 0; up < depth; up++) from = from?.outer
  const [head, ...rest] = parts
  if (head === undefined) return from?.self
  const isOwn = depth === 0 && !/^(?:this|\.)[./]/.test(String(original))
  const start =
    data === true
      ? scope.data.get(head)
      : isOwn && scope.names?.has(head) === true
        ? scope.names.get(head)
        : memberOf(from?.self, head)
  return rest.reduce((value: Json | undefined, part) => memberOf(value, part), start)
}

function isEmpty(value: Json | undefined): boolean {
  return (
    value === undefined ||
    value === null ||
    value === false ||
    value === '' ||
    value === 0 ||
    (Array.isArray(value) && value.length === 0)
  )
}
