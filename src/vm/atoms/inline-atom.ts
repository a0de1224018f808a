import { GuestArray } from '../value/guest-array.ts'
import { GuestObject } from '../value/guest-object.ts'
import type { Guest } from '../value/guest.ts'
import { thrown } from '../value/thrown.ts'
import type { AnyAtom } from './atom.ts'
import { fields, kind } from './fields.ts'
import type { Field, Kind } from './fields.ts'

/** An atom that computes on the program's own values, without leaving the machine. */
export interface InlineParts {
  readonly op: string
  readonly docs: string
  readonly input: Readonly<Record<string, Field>>
  readonly output: Kind
  readonly cost: number
  readonly run: (input: GuestObject) => Guest
}

type Test = (value: Guest) => boolean

const TESTS: Readonly<Record<Kind, Test>> = {
  any: () => true,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  list: (value) => value instanceof GuestArray,
  record: (value) => value instanceof GuestObject,
  strings: (value) => value instanceof GuestArray && value.items.every((item) => typeof item === 'string'),
  numbers: (value) => value instanceof GuestArray && value.items.every((item) => typeof item === 'number'),
  'text-or-list': () => true,
  size: (value) => Number.isInteger(value) && (value as number) > 0 && (value as number) <= 1_000,
  size0: (value) => Number.isInteger(value) && (value as number) >= 0,
}

const WORDS: Partial<Record<Kind, string>> = {
  list: 'an array',
  record: 'an object',
  strings: 'an array of strings',
  numbers: 'an array of numbers',
  size: 'a whole number from 1 to 1000',
  size0: 'a whole number from 0 up',
}

/** Throws an error that the program may catch. */
export function refuse(name: string, message: string): never {
  // oxlint-disable-next-line typescript/only-throw-error -- it carries a value of the program, which is no error of the host
  throw thrown(name, message)
}

/** Makes an atom of its parts. Fields are checked on the program's own values, so that nothing is copied for it. */
export function inlineAtom(parts: InlineParts): AnyAtom & { readonly inline: (input: GuestObject) => Guest } {
  const { op, docs, cost, run } = parts
  const wanted = Object.entries(parts.input).map(([name, field]) => ({
    name,
    kind: field.replace('?', '') as Kind,
    optional: field.endsWith('?'),
  }))
  const names = new Set(wanted.map(({ name }) => name))
  return Object.freeze({
    op,
    docs,
    cost,
    inputSchema: fields(parts.input),
    outputSchema: kind(parts.output),
    timeoutMs: 0,
    effects: 'pure' as const,
    checkInput: () => undefined,
    checkOutput: () => undefined,
    exec: () => undefined,
    create: (step: object) => ({ ...step, op }),
    inline(input: GuestObject) {
      for (const { name, kind: each, optional } of wanted) {
        const value = input.get(name)
        if (optional && value === undefined) continue
        if (value === undefined && each !== 'any') refuse('TypeError', `${op}: "${name}" is missing.`)
        if (!TESTS[each](value)) refuse('TypeError', `${op}: "${name}" must be ${WORDS[each] ?? `a ${each}`}.`)
      }
      if (input.size > wanted.length) {
        const extra = input.keys().find((key) => !names.has(key))
        if (extra !== undefined)
          refuse('TypeError', `${op}: "${extra}" is not known. It takes: ${[...names].join(', ') || 'nothing'}.`)
      }
      return run(input)
    },
  })
}
