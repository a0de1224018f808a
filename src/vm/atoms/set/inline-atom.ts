import { GuestArray } from '../../value/guest-array.ts'
import { GuestObject } from '../../value/guest-object.ts'
import type { Guest } from '../../value/guest.ts'
import { thrown } from '../../value/thrown.ts'
import type { AnyAtom } from '../atom.ts'
import type { AtomRow } from './core-table.ts'
import { fieldsIssue, fieldsSchema, kindSchema } from './fields.ts'
import type { View } from './fields.ts'

/** Computes on guest values, without a request. */
export type InlineWork = (input: GuestObject) => Guest

const GUEST: View = {
  items: (value) => (value instanceof GuestArray ? value.items : undefined),
  isRecord: (value) => value instanceof GuestObject,
}

/** Throws an error that the program may catch. */
export function refuse(name: string, message: string): never {
  // oxlint-disable-next-line typescript/only-throw-error -- it carries a value of the program, which is no error of the host
  throw thrown(name, message)
}

/** An atom that runs inside the machine. */
export type InlineAtom = AnyAtom & { readonly inline: InlineWork }

/** Makes an inline atom. Fields are checked on guest values, without copying. */
export function inlineAtom(row: AtomRow, work: InlineWork): InlineAtom {
  const { op, docs } = row
  return Object.freeze({
    op,
    docs,
    cost: Number(row.cost),
    inputSchema: fieldsSchema(row.input),
    outputSchema: kindSchema(row.output),
    timeoutMs: 0,
    effects: 'pure' as const,
    checkInput: () => undefined,
    checkOutput: () => undefined,
    exec: () => undefined,
    create: (step: object) => ({ ...step, op }),
    inline(input: GuestObject) {
      const issue = fieldsIssue(row.input, input, GUEST)
      if (issue !== undefined) refuse('TypeError', `${op}: ${issue}.`)
      return work(input)
    },
  })
}
