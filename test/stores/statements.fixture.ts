import { globSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { expect } from 'vitest'
import type { TestApi } from '../../src/testing/index.ts'

/** Statements as text, with single spaces, so that they can be compared. */
export function plain(sql: string): string {
  return sql.replaceAll(/\s+/gu, ' ').trim()
}

/** A text in the sources of a store that is SQL, or a part of it. */
export interface SourceText {
  readonly place: string
  readonly text: string
  /** Finds the statements that have it; what the sources fill in can be anything. */
  readonly pattern: RegExp
}

const SQL_WORD = /\b(?:SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|VACUUM)\b/u
const STATEMENT = /^(?:SELECT|INSERT|UPDATE|DELETE|WITH|VACUUM)\b/u

/** Every text of SQL in these sources. One that begins like a statement must be a whole one, unless it is among `fragments`, which have `{}` for what is filled in. */
export function sqlTexts(glob: string, except: readonly string[], fragments: ReadonlySet<string>): SourceText[] {
  return globSync(glob)
    .filter(
      (path) => !path.includes('.test.') && !path.includes('.fixture.') && !except.some((end) => path.endsWith(end)),
    )
    .toSorted()
    .flatMap((path) =>
      literalsOf(readFileSync(path, 'utf8'))
        .map((text) => plain(text))
        .filter((text) => SQL_WORD.test(text.replaceAll(HOLE, '')))
        .map((text) => ({ place: path, text, pattern: patternOf(text, fragments.has(text.replaceAll(HOLE, '{}'))) })),
    )
}

/** Stands for what a template fills in. */
const HOLE = '\u0000'

function patternOf(text: string, isFragment: boolean): RegExp {
  const middle = text
    .split(HOLE)
    .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/gu, '\\$&'))
    .join('.*?')
  return new RegExp(STATEMENT.test(text) && !isFragment ? `^${middle}$` : middle, 'su')
}

/** The texts of a source: strings and templates, those inside of other templates too. Comments and regular expressions are left out as far as needed. */
function literalsOf(source: string): string[] {
  const found: string[] = []
  let at = 0
  const quoted = (end: string): string => {
    let text = ''
    for (at += 1; at < source.length && source[at] !== end; at += 1) {
      if (source[at] === '\\') at += 1
      if (end === '`' && source.startsWith('${', at)) {
        at += 2
        code('}')
        text += HOLE
      } else text += source[at]
    }
    found.push(text)
    return text
  }
  const code = (end: string | undefined): void => {
    for (let depth = 0; at < source.length; at += 1) {
      const char = source[at]!
      if (source.startsWith('//', at)) at = source.indexOf('\n', at)
      else if (source.startsWith('/*', at)) at = source.indexOf('*/', at) + 1
      else if (source.startsWith('/^', at)) at = source.indexOf('\n', at)
      else if (char === "'" || char === '"' || char === '`') quoted(char)
      else if (char === '{') depth += 1
      else if (char === '}' && depth-- === 0 && end !== undefined) return
    }
  }
  code(undefined)
  return found
}

/** Records every statement that is prepared or executed until `stop`. */
export interface Recording {
  readonly statements: Set<string>
  stop(): void
}

export function recordSqlite(): Recording {
  const statements = new Set<string>()
  // The plans are the same without a sync for each commit.
  const asPlanned = (sql: string): string => {
    for (const one of sql.split(';')) statements.add(plain(one))
    return sql.replace('synchronous = FULL', 'synchronous = OFF')
  }
  const stops = ['prepare', 'exec'].map((name) => replaceMethod(DatabaseSync.prototype, name, asPlanned))
  return { statements, stop: () => stops.forEach((stop) => stop()) }
}

export function recordPostgres(): Recording {
  const statements = new Set<string>()
  const stop = replaceMethod(Client.prototype, 'query', (given: string | { readonly text: string }) => {
    statements.add(plain(typeof given === 'string' ? given : given.text))
    return given
  })
  return { statements, stop }
}

/** Changes the first argument of every call of a method until the returned function is called. */
function replaceMethod(prototype: object, name: string, change: (argument: never) => unknown): () => void {
  const method = Reflect.get(prototype, name) as (...given: unknown[]) => unknown
  Reflect.set(prototype, name, function (this: unknown, argument: never, ...rest: unknown[]) {
    return method.call(this, change(argument), ...rest)
  })
  return () => void Reflect.set(prototype, name, method)
}

/** The cases of conformance suites as one list, to be run one after the other. */
export class Cases {
  readonly #list: (() => unknown)[] = []

  readonly api: TestApi = {
    describe: (_, body) => body(),
    it: (_, check) => void this.#list.push(check),
    expect,
  }

  async run(): Promise<number> {
    for (const check of this.#list) await check()
    return this.#list.length
  }
}

/** The texts that no recorded statement has. */
export function neverRun(texts: readonly SourceText[], statements: ReadonlySet<string>): string[] {
  const all = [...statements]
  return texts
    .filter(({ pattern }) => !all.some((sql) => pattern.test(sql)))
    .map(({ place, text }) => `${place}: ${text.replaceAll(HOLE, '{}')}`)
}
