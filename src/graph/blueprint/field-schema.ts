import type { Json, JsonObject } from '../../core/index.ts'
import type { Blueprint, FieldBlueprint } from './blueprint.ts'

/** The JSON Schema of a graph's input: the declared one, or any part of its state if there is none. */
export function inputSchemaOf({ input, state = [] }: Blueprint): JsonObject {
  return input === undefined ? { ...schemaOf(state), required: [] } : schemaOf(input)
}

/** The JSON Schema of a graph's output; `undefined` if it is not declared. */
export function outputSchemaOf({ output }: Blueprint): JsonObject | undefined {
  return output === undefined ? undefined : schemaOf(output)
}

function schemaOf(fields: readonly FieldBlueprint[]): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, typeSchema(field)])),
    required: fields.filter(({ optional }) => optional !== true).map(({ name }) => name),
  }
}

function typeSchema({ type, items = 'any' }: Pick<FieldBlueprint, 'type' | 'items'>): Json {
  if (type === 'any') return {}
  return type === 'list' ? { type: 'array', items: typeSchema({ type: items }) } : { type }
}
