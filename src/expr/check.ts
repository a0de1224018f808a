import { MandateError, nearest } from '../core/index.ts'
import { EXPR_LIMITS } from './limits.ts'
import type { ExprLimits } from './limits.ts'
import { isTagged } from './nodes/expr-node.ts'
import { EXPR_KINDS } from './nodes/node.ts'
import type { Expr } from './nodes/node.ts'
import { isForbidden } from './reading.ts'
import { invalid, overLimit } from './refusals.ts'
import { PURE_SHAPES } from './shapes.ts'
import type { Field, Shape } from './shapes.ts'

/** One walk over a value: how much it has seen, and where it is. */
interface Walk {
  readonly limits: ExprLimits
  readonly path: (string | number)[]
  nodes: number
  depth: number
}

type Copied = Record<string, unknown>

/**
 * Checks an expression that came as JSON and returns a frozen copy of it, which nobody can change afterwards.
 * Whatever it is given (cycles, getters, proxies, depth), it returns or throws EXPR_INVALID or LIMIT_EXCEEDED with the path of the fault in `info.path`.
 *
 * @example
 * ```ts
 * import { checkExpr } from 'mandate/expr'
 * checkExpr({ $expr: 'binary', op: '+', left: 1, right: { $expr: 'ident', name: 'x' } })
 * ```
 */
export function checkExpr(value: unknown, limits: Partial<ExprLimits> = {}): Expr {
  const walk: Walk = { limits: { ...EXPR_LIMITS, ...limits }, path: [], nodes: 0, depth: 0 }
  try {
    return copyExpr(walk, value)
  } catch (error) {
    if (MandateError.isInstance(error)) throw error
    // A proxy or getter of the caller may throw anything.
    throw wrong(walk, 'cannot be read')
  }
}

function wrong({ path }: Walk, problem: string): MandateError {
  const place = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
  return invalid(`The expression${place === '' ? '' : ` at \`${place.replace(/^\./, '')}\``} ${problem}.`, {
    path: [...path],
  })
}

function enter<T>(walk: Walk, step: string | number, read: () => T): T {
  walk.path.push(step)
  const result = read()
  walk.path.pop()
  return result
}

function copyExpr(walk: Walk, value: unknown): Expr {
  if (!isTagged(value)) return copyData(walk, value, copyExpr) as Expr
  const kind = own(walk, value, '$expr')
  if (kind === undefined) return copyNode(walk, value, { $kind: ['arg'], path: 'name' })
  if (typeof kind === 'string' && Object.hasOwn(PURE_SHAPES, kind)) {
    const node = copyNode(walk, value, { $expr: [kind], ...PURE_SHAPES[kind] })
    const { parts, values } = node as { parts?: unknown[]; values?: unknown[] }
    if (parts !== undefined && parts.length !== values!.length + 1)
      throw wrong(walk, 'needs one part more than it has values')
    return node
  }
  if ((EXPR_KINDS as readonly unknown[]).includes(kind))
    throw wrong(walk, `is of the kind "${kind as string}", which only programs have`)
  const meant = typeof kind === 'string' ? nearest(kind, EXPR_KINDS) : undefined
  throw wrong(
    walk,
    `has no known \`$expr\`. ${meant === undefined ? `Use one of: ${EXPR_KINDS.join(', ')}` : `Did you mean "${meant}"?`}`,
  )
}

function copyNode(walk: Walk, value: object, shape: Shape): Expr {
  count(walk)
  const copy: Copied = {}
  const known = new Set<string>()
  for (const [entry, field] of Object.entries({ ...shape, 'at?': 'data' as const })) {
    const name = entry.replace('?', '')
    known.add(name)
    const member = own(walk, value, name)
    if (member === undefined) {
      if (name === entry) throw wrong(walk, `has no \`${name}\``)
    } else
      copy[name] = enter(walk, name, () =>
        copyField(walk, member, name === 'property' && own(walk, value, 'computed') === true ? 'expr' : field),
      )
  }
  const extra = Object.keys(value).find((name) => !known.has(name))
  if (extra !== undefined)
    throw wrong(walk, `has the unknown field \`${extra.slice(0, 40)}\`. Use only: ${[...known].join(', ')}`)
  walk.depth--
  return Object.freeze(copy)
}

function copyField(walk: Walk, value: unknown, field: Field): unknown {
  if (typeof field !== 'string') {
    if (!field.includes(value as string)) throw wrong(walk, `must be one of: ${field.join(', ')}`)
    return value
  }
  switch (field) {
    case 'expr':
      return copyExpr(walk, value)
    case 'data':
      return copyData(walk, value, copyLiteral)
    case 'flag':
      if (typeof value !== 'boolean') throw wrong(walk, 'must be true or false')
      return value
    case 'name':
    case 'key':
      return checkName(walk, value)
    case 'exprs':
      return copyList(walk, value, copyExpr)
    case 'texts':
      return copyList(walk, value, (_, item) => {
        if (typeof item !== 'string') throw wrong(walk, 'must be a text')
        return item
      })
    case 'properties':
      return copyList(walk, value, copyProperty)
  }
}

function copyProperty(walk: Walk, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) throw wrong(walk, 'must be an object with `key` and `value`')
  const isComputed = own(walk, value, 'computed') === true
  return copyNode(walk, value, { key: isComputed ? 'expr' : 'key', value: 'expr', 'computed?': 'flag' })
}

function checkName(walk: Walk, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw wrong(walk, 'must be a name')
  const forbidden = value.split('.').find(isForbidden)
  if (forbidden !== undefined) throw wrong(walk, `uses \`${forbidden}\`, which is forbidden`)
  return value
}

const copyLiteral = (walk: Walk, value: unknown): unknown => copyData(walk, value, copyLiteral)

function copyData(walk: Walk, value: unknown, inner: (walk: Walk, value: unknown) => unknown): unknown {
  count(walk)
  const copy = copyValue(walk, value, inner)
  walk.depth--
  return copy
}

function copyValue(walk: Walk, value: unknown, inner: (walk: Walk, value: unknown) => unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (Array.isArray(value)) return copyList(walk, value, inner)
  if (typeof value !== 'object') throw wrong(walk, `is a ${typeof value}, which is not JSON`)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw wrong(walk, 'is an instance of a class, which is not JSON')
  const copy: Copied = {}
  for (const name of Object.keys(value)) {
    if (isForbidden(name)) throw wrong(walk, `has a member \`${name}\`, which is forbidden`)
    copy[name] = enter(walk, name, () => inner(walk, own(walk, value, name)))
  }
  return Object.freeze(copy)
}

function copyList(walk: Walk, value: unknown, inner: (walk: Walk, value: unknown) => unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(walk, 'must be a list')
  const copy: unknown[] = []
  const length = Number(own(walk, value, 'length'))
  for (let index = 0; index < length; index++) {
    copy.push(enter(walk, index, () => inner(walk, own(walk, value, String(index)))))
  }
  return Object.freeze(copy)
}

/** An own value, without running a getter. */
function own(walk: Walk, value: object, name: string): unknown {
  const found = Object.getOwnPropertyDescriptor(value, name)
  if (found !== undefined && !('value' in found))
    throw wrong(walk, `has a getter \`${name.slice(0, 40)}\`, and must be plain data`)
  return found?.value
}

/** Counts what was met, and goes one deeper. */
function count(walk: Walk): void {
  const { nodes, depth } = walk.limits
  if (++walk.nodes > nodes) throw overLimit('nodes', 'The expression has too many nodes', nodes)
  if (++walk.depth > depth) throw overLimit('depth', 'The expression is nested too deeply', depth)
}
