import { checkFields, nearest } from '../core/index.ts'
import { FACT_NAMES, type ToolFacts } from './facts.ts'
import { badField } from './shape.ts'

/** What may stand in a definition of one of our own shapes, besides the facts. */
type ShapeField = 'name' | 'id' | 'description' | 'inputSchema' | 'parameters' | 'schema' | 'run' | 'handler'

export type OwnField =
  | keyof ToolFacts
  | ShapeField
  | ('definition' | 'metadata' | 'validate' | 'unvalidated' | 'show' | 'toModelOutput')

const OWN_FIELDS: Readonly<Record<OwnField, true>> = {
  ...FACT_NAMES,
  ...{ name: true, id: true, description: true, inputSchema: true, parameters: true, schema: true },
  ...{ run: true, handler: true, definition: true, metadata: true },
  // A tool that was canonical before it was copied.
  ...{ validate: true, unvalidated: true, show: true, toModelOutput: true },
}

/** Fields of other frameworks that look like misspelt facts of ours. */
const FOREIGN_FIELDS: readonly string[] = ['needsApprovalFn', 'requireApproval']

/**
 * Refuses misspelt fields of a definition: `rsik: 'destructive'` must not become no risk. A plain object of one of our own shapes may
 * have known fields only. Tools of other frameworks have fields of their own, so there only a near miss of one of our facts is refused.
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
