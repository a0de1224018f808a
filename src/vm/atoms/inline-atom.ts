import { GuestArray } from '../value/guest-array.ts'
import { GuestObject } from '../value/guest-object.ts'
import type { Guest } from '../value/guest.ts'
import { thrown } from '../value/thrown.ts'
import type { AnyAtom } from './atom.ts'
import { fieldsIssue, fieldsSchema, kindSchema } from './fields.ts'
import type { Fields, Kind, View } from './fields.ts'

/** An atom that computes on the program's own values, without leaving the machine. */
interface InlineParts {
  readonly op: string
  readonly docs: string
  readonly input: Fields
  readonly output: Kind
  readonly cost: number
  readonly run: (input: GuestObject) => Guest
}

const GUEST: View = {
  items: (value) => (value instanceof GuestArray ? value.items : undefined),
  isRecord: (value) => value instanceof GuestObject,
}

/** Throws an error that the program may catch. */
export function refuse(name: string, message: string): never {
  // oxlint-disable-next-line typescript/only-throw-error -- it carries a value of the program, which is no error of the host
  throw thrown(name, message)
}

/** Makes an atom of its parts. Fields are checked on the program's own values, so that nothing is copied for it. */
export function inlineAtom(parts: InlineParts): AnyAtom & { readonly inline: (input: GuestObject) => Guest } {
  const { op, docs, cost, run } = parts
  return Object.freeze({
    op,
    docs,
    cost,
    inputSchema: fieldsSchema(parts.input),
    outputSchema: kindSchema(parts.output),
    timeoutMs: 0,
    effects: 'pure' as const,
    checkInput: () => undefined,
    checkOutput: () => undefined,
    exec: () => undefined,
    create: (step: object) => ({ ...step, op }),
    inline(input: GuestObject) {
      const issue = fieldsIssue(parts.input, input, GUEST)
      if (issue !== undefined) refuse('TypeError', `${op}: ${issue}.`)
      return run(input)
    },
  })
}
