import { sha256 } from '../core/index.ts'
import { CleanTexts } from './clean-texts.ts'
import { type Finder, type Finding, replaceFindings } from './findings.ts'
import { SecretScanner } from './secret-scanner.ts'
import { FinderStream } from './redaction-stream.ts'
import type { Redactor, TokenKeeper } from './redactor.ts'
import { BLOCKS } from './formats/blocks.ts'
import { CENTRED } from './formats/centred.ts'
import { CONTEXTS, keepsPromise, promiseOf } from './formats/contexts.ts'
import type { SecretFormat } from './formats/format.ts'
import { ISSUED } from './formats/issuers.ts'

export const ALL_FORMATS: readonly SecretFormat[] = [...ISSUED, ...CENTRED, ...BLOCKS, ...CONTEXTS]

/** The names of the formats that are known. */
export const SECRET_FORMATS: readonly string[] = [...new Set(ALL_FORMATS.map((format) => format.name))].toSorted()

/** Most services look for all formats and nothing else: they share one automaton. */
let shared: SecretScanner | undefined

export function sharedScanner(): SecretScanner {
  return (shared ??= new SecretScanner(ALL_FORMATS))
}

/** A redactor that hides what a finder finds, and what members of these names hold. */
export function redactorWith(finder: Finder, names: readonly string[], key: string | undefined): Redactor {
  return redactorOf({ finder, key, names, clean: new CleanTexts(), promises: new Map() }, '')
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
  /** `null` for those that promise nothing. */
  readonly promises: Map<string, ReturnType<typeof promiseOf> | null>
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
    const known = promises.get(name)
    if (known !== undefined) return known ?? undefined
    if (promises.size >= PROMISES_MAX) promises.clear()
    const promised = promiseOf(name)
    const found = promised !== undefined && names.includes(promised) ? promised : undefined
    promises.set(name, found ?? null)
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
