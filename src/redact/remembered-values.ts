import { composeRedactors } from './composed-redactor.ts'
import { type KnownValues, knownValues } from './known-values.ts'
import type { Redactor } from './redactor.ts'

/** A shorter value in base64 could be part of anything; a longer one is hardly ever encoded. */
const LENGTH_MIN = 8
const LENGTH_MAX = 8192
/** Each value takes memory, and time for every text: these are the first ones, which people and prompts gave. */
const COUNT_MAX = 32

interface Remembered {
  readonly known: KnownValues
  readonly values: Set<string>
}

/** What the redactor of each run has found: a child run goes on with that of its parent. */
const remembered = new WeakMap<Redactor, Remembered>()

/**
 * The redactor of one scope, which remembers the secrets that it has found, and from then on finds them in base64, base64url and hex too. They are kept
 * in memory alone: nothing else may keep them. Where a redactor has no scopes, it is returned as it is.
 */
export function rememberingRedactor(redactor: Redactor, scope: string, parent?: Redactor): Redactor {
  if (redactor.scoped === undefined) return redactor
  const memory = (parent && remembered.get(parent)) ?? { known: knownValues(), values: new Set<string>() }
  const scoped = redactor.scoped(scope, undefined, (token, value) => remember(memory, token, value))
  const made = composeRedactors(memory.known, scoped)
  remembered.set(made, memory)
  return made
}

function remember({ known, values }: Remembered, token: string, value: string): void {
  if (!token.startsWith('[secret:') || value.length < LENGTH_MIN || value.length > LENGTH_MAX) return
  if (values.size >= COUNT_MAX || values.has(value)) return
  values.add(value)
  known.addEncoded(token.slice('[secret:'.length, -1), value)
}
