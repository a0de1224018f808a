import { nearest } from '../../core/index.ts'
import type { Span } from './blueprint.ts'
import type { Diagnostic } from './diagnostic.ts'
import type { DiagnosticCode, ErrorDiagnosticCode, WarningDiagnosticCode } from './codes.ts'

/** The maximum number of listed findings. */
export const DIAGNOSTICS_MAX = 100

/** The place of a finding and how to fix it. */
export interface Finding {
  readonly span?: Span | undefined
  /** A JSON pointer into the blueprint; with a source text, the finding has its position there instead. */
  readonly path?: string | undefined
  /** The relevant part of the text at `path`. */
  readonly part?: { readonly start: number; readonly end: number } | undefined
  readonly related?: readonly { readonly span?: Span; readonly path?: string; readonly label: string }[]
  /** A function is called only for findings that are kept: finding the nearest name takes time. */
  readonly help?: string | (() => string | undefined) | undefined
}

/** The source position of a JSON pointer, or of a part of the text there. */
export type Locate = (path: string, part?: Finding['part']) => Span | undefined

/** Collects findings up to a limit, without duplicates. */
export class Report {
  readonly #most: number
  readonly #kept: Diagnostic[] = []
  readonly #seen = new Set<string>()
  #hasMore = false
  #errors = 0

  /** Set while checking a graph that could be parsed only in part: missing things may be in the other part. */
  isPartial = false
  /** Set while checking a graph that was built in TypeScript: it may have functions as nodes, and several edges from one node. */
  isBuilt = false
  /** The source positions of parts of the blueprint. */
  locate: Locate | undefined

  constructor(most: number) {
    this.#most = most
  }

  error(code: ErrorDiagnosticCode, message: string, finding: Finding = {}): void {
    this.#errors++
    this.#add('error', code, message, finding)
  }

  /** An error about something missing. */
  missing(code: ErrorDiagnosticCode, message: string, finding: Finding): void {
    if (!this.isPartial) this.error(code, message, finding)
  }

  warning(code: WarningDiagnosticCode, message: string, finding: Finding = {}): void {
    this.#add('warning', code, message, finding)
  }

  get errors(): number {
    return this.#errors
  }

  /** Whether further findings would only be counted, and need not be computed. */
  get isFull(): boolean {
    return this.#kept.length >= this.#most
  }

  /** All findings, in the order of the source. */
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

/** Comparing with more names than these would take too long. */
const NAMES_MAX = 2000
const LISTED_MAX = 30

/** Help for an unknown name: the nearest known one, or all of them if there are few. */
export function didYouMean(name: string, known: Iterable<string>, none?: string): () => string | undefined {
  return () => {
    const names = [...new Set(known)].slice(0, NAMES_MAX)
    const meant = nearest(name, names)
    if (meant !== undefined) return `Did you mean \`${meant}\`?`
    if (names.length === 0) return none
    return names.length > LISTED_MAX ? undefined : `Known: ${names.join(', ')}.`
  }
}
