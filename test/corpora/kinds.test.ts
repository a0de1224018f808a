import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readCorpus, readOwn } from './read-corpus.ts'
import type { CorpusName } from './read-corpus.ts'

type Row = Readonly<Record<string, unknown>>

/** The runners of a corpus, and the members of its cases whose values they must tell apart. */
interface Runner {
  readonly files: readonly string[]
  readonly told: readonly string[]
}

const RUNNERS: Readonly<Record<Exclude<CorpusName, 'tools'>, Runner>> = {
  escapes: { files: ['vm-escapes/run-case.ts'], told: ['expect', 'source'] },
  fs: { files: ['files/fs-corpus.test.ts'], told: ['category'] },
  secrets: { files: ['redaction/corpus.test.ts', 'redaction/places.test.ts'], told: ['expect', 'place'] },
  ssrf: { files: ['connect/ssrf-corpus.test.ts'], told: ['expect'] },
  taint: { files: ['flow/taint-cases.ts', 'flow/taint-corpus.test.ts'], told: ['expect', 'rule'] },
  web: { files: ['server/web-corpus.test.ts', 'server/mcp-web-corpus.test.ts'], told: ['category'] },
}

/** Each category of the corpus of tools has a runner; those that carry out cases by id check themselves that they have all of them. */
const TOOLS: Readonly<Record<string, string>> = {
  gate: 'contracts/gate-corpus.test.ts',
  kv: 'connect/kv-corpus.test.ts',
  log: 'contracts/log-corpus.test.ts',
  mcp: 'mcp/corpus.test.ts',
  prompt: 'prompts/corpus.test.ts',
  shell: 'connect/shell-corpus.fixture.ts',
  sql: 'connect/sql-corpus.test.ts',
  'sql-param': 'connect/sql-corpus.test.ts',
}

const rowsOf = (name: CorpusName): readonly Row[] => [...readCorpus<Row>(name), ...readOwn<Row>(name)]
const textOf = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
const valuesOf = (rows: readonly Row[], member: string): unknown[] =>
  [...new Set(rows.map((row) => row[member]))].filter((value) => value !== undefined)

/** As a literal, the key of a table or the member of one. */
function names(text: string, value: unknown): boolean {
  return [`'${String(value)}'`, `  ${String(value)}: `].some((form) => text.includes(form))
}

test.each(Object.entries(RUNNERS))(
  'the runner of the corpus %s knows every kind of case in it',
  (name, { files, told }) => {
    const rows = rowsOf(name as CorpusName)
    expect(rows.length).toBeGreaterThan(0)
    const text = files.map(textOf).join('\n')
    for (const member of told)
      expect(
        valuesOf(rows, member).filter((value) => !names(text, value)),
        `${name}: ${member}`,
      ).toEqual([])
  },
)

test('every category of the corpus of tools has a runner that knows it', () => {
  for (const category of valuesOf(rowsOf('tools'), 'category')) {
    const file = TOOLS[String(category)]
    expect(file, `a runner for the category ${String(category)}`).toBeDefined()
    expect(names(textOf(file!), category), `${file} names ${String(category)}`).toBe(true)
  }
})

test('a case of a kind that nobody knows is found', () => {
  expect(names(textOf('vm-escapes/run-case.ts'), 'astonished')).toBe(false)
})
