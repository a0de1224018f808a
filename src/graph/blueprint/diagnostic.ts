import type { Span } from './blueprint.ts'

/** One thing that is wrong with a graph, in its text (`span`) or in its blueprint (`path`), and how to mend it. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning'
  /** For example `E-rag-unknown-model`. */
  readonly code: string
  readonly message: string
  readonly span?: Span | undefined
  /** A JSON pointer into the blueprint. */
  readonly path?: string | undefined
  /** Other places that matter, such as the first of two nodes with one name. */
  readonly related?: readonly { readonly span: Span; readonly label: string }[] | undefined
  /** What to do about it, with the nearest known name where there is one. */
  readonly help?: string | undefined
}
