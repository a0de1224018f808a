import { nearest } from '../../core/index.ts'
import type { Span } from './blueprint.ts'
import type { Diagnostic } from './diagnostic.ts'
import type { DiagnosticCode, ErrorDiagnosticCode, WarningDiagnosticCode } from './codes.ts'

/** Findings that are listed. */
export const DIAGNOSTICS_MAX = 100

/** Where a finding is and what to do about it. */
export interface Finding {
  readonly span?: Span | undefined
  /** A JSON pointer into the blueprint; where the text is known, the finding carries its place there instead. */
  readonly path?: string | undefined
  /** The part of the text at `path` that is meant. */
  readonly part?: { readonly start: number; readonly end: number } | undefined
  readonly related?: readonly { readonly span?: Span; readonly path?: string; readonly label: string }[]
  /** A function is called only for findings that are kept: looking for the nearest name takes time. */
  readonly help?: string | (() => string | undefined) | undefined
}

/** The place in the source of what a JSON pointer points to, or of a part of the text there. */
export type Locate = (path: string, part?: Finding['part']) => Span | undefined

/** Collects findings up to a limit. The same finding at the same place is kept once. */
export class Report {
  readonly #most: number
  readonly #kept: Diagnostic[] = []
  readonly #seen = new Set<string>()
  #hasMore = false
  #errors = 0

  /** Set while a graph is looked at of which parts could not be read: what is missing may be among them. */
  isPartial = false
  /** Where parts of the blueprint stand in the text that it comes from. */
  locate: Locate | undefined

  constructor(most: number) {
    this.#most = most
  }

  error(code: ErrorDiagnosticCode, message: string, finding: Finding = {}): void {
    this.#errors++
    this.#add('error', code, message, finding)
  }

  /** An error about something that is missing. */
  missing(code: ErrorDiagnosticCode, message: string, finding: Finding): void {
    if (!this.isPartial) this.error(code, message, finding)
  }

  warning(code: WarningDiagnosticCode, message: string, finding: Finding = {}): void {
    this.#add('warning', code, message, finding)
  }

  get errors(): number {
    return this.#errors
  }

  /** Whether further findings would only be counted: nobody needs to look for them. */
  get isFull(): boolean {
    return this.#kept.length >= this.#most
  }

  /** Everything that was found, in the order of the source. */
  diagnostics(): readonly Diagnostic[] {
    const sorted = this.#kept.toSorted((a, b) => (a.span?.start ?? -1) - (b.span?.start ?? -1))
    if (!this.#hasMore) return sorted
    const message = `There are more findings than the ${this.#most} that are listed.`
    return [...sorted, { severity: this.#errors > 0 ? 'error' : 'warning', code: 'E-rag-too-many', message }]
  }

  #add(severity: Diagnostic['severity'], code: DiagnosticCode, message: string, finding: Finding): void {
    const span = finding.span ?? (finding.path === undefined ? undefined : this.locate?.(finding.path, finding.part))
    const path = span === undefined ? finding.path : undefined
    const key = `${code} ${span?.start ?? ''} ${path ?? ''} ${message}`
    if (this.#seen.has(key)) return
    if (this.isFull) {
      this.#hasMore = true
      return
    }
    this.#seen.add(key)
    const related = this.#places(finding.related ?? [])
    const help = typeof finding.help === 'function' ? finding.help() : finding.help
    this.#kept.push({
      severity,
      code,
      message,
      ...(span && { span }),
      ...(path !== undefined && { path }),
      ...(related.length > 0 && { related }),
      ...(help !== undefined && { help }),
    })
  }

  #places(related: NonNullable<Finding['related']>): { span: Span; label: string }[] {
    return related.flatMap(({ span, path, label }) => {
      const place = span ?? (path === undefined ? undefined : this.locate?.(path))
      return place === undefined ? [] : [{ span: place, label }]
    })
  }
}

/** Comparing with more names than these would only cost time. */
const NAMES_MAX = 2000
const LISTED_MAX = 30

/** Help for a name that is not known: the nearest known one, else all of them where they are few. */
export function didYouMean(name: string, known: Iterable<string>, none?: string): () => string | undefined {
  return () => {
    const names = [...new Set(known)].slice(0, NAMES_MAX)
    const meant = nearest(name, names)
    if (meant !== undefined) return `Did you mean \`${meant}\`?`
    if (names.length === 0) return none
    return names.length > LISTED_MAX ? undefined : `Known: ${names.join(', ')}.`
  }
}
