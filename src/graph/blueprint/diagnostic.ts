import type { Span } from './blueprint.ts'

/** One problem of a graph, in its text (`span`) or in its blueprint (`path`), and how to fix it. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning'
  /** For example `E-rag-unknown-model`. */
  readonly code: string
  readonly message: string
  readonly span?: Span | undefined
  /** A JSON pointer into the blueprint. */
  readonly path?: string | undefined
  /** Other relevant places, such as the first of two nodes with one name. */
  readonly related?: readonly { readonly span: Span; readonly label: string }[] | undefined
  /** How to fix it, with the nearest known name if there is one. */
  readonly help?: string | undefined
}
