import { misspelt } from './option-interfaces.ts'
import type { Field, Shape } from './option-shapes.ts'

/** One value that means nothing, at one place of the options of a taker, and the name that the refusal must tell. */
export interface Case {
  readonly place: string
  /** The type that declares the place, with its field: `RateLimit.per`. */
  readonly field: string
  readonly what: string
  readonly name: string
  readonly options: unknown
  /** The same options with a value that may stand there. */
  readonly valid: unknown
  /** The named types on the way to the place. */
  readonly types: readonly string[]
}

/** Valid values of what others implement, by the name of the type, and of fields whose text has a form. */
export type Samples = Readonly<Record<string, unknown>>

const DEPTH_MAX = 7

interface Visit {
  readonly path: readonly string[]
  readonly owner: string
  readonly types: readonly string[]
  readonly build: (value: unknown) => unknown
  readonly samples: Samples
  /** Types that are not walked into. */
  readonly data: ReadonlySet<string>
  /** What the call needs, in place of made-up values of required options. */
  readonly base?: object | undefined
}

/** Every misspelt name and every value of a wrong kind, to the leaves of a shape. `base` has what a call needs besides. */
export function casesOf(shape: Shape, { base, samples, data }: CaseSetup): readonly Case[] {
  const build = (value: unknown): unknown => ({ ...base, ...(value as object) })
  return visit(shape, { path: [], owner: '', types: [], build, samples, data, base })
}

export interface CaseSetup {
  readonly base: object
  readonly samples: Samples
  readonly data: ReadonlySet<string>
}

function visit(shape: Shape, at: Visit): readonly Case[] {
  if (at.path.length > DEPTH_MAX) return []
  const members = shape.kind === 'union' ? shape.of : [shape]
  const below = members.flatMap((member) => within(member, at))
  if (at.path.length === 0) return below
  return [...wrongKinds(members, at), ...below]
}

function within(shape: Shape, at: Visit): readonly Case[] {
  switch (shape.kind) {
    case 'list':
      return visit(shape.of(), { ...at, path: [...at.path, '0'], build: (value) => at.build([value]) })
    case 'map':
      return visit(shape.of(), { ...at, path: [...at.path, 'key'], build: (value) => at.build({ [keyOf(at)]: value }) })
    case 'object':
      return (at.types.includes(shape.name) && shape.name !== '{}') || at.data.has(shape.name)
        ? []
        : ofObject(shape, at)
    default:
      return []
  }
}

function ofObject(shape: Shape & { kind: 'object' }, at: Visit): readonly Case[] {
  const needed = { ...neededOf(shape, at.samples), ...at.base }
  const types = [...at.types, shape.name]
  return [...shape.fields].flatMap(([name, field]) => {
    const wrong = misspelt(name)
    const path = [...at.path, name]
    const owner = `${shape.name === '{}' ? at.owner : shape.name}.${name}`
    const { [name]: _, ...others } = needed
    const build = (value: unknown): unknown => at.build({ ...others, [name]: value })
    return [
      {
        ...{ place: [...at.path, wrong].join('.'), field: owner, what: 'misspelt', name: wrong },
        options: at.build({ ...needed, [wrong]: sampleOf(field, owner, at.samples) }),
        valid: at.build(needed),
        types,
      },
      ...visit(field.shape(), { ...at, path, owner, types, build, base: undefined }),
    ]
  })
}

/** The key of an entry of a map: any, unless the keys of this one have a form. */
function keyOf({ owner, samples }: Visit): string {
  return (samples[`${owner} key`] as string | undefined) ?? 'key'
}

function wrongKinds(members: readonly Shape[], { path, owner, build, types, samples }: Visit): readonly Case[] {
  const kinds = new Set(members.map(({ kind }) => kind))
  if (kinds.has('any')) return []
  const accepts = (...some: readonly Shape['kind'][]): boolean => some.some((kind) => kinds.has(kind))
  const words = members.flatMap((member) => (member.kind === 'literal' ? [typeof member.value] : []))
  const values: readonly (readonly [what: string, value: unknown, isTaken: boolean])[] = [
    ['a number', 12_345, accepts('number') || words.includes('number')],
    ['a text', 'no such word', accepts('text')],
    ['true', true, accepts('flag') || words.includes('boolean')],
    // What others implement may be any object; it is checked by what it can do.
    ['an object', { zzz: 1 }, accepts('object', 'map', 'contract')],
    ['a list', [{ zzz: 1 }], accepts('list', 'object')],
    ['a function', () => 1, accepts('function')],
  ]
  const valid = build(
    owner in samples
      ? samples[owner]
      : valueOf(members.length === 1 ? members[0]! : { kind: 'union', of: members }, samples),
  )
  const name = path.findLast((step) => !/^(?:\d+|key)$/.test(step)) ?? ''
  return values
    .filter(([, , isTaken]) => !isTaken)
    .map(([what, value]) => ({ place: path.join('.'), field: owner, what, name, options: build(value), valid, types }))
}

function neededOf(shape: Shape & { kind: 'object' }, samples: Samples): Record<string, unknown> {
  const sample = samples[shape.name]
  if (sample !== undefined) return { ...(sample as object) }
  const needed = [...shape.fields].filter(([, { isOptional }]) => !isOptional)
  return Object.fromEntries(needed.map(([name, field]) => [name, sampleOf(field, `${shape.name}.${name}`, samples)]))
}

/** A valid value of a field. */
export function sampleOf({ shape }: Field, owner: string, samples: Samples): unknown {
  if (owner in samples) return samples[owner]
  return valueOf(shape(), samples)
}

function valueOf(shape: Shape, samples: Samples): unknown {
  switch (shape.kind) {
    case 'text':
      return 'x'
    case 'number':
      return 1
    case 'flag':
      return true
    case 'literal':
      return shape.value
    case 'function':
      return () => undefined
    case 'list':
      return [valueOf(shape.of(), samples)]
    case 'map':
      return {}
    case 'union':
      return valueOf(shape.of.find(({ kind }) => kind !== 'contract') ?? shape.of[0]!, samples)
    case 'object':
      return neededOf(shape, samples)
    case 'contract':
      return samples[shape.name]
    default:
      return null
  }
}
