import { MandateError, checkFields } from '../../core/index.ts'
import type { JsonObject, FieldNames } from '../../core/index.ts'
import { convertSchema } from '../../tool/index.ts'
import type { Risk, StandardSchema } from '../../tool/index.ts'
import { isSchema, isStandard, jsonSchemaOf } from '../builder/schema-source.ts'
import type { SchemaSource, ValueOf } from '../builder/schema-source.ts'
import type { Atom, AtomContext, AtomCost, AtomEffects } from './atom.ts'
import { checkAmount } from './amount.ts'
import { schemaCheck } from './schema-check.ts'

interface AtomOptions<I = never> {
  /** Fuel per call, or a function of the input; 1 when absent. */
  readonly cost?: AtomCost<I> | undefined
  /** Timeout of a call; 1000 when absent, 0 for no separate timeout. */
  readonly timeoutMs?: number | undefined
  /** `io` when absent, the safe default: such an atom is not repeated when a run is resumed. */
  readonly effects?: AtomEffects | undefined
  readonly docs?: string | undefined
  readonly risk?: Risk | undefined
  readonly idempotent?: boolean | undefined
}

const ATOM_OPTIONS: FieldNames<AtomOptions> = {
  cost: true,
  timeoutMs: true,
  effects: true,
  docs: true,
  risk: true,
  idempotent: true,
}

type Exec<I, O> = (input: I, ctx: AtomContext) => O | Promise<O>
type Check = (value: unknown) => string | undefined | Promise<string | undefined>

const ATOM_TIMEOUT_MS = 1_000
const OP = /^[A-Za-z][\w-]{0,63}$/

/**
 * Defines an atom. Its input is validated before `exec` is called, and its result before the program receives it. The result is copied, so no object of the
 * host reaches a program.
 *
 * @example
 * ```ts
 * import { AgentVM, defineAtom, s } from 'mandate/vm'
 * const double = defineAtom('double', s.object({ n: s.number }), s.number, async ({ n }) => n * 2, { cost: 2, effects: 'pure' })
 * const vm = new AgentVM({ double })
 * const program = vm.Agent.take(s.object({ n: s.number })).double({ n: vm.Agent.args('n') }).as('n').return(s.object({ n: s.number }))
 * const { result } = await vm.run(program, { n: 21 })
 * ```
 */
export function defineAtom<const Op extends string, I extends SchemaSource, O extends SchemaSource>(
  ...given: [
    op: Op,
    input: I,
    output: O,
    exec: Exec<ValueOf<I>, ValueOf<O>>,
    options?: AtomOptions<ValueOf<I>> | string,
  ]
): Atom<Op, ValueOf<I>, ValueOf<O>> {
  const [op, input, output, exec, more = {}] = given
  const options: AtomOptions<ValueOf<I>> = typeof more === 'string' ? { docs: more } : more
  checkFields(options, `an option of atom "${op}"`, ATOM_OPTIONS)
  if (typeof op !== 'string' || !OP.test(op))
    throw new MandateError(
      'CONFIG_INVALID',
      `${JSON.stringify(op)} is not a name for an atom. Use letters, digits, "_" and "-".`,
    )
  if (typeof exec !== 'function')
    throw new MandateError('CONFIG_INVALID', `Atom "${op}": the fourth argument is the function that does it.`)
  const { cost = 1, timeoutMs = ATOM_TIMEOUT_MS, effects = 'io', docs = '', risk, idempotent } = options
  if (typeof cost === 'number') checkAmount(cost, `The cost of atom "${op}"`)
  checkAmount(timeoutMs, `\`timeoutMs\` of atom "${op}"`)
  return Object.freeze({
    op,
    docs,
    inputSchema: toldSchema(input, `atom "${op}"`, 'input'),
    outputSchema: toldSchema(output, `what atom "${op}" gives`, 'output'),
    cost,
    timeoutMs,
    effects,
    ...(risk === undefined ? {} : { risk }),
    ...(idempotent === undefined ? {} : { idempotent }),
    checkInput: checkOf(input, `atom "${op}"`),
    checkOutput: checkOf(output, `what atom "${op}" gives`),
    exec,
    create: (step: object) => ({ ...step, op }),
  })
}

/** The JSON Schema for models and documentation. Constraints that JSON Schema cannot express are still enforced by the schema itself. */
function toldSchema(given: SchemaSource, owner: string, side: 'input' | 'output'): JsonObject {
  if (!isStandard(given) || isSchema(given)) return jsonSchemaOf(given, owner)
  const converted = convertSchema(given, side)
  if ('schema' in converted) return converted.schema
  throw new MandateError('CONFIG_INVALID', `The schema of ${owner} has no JSON Schema. ${converted.fix}`)
}

function checkOf(given: SchemaSource, owner: string): Check {
  if (isStandard(given) && !isSchema(given)) return (value) => standardIssue(given, value)
  // The schema comes from the host, so its patterns are trusted.
  return schemaCheck(jsonSchemaOf(given, owner), owner, (pattern, text) => new RegExp(pattern, 'u').test(text))
}

function standardIssue(schema: StandardSchema, value: unknown): string | undefined | Promise<string | undefined> {
  const result = schema['~standard'].validate(value)
  return result instanceof Promise ? result.then(issueOf) : issueOf(result)
}

function issueOf(result: Awaited<ReturnType<StandardSchema['~standard']['validate']>>): string | undefined {
  if (result.issues === undefined) return undefined
  const [first] = result.issues
  const path = (first?.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  const message = first?.message ?? 'it does not fit'
  return path === '' ? message : `${path}: ${message}`
}
