import { readFileSync } from 'node:fs'
import type { Catalog, Diagnostic } from '../../src/graph/index.ts'
import { compileRag } from '../../src/graph/index.ts'
import type { CompiledRag } from '../../src/graph/language/compile.ts'

/** A finding that is expected: its code and place, and a part of its help. */
export interface ExpectedFinding {
  readonly code: string
  readonly line?: number
  readonly column?: number
  readonly help?: string
}

/** A text of `test/corpora/rag`, and what the compiler must make of it. */
export interface Sample {
  readonly id: string
  readonly source: string
  readonly expect?: readonly ExpectedFinding[]
  /** Values by JSON pointer in the blueprint; into the list of blueprints when there are several. `null`: nothing is there. */
  readonly has?: Readonly<Record<string, unknown>>
  /** Names by kind that are registered. Without it, names are not looked up. */
  readonly catalog?: Readonly<Record<string, readonly string[]>>
}

export function readSamples(name: 'valid' | 'invalid'): readonly Sample[] {
  return readFileSync(new URL(`../corpora/rag/${name}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Sample)
}

export function compileSample({ source, catalog }: Sample): CompiledRag {
  return compileRag(source, catalog ? { catalog: catalogOf(catalog) } : {})
}

export function catalogOf(names: Readonly<Record<string, readonly string[]>>): Catalog {
  return {
    find: (kind, name) => ((names[kind] ?? []).includes(name) ? name : undefined),
    names: (kind) => names[kind] ?? [],
  }
}

/** Findings as they are compared: in the order of the text, those of one place by code. */
export function findings(list: readonly (Diagnostic | ExpectedFinding)[]): string[] {
  return list
    .map((each): [number, number, string] => {
      const place = 'span' in each && each.span ? each.span : (each as ExpectedFinding)
      return [place.line ?? 0, place.column ?? 0, each.code]
    })
    .toSorted((a, b) => a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1))
    .map(([line, column, code]) => `${line}:${column} ${code}`)
}

/** What a JSON pointer points to; `null` when nothing is there. */
export function at(value: unknown, pointer: string): unknown {
  let found: unknown = value
  for (const step of pointer.split('/').slice(1)) found = (found as Record<string, unknown> | undefined)?.[step]
  return found ?? null
}
