import type { StandardSchema } from '../standard-schema.ts'
import { type FindCopies, type SchemaLibrary, functionOf, membersOf } from './library.ts'

type Fields = ReturnType<typeof membersOf>
type Constructor = new (...args: unknown[]) => unknown

/** Effect Schema of effect 3; schemas of effect 4 convert themselves, once they are wrapped as standard ones. */
export const effect3: SchemaLibrary = {
  *ways(schema, { side, isStrict, find }) {
    for (const packages of packagesOf(find)) {
      const half = side === 'input' ? schema : packages.schema('typeSchema')(schema)
      yield () => withoutIds(packages.convert(half))
      if (!isStrict)
        yield () => withoutIds(packages.convert(packages.schema('make')(withoutUnsayable(astOf(half), packages))))
    }
  },
  fix: () => 'Run `npm install effect`, or annotate the schema with `jsonSchema`.',
}

export function isEffect3(schema: object): boolean {
  return Symbol.for('effect/Schema') in schema && 'ast' in schema
}

/** Whether a schema is one of effect, 3 or 4. */
export function isEffect(schema: object): boolean {
  return isEffect3(schema) || '~effect/Schema/Schema' in schema
}

/** Wraps a schema of effect, which follows the standard only if requested. */
export function effectStandard(schema: object, find: FindCopies): StandardSchema | undefined {
  for (const copy of find('effect/Schema')) {
    if (functionOf(copy, 'isSchema')?.(schema) !== true) continue
    const older = functionOf(copy, 'standardSchemaV1')
    if (older !== undefined) return older(schema) as StandardSchema
    // Its JSON Schema describes the encoded value, where a date is text, so that value must be validated.
    const checked = functionOf(copy, 'toStandardSchemaV1')!(functionOf(copy, 'toCodecJson')!(schema)) as StandardSchema
    const told = functionOf(copy, 'toStandardJSONSchemaV1')!(schema) as StandardSchema
    return { '~standard': { ...told['~standard'], ...checked['~standard'] } }
  }
  return undefined
}

type AnyFunction = (...args: unknown[]) => unknown

/** The required modules of effect. */
interface EffectPackages {
  convert: AnyFunction
  schema(name: string): AnyFunction
  readonly nodes: Fields
}

function* packagesOf(find: FindCopies): Iterable<EffectPackages> {
  // Another version may be installed beside it.
  const schemas = [...find('effect/Schema')].find((copy) => functionOf(copy, 'standardSchemaV1') !== undefined)
  const nodes = [...find('effect/SchemaAST')].find((copy) => functionOf(copy, 'TypeLiteral') !== undefined)
  for (const copy of find('effect/JSONSchema')) {
    const convert = functionOf(copy, 'make')
    if (convert !== undefined) yield { convert, schema: (name) => functionOf(schemas, name)!, nodes: membersOf(nodes) }
  }
}

function astOf(schema: unknown): Fields {
  return membersOf(membersOf(schema)['ast'])
}

/** The same schema with `unknown` in the places that JSON Schema cannot express. */
function withoutUnsayable(node: Fields, packages: EffectPackages): unknown {
  try {
    packages.convert(packages.schema('make')(node))
    return node
  } catch {
    // One of its parts, or the node itself, cannot be converted.
  }
  const below = (part: unknown): unknown => withoutUnsayable(membersOf(part), packages)
  const made = (name: string, ...args: unknown[]): unknown => {
    const Node = packages.nodes[name] as Constructor
    return new Node(...args)
  }
  switch (node['_tag']) {
    case 'Transformation':
      return below(node['from'])
    case 'Refinement':
      return below(node['from'])
    case 'TypeLiteral': {
      const signatures = (node['propertySignatures'] as Fields[]).map((one) =>
        made('PropertySignature', one['name'], below(one['type']), one['isOptional'], true, one['annotations']),
      )
      return made('TypeLiteral', signatures, node['indexSignatures'], node['annotations'])
    }
    case 'TupleType': {
      const elements = (node['elements'] as Fields[]).map((one) =>
        made('OptionalType', below(one['type']), one['isOptional'], one['annotations']),
      )
      const rest = (node['rest'] as Fields[]).map((one) => made('Type', below(one['type']), one['annotations']))
      return made('TupleType', elements, rest, true, node['annotations'])
    }
    case 'Union': {
      const union = membersOf(packages.nodes['Union'])
      // An optional member may also be undefined, which JSON does not have.
      const types = (node['types'] as Fields[]).filter(({ _tag: tag }) => tag !== 'UndefinedKeyword')
      return (union['make'] as (made: unknown[]) => unknown)(types.map(below))
    }
    default:
      return packages.nodes['anyKeyword']
  }
}

/** Removes the `$id` and title that effect writes where anything is allowed: they carry no information, and the ids would have to be unique. */
function withoutIds(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutIds)
  if (typeof part !== 'object' || part === null) return part
  const { $id } = part as { readonly [keyword: string]: unknown }
  if ($id === '/schemas/any' || $id === '/schemas/unknown') return {}
  return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, withoutIds(member)]))
}
