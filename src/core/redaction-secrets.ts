import { MandateError } from './errors.ts'
import { nearest } from './nearest.ts'
import { CleanTexts } from './redaction-clean.ts'
import { type Finder, type Finding, type Look, joinFindings, replaceFindings } from './redaction-finding.ts'
import { SecretScanner } from './redaction-scanner.ts'
import { FinderStream } from './redaction-stream.ts'
import type { Redactor, TokenKeeper } from './redaction.ts'
import { BLOCKS } from './secret-formats/blocks.ts'
import { CENTRED } from './secret-formats/centred.ts'
import { TOKEN } from './secret-formats/characters.ts'
import { CONTEXTS, keepsPromise, promiseOf } from './secret-formats/contexts.ts'
import { type SecretFormat, tokenFormat } from './secret-formats/format.ts'
import { ISSUED } from './secret-formats/issuers.ts'
import { PII_KINDS, type PiiKind, findPii, piiFrom } from './secret-formats/pii.ts'
import { sha256 } from './sha256.ts'

export type { PiiKind } from './secret-formats/pii.ts'

const ALL: readonly SecretFormat[] = [...ISSUED, ...CENTRED, ...BLOCKS, ...CONTEXTS]

/** The names of the formats that are known. */
export const SECRET_FORMATS: readonly string[] = [...new Set(ALL.map((format) => format.name))].toSorted()

export interface SecretRedactorOptions {
  /** The names of the formats to look for; all of `SECRET_FORMATS` when absent. */
  readonly formats?: readonly string[] | undefined
  /** Formats of your own: a name, and the text that such tokens begin with. At least 16 letters, digits, `_` or `-` follow. */
  readonly prefixes?: Readonly<Record<string, string>> | undefined
  /** Personal data to hide as well: `true` for all kinds. None when absent. */
  readonly pii?: boolean | readonly PiiKind[] | undefined
  /**
   * Something only you know. With it, tokens of passwords and personal data tell one value from another too (`[pii:email#3fa9c1]`).
   * Without it they do not: whoever reads a journal could try out every phone number until the token fits.
   */
  readonly key?: string | undefined
}

/**
 * Hides what looks like a secret: keys and tokens of some 120 issuers, private keys, passwords by what stands before them. In place of
 * each stands a token that is the same for the same value within a session, and does not tell it.
 *
 * @example
 * ```ts
 * import { secretRedactor } from 'mandate'
 * const redactor = secretRedactor({ pii: ['email', 'card'], prefixes: { 'acme-key': 'acme_' } })
 * redactor.text('write to ada@example.com') // 'write to [pii:email]'
 * ```
 */
export function secretRedactor(options: SecretRedactorOptions = {}): Redactor {
  const { key, formats: names = SECRET_FORMATS } = options
  return redactorOf({ finder: finderOf(options), key, names, clean: new CleanTexts(), promises: new Map() }, '')
}

/** Most services look for all formats and nothing else: they share one automaton. */
let shared: SecretScanner | undefined

function finderOf({ formats, prefixes, pii }: SecretRedactorOptions): Finder {
  const isPlain = formats === undefined && prefixes === undefined
  const scanner = isPlain
    ? (shared ??= new SecretScanner(ALL))
    : new SecretScanner([...chosen(formats), ...own(prefixes)])
  const kinds = pii === true ? PII_KINDS : pii === undefined || pii === false ? [] : pii
  for (const kind of kinds) checkName(kind, PII_KINDS, 'kind of personal data')
  return kinds.length === 0 ? scanner : withPii(scanner, kinds)
}

function chosen(names: readonly string[] | undefined): readonly SecretFormat[] {
  for (const name of names ?? []) checkName(name, SECRET_FORMATS, 'format of secrets')
  return names === undefined ? ALL : ALL.filter((format) => names.includes(format.name))
}

function own(prefixes: Readonly<Record<string, string>> = {}): readonly SecretFormat[] {
  return Object.entries(prefixes).map(([name, prefix]) => {
    if (prefix.length >= 3) return tokenFormat(name, [prefix], { kinds: TOKEN, min: 16 })
    throw new MandateError(
      'CONFIG_INVALID',
      `The prefix of "${name}" is too short to tell anything. Use at least 3 characters.`,
    )
  })
}

function checkName(name: string, known: readonly string[], what: string): void {
  if (known.includes(name)) return
  const meant = nearest(name, known)
  throw new MandateError(
    'CONFIG_INVALID',
    `"${name}" is not a ${what}. ${meant === undefined ? `Known: ${known.join(', ')}.` : `Did you mean "${meant}"?`}`,
  )
}

function withPii(scanner: SecretScanner, kinds: readonly PiiKind[]): Finder {
  return {
    look(text, isStream): Look {
      const seen = scanner.look(text, isStream)
      const findings: Finding[] = []
      findPii(text, kinds, findings)
      const personal = findings.map((finding) => ({ ...finding, name: `pii:${finding.name}` }))
      const settled = isStream ? Math.min(seen.settled, piiFrom(text, kinds)) : seen.settled
      return { ...seen, settled, findings: joinFindings([...seen.findings, ...personal]) }
    },
    // Personal data has no anchors; text that may hold it is always looked at in full.
    advance: () => -1,
  }
}

/** Names of members come again and again; what each promises is found out once. */
const PROMISES_MAX = 4096
const VALUE_MIN = 6
interface Parts {
  readonly finder: Finder
  readonly key: string | undefined
  readonly names: readonly string[]
  /** What does not depend on the scope, and is learned once for all runs. */
  readonly clean: CleanTexts
  readonly promises: Map<string, ReturnType<typeof promiseOf>>
}

function redactorOf(parts: Parts, scope: string, keeper?: TokenKeeper): Redactor {
  const { finder, key, names, clean, promises } = parts
  const tokenOf = ({ name, guessable }: Finding, value: string): string => {
    const kind = name.startsWith('pii:') ? name : `secret:${name}`
    if (keeper !== undefined) return keeper.token(kind, value)
    if (guessable && key === undefined) return `[${kind}]`
    return `[${kind}#${sha256(`${key ?? ''}\n${scope}\n${value}`).slice(0, 6)}]`
  }
  const text = (given: string): string => {
    if (given.length < VALUE_MIN || clean.has(given)) return given
    const { findings } = finder.look(given, false)
    if (findings.length > 0) return replaceFindings({ text: given }, findings, tokenOf)
    clean.add(given)
    return given
  }
  const promise = (name: string): ReturnType<typeof promiseOf> => {
    if (promises.has(name)) return promises.get(name)
    if (promises.size >= PROMISES_MAX) promises.clear()
    const promised = promiseOf(name)
    const found = promised !== undefined && names.includes(promised) ? promised : undefined
    promises.set(name, found)
    return found
  }
  return {
    text,
    member(name, given) {
      if (given.length < VALUE_MIN) return given
      const redacted = text(given)
      if (redacted !== given) return redacted
      const promised = promise(name)
      if (promised === undefined || !keepsPromise(given, promised, true)) return given
      return tokenOf({ start: 0, end: given.length, name: promised, guessable: true }, given)
    },
    stream: () => new FinderStream(finder, tokenOf),
    scoped: (inner, keeping) => redactorOf(parts, inner, keeping),
  }
}
