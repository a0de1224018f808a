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
  readonly exec: (input: Checked, ctx: AtomContext) => unknown
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

/** Calls a function of a capability, or says what the host has to give. */
export async function call(ctx: AtomContext, name: string, ...args: readonly unknown[]): Promise<unknown> {
  const [space, method] = name.split('.') as [string, string]
  const capability = ctx.capabilities[space] as Readonly<Record<string, unknown>> | undefined
  const found = capability?.[method]
  if (typeof found === 'function') return Reflect.apply(found, capability, args) as unknown
  throw new MandateError(
    'CONFIG_INVALID',
    `${ctx.op} needs the capability ${name}. Give it: run(program, args, { capabilities: { ${space}: { ${method}: … } } }).`,
  )
}
