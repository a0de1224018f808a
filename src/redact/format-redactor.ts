import { sha256 } from '../core/index.ts'
import { CleanTexts } from './clean-texts.ts'
import { type Finder, type Finding, replaceFindings } from './findings.ts'
import { SecretScanner } from './secret-scanner.ts'
import { FinderStream } from './redaction-stream.ts'
import type { Redactor, TokenKeeper } from './redactor.ts'
import { BLOCKS } from './formats/blocks.ts'
import { INFIX_TOKENS } from './formats/infix-tokens.ts'
import { CONTEXTS, looksLikeKind, kindByName } from './formats/contexts.ts'
import type { SecretFormat } from './formats/format.ts'
import { ISSUED } from './formats/issuers.ts'

export const ALL_FORMATS: readonly SecretFormat[] = [...ISSUED, ...INFIX_TOKENS, ...BLOCKS, ...CONTEXTS]

/** The names of the known formats. */
export const SECRET_FORMATS: readonly string[] = [...new Set(ALL_FORMATS.map((format) => format.name))].toSorted()

/** Shared, because most services use all formats and nothing else. */
let shared: SecretScanner | undefined

export function sharedScanner(): SecretScanner {
  return (shared ??= new SecretScanner(ALL_FORMATS))
}

/** A redactor of what a finder finds, and of the values of members with these names. */
export function redactorWith(finder: Finder, names: readonly string[], key: string | undefined): Redactor {
  return redactorOf({ finder, key, names, clean: new CleanTexts(), kinds: new Map() }, '')
}

/** The cache size of member names, which repeat often. */
const NAMES_MAX = 4096
const VALUE_MIN = 6
interface Parts {
  readonly finder: Finder
  readonly key: string | undefined
  readonly names: readonly string[]
  /** Independent of the scope, and shared by all runs. */
  readonly clean: CleanTexts
  /** `null` for names without a meaning. */
  readonly kinds: Map<string, ReturnType<typeof kindByName> | null>
}

type Found = (token: string, value: string) => void

function redactorOf(parts: Parts, scope: string, keeper?: TokenKeeper, onFound?: Found): Redactor {
  const { finder, key, names, clean, kinds } = parts
  const freshToken = ({ kind, guessable }: { kind: string; guessable: boolean }, value: string): string => {
    if (guessable && key === undefined) return `[${kind}]`
    return `[${kind}#${sha256(`${key ?? ''}\n${scope}\n${value}`).slice(0, 6)}]`
  }
  const tokenOf = ({ name, guessable }: Finding, value: string): string => {
    const kind = name.startsWith('pii:') ? name : `secret:${name}`
    if (keeper !== undefined) return keeper.token(kind, value)
    const token = freshToken({ kind, guessable }, value)
    onFound?.(token, value)
    return token
  }
  const text = (given: string): string => {
    if (given.length < VALUE_MIN || clean.has(given)) return given
    const { findings } = finder.look(given, false)
    if (findings.length > 0) return replaceFindings({ text: given }, findings, tokenOf)
    clean.add(given)
    return given
  }
  const kindOf = (name: string): ReturnType<typeof kindByName> => {
    const known = kinds.get(name)
    if (known !== undefined) return known ?? undefined
    if (kinds.size >= NAMES_MAX) kinds.clear()
    const kind = kindByName(name)
    const found = kind !== undefined && names.includes(kind) ? kind : undefined
    kinds.set(name, found ?? null)
    return found
  }
  return {
    text,
    member(name, given) {
      if (given.length < VALUE_MIN) return given
      const redacted = text(given)
      if (redacted !== given) return redacted
      const kind = kindOf(name)
      if (kind === undefined || !looksLikeKind(given, kind, true)) return given
      return tokenOf({ start: 0, end: given.length, name: kind, guessable: true }, given)
    },
    stream: () => new FinderStream(finder, tokenOf),
    scoped: (inner, keeping, finding) => redactorOf(parts, inner, keeping, finding),
  }
}
