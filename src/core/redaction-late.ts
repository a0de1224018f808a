import { MandateError } from './errors.ts'
import type { Json } from './json.ts'
import { later } from './later.ts'
import { type Redactor, redactJson } from './redaction.ts'
import { isPlainMember, isPlainText } from './redaction-suspects.ts'

const formats = later(() => import('./redaction-plain.ts'))

/** Loads what finds secrets, before anyone needs it. */
export async function loadRedaction(): Promise<void> {
  await formats(() => undefined)
}

/**
 * What `secretRedactor()` gives, without its code until a text comes that could hold a secret: most runs of small agents see none. Whoever redacts asks
 * `ready` first and waits; one who forgot to is refused, so that nothing slips through meanwhile.
 */
export function lateRedactor(): Redactor {
  let whole: Redactor | undefined
  return standIn(() => (whole ??= formats.loaded?.plainRedactor()))
}

function standIn(find: () => Redactor | undefined): Redactor {
  let found: Redactor | undefined
  const real = (): Redactor | undefined => (found ??= find())
  return {
    text: (text) => (real() ?? PLAIN).text(text),
    member: (name, text) => (real() ?? PLAIN).member!(name, text),
    stream: () => (real() ?? refuse()).stream!(),
    // Once it is there, nobody has to ask for it any more.
    scoped: (scope, keeper) => real()?.scoped!(scope, keeper) ?? standIn(() => real()?.scoped!(scope, keeper)),
    get clean() {
      return real()?.clean
    },
    ready: (value) => (real() !== undefined || isPlain(value) ? undefined : loadRedaction()),
  }
}

const PLAIN: Redactor = {
  text: (text) => (isPlainText(text) ? text : refuse()),
  member: (name, text) => (isPlainMember(name, text) ? text : refuse()),
}

function refuse(): never {
  throw new MandateError('INTERNAL', 'A text that may hold a secret came before what finds secrets was loaded.')
}

function isPlain(value: Json | undefined): boolean {
  let isSuspect = value === undefined
  redactJson(value ?? null, {
    text: (text) => ((isSuspect ||= !isPlainText(text)), text),
    member: (name, text) => ((isSuspect ||= !isPlainMember(name, text)), text),
  })
  return !isSuspect
}
