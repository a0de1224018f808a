import { MandateError } from '../../core/index.ts'
import type { JsonObject } from '../../core/index.ts'
import type { Risk } from '../../tool/index.ts'
import type { AnyAtom, AtomContext, AtomCost, AtomEffects } from './atom.ts'
import { fields, kind } from './fields.ts'
import type { Field, Kind } from './fields.ts'
import { schemaCheck } from './schema-check.ts'

/** An input once it was checked: what the fields say is there. */
// oxlint-disable-next-line typescript/no-explicit-any -- the fields of the table say what is in it, and were checked
export type Checked = Readonly<Record<string, any>>

/** An atom that leaves the machine. */
export interface OuterParts {
  readonly op: string
  readonly docs: string
  readonly input: Readonly<Record<string, Field>>
  readonly output?: Kind | undefined
  readonly cost: AtomCost<Checked>
  readonly timeoutMs?: number | undefined
  readonly effects?: AtomEffects | undefined
  readonly risk?: Risk | undefined
  readonly idempotent?: boolean | undefined
  exec(input: Checked, ctx: AtomContext): unknown
}

/** Makes an atom of its parts. */
export function outerAtom(parts: OuterParts): AnyAtom {
  const { op, docs, cost, timeoutMs = 1_000, effects = 'io', risk, idempotent, exec } = parts
  const inputSchema = fields(parts.input)
  const outputSchema: JsonObject = kind(parts.output ?? 'any')
  return Object.freeze({
    ...{ op, docs, cost, timeoutMs, effects, risk, idempotent, inputSchema, outputSchema, exec },
    checkInput: schemaCheck(inputSchema, `atom "${op}"`),
    checkOutput: schemaCheck(outputSchema, `what atom "${op}" gives`),
    create: (step: object) => ({ ...step, op }),
  })
}

/** A function of a capability, or an error that says what the host has to give. */
export function need<T extends object>(ctx: AtomContext, name: string, method: string): (...args: never[]) => T {
  const capability: unknown = ctx.capabilities[name]
  const found =
    typeof capability === 'object' && capability !== null ? (capability as Record<string, unknown>)[method] : undefined
  if (typeof found === 'function') return (found as (...args: never[]) => T).bind(capability)
  throw new MandateError(
    'CONFIG_INVALID',
    `${ctx.op} needs the capability ${name}.${method}. Give it: run(program, args, { capabilities: { ${name}: { ${method}: … } } }).`,
  )
}
