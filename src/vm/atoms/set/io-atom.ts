import type { Risk } from '../../../tool/index.ts'
import type { AnyAtom, AtomContext, AtomCost, AtomEffects } from '../atom.ts'
import { fieldsIssue, fieldsSchema, kindIssue, kindSchema } from './fields.ts'
import type { Fields, Given, Kind, View } from './fields.ts'

/** An input that has been validated. */
// oxlint-disable-next-line typescript/no-explicit-any -- the fields of the table say what is in it, and were checked
export type Checked = Readonly<Record<string, any>>

/** The parts of an I/O atom. */
interface IoAtomParts {
  readonly op: string
  readonly docs: string
  readonly input: Fields
  readonly output?: Kind | undefined
  readonly cost: AtomCost<Checked>
  readonly timeoutMs?: number | undefined
  readonly effects?: AtomEffects | undefined
  readonly risk?: Risk | undefined
  readonly idempotent?: boolean | undefined
  readonly exec: (input: Checked, ctx: AtomContext) => unknown
}

const PLAIN: View = {
  items: (value) => (Array.isArray(value) ? (value as readonly unknown[]) : undefined),
  isRecord: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

function givenOf(input: Checked): Given {
  const names = Object.keys(input ?? {})
  return {
    size: names.length,
    get: (name) => (names.includes(name) ? (input[name] as unknown) : undefined),
    keys: () => names,
  }
}

/** Makes an I/O atom. */
export function ioAtom(parts: IoAtomParts): AnyAtom {
  const { op, docs, cost, timeoutMs = 1_000, effects = 'io', risk, idempotent, exec, input, output = 'any' } = parts
  return Object.freeze({
    ...{ op, docs, cost, timeoutMs, effects, risk, idempotent, exec },
    inputSchema: fieldsSchema(input),
    outputSchema: kindSchema(output),
    checkInput: (given: unknown) => fieldsIssue(input, givenOf(given as Checked), PLAIN),
    checkOutput: (given: unknown) => kindIssue(output, given, PLAIN),
    create: (step: object) => ({ ...step, op }),
  })
}
