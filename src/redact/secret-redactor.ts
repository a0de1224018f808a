import { MandateError, checkFields, nearest } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import { type Finder, type Finding, type Look, joinFindings } from './findings.ts'
import { SecretScanner } from './secret-scanner.ts'
import type { Redactor } from './redactor.ts'
import { ALL_FORMATS, SECRET_FORMATS, redactorWith, sharedScanner } from './format-redactor.ts'
import { TOKEN } from './formats/characters.ts'
import { type SecretFormat, tokenFormat } from './formats/format.ts'
import { PII_KINDS, type PiiKind, findPii, piiFrom } from './formats/pii.ts'

interface SecretRedactorOptions {
  /** The names of the formats to find; all of `SECRET_FORMATS` by default. */
  readonly formats?: readonly string[] | undefined
  /** Custom formats: a name, and the prefix of such tokens, followed by at least 16 letters, digits, `_` or `-`. */
  readonly prefixes?: Readonly<Record<string, string>> | undefined
  /** Personal data to hide as well: `true` for all kinds. None by default. */
  readonly pii?: boolean | readonly PiiKind[] | undefined
  /**
   * A secret key. With it, tokens of passwords and personal data identify their value too (`[pii:email#3fa9c1]`). Without it they do not, because a
   * reader of the journal could guess short values, such as phone numbers, by brute force.
   */
  readonly key?: string | undefined
}

const SECRET_REDACTOR_OPTIONS: FieldNames<SecretRedactorOptions> = {
  formats: 'texts',
  prefixes: 'object',
  pii: 'flag|texts',
  key: 'text',
}

/**
 * Creates a redactor of secrets: keys and tokens of some 120 issuers, private keys, and passwords by their context. Each is replaced by a token that
 * is the same for the same value within a session and does not reveal it.
 *
 * @example
 * ```ts
 * import { secretRedactor } from 'mandate/redact'
 * const redactor = secretRedactor({ pii: ['email', 'card'], prefixes: { 'acme-key': 'acme_' } })
 * redactor.text('write to ada@example.com') // 'write to [pii:email]'
 * ```
 */
export function secretRedactor(options: SecretRedactorOptions = {}): Redactor {
  checkFields(options, 'an option of `secretRedactor`', SECRET_REDACTOR_OPTIONS)
  const { key, formats: names = SECRET_FORMATS } = options
  return redactorWith(finderOf(options), names, key)
}

function finderOf({ formats, prefixes, pii }: SecretRedactorOptions): Finder {
  const isPlain = formats === undefined && prefixes === undefined
  const scanner = isPlain ? sharedScanner() : new SecretScanner([...chosen(formats), ...own(prefixes)])
  const kinds = pii === true ? PII_KINDS : pii === undefined || pii === false ? [] : pii
  for (const kind of kinds) checkName(kind, PII_KINDS, 'kind of personal data')
  return kinds.length === 0 ? scanner : withPii(scanner, kinds)
}

function chosen(names: readonly string[] | undefined): readonly SecretFormat[] {
  for (const name of names ?? []) checkName(name, SECRET_FORMATS, 'format of secrets')
  return names === undefined ? ALL_FORMATS : ALL_FORMATS.filter((format) => names.includes(format.name))
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
    // Personal data has no anchors, so text is always scanned completely.
    advance: () => -1,
  }
}
