import { checkFields, nearest } from '../core/index.ts'
import { FACT_NAMES, type ToolFacts } from './facts.ts'
import { badField } from './shape.ts'

/** The fields of a definition of this package's shapes, besides the facts. */
type ShapeField = 'name' | 'id' | 'description' | 'inputSchema' | 'parameters' | 'schema' | 'run' | 'handler'

export type OwnField =
  | keyof ToolFacts
  | ShapeField
  | ('definition' | 'metadata' | 'validate' | 'unvalidated' | 'show' | 'toModelOutput')

const OWN_FIELDS: Readonly<Record<OwnField, unknown>> = {
  ...FACT_NAMES,
  ...{ name: true, id: true, description: true, inputSchema: true, parameters: true, schema: true },
  ...{ run: true, handler: true, definition: true, metadata: true },
  // Fields of a canonical tool that was copied.
  ...{ validate: true, unvalidated: true, show: true, toModelOutput: true },
}

/** Fields of other frameworks that resemble misspelt facts. */
const FOREIGN_FIELDS: readonly string[] = ['needsApprovalFn', 'requireApproval']

/**
 * Throws on misspelt fields of a definition: `rsik: 'destructive'` must not be ignored. A plain object of one of this package's shapes may only have
 * known fields. Tools of other frameworks have fields of their own, so only a near miss of a fact is refused there.
 */
export function checkDefinition(definition: object, tool: string): void {
  if (!isPlainObject(definition)) return
  const isOwn = 'run' in definition || 'handler' in definition
  if (isOwn) {
    checkFields(definition, `a field of the tool "${tool}"`, OWN_FIELDS)
    return
  }
  const facts = Object.keys(FACT_NAMES)
  for (const field of Object.keys(definition)) {
    const meant = Object.hasOwn(OWN_FIELDS, field) || FOREIGN_FIELDS.includes(field) ? undefined : nearest(field, facts)
    if (meant !== undefined) throw badField(tool, field, `is not known. Use \`${meant}\``)
  }
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
