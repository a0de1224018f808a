import type { Span } from '../../blueprint/blueprint.ts'
import type { ErrorDiagnosticCode } from '../../blueprint/codes.ts'
import type { Finding, Report } from '../../blueprint/report.ts'
import type { Layout } from './layout.ts'
import { RAG_LIMITS } from './limits.ts'
import type { Word } from './syntax-tree.ts'
import type { Token } from './token.ts'

/** Thrown after an item has been reported that cannot be parsed further; caught by the enclosing block. */
const STOP = new Error('the item cannot be read further')

/** The position in the tokens, the findings, and the layout of the tokens. */
export class Cursor {
  readonly report: Report
  readonly layout: Layout
  readonly #tokens: readonly Token[]
  #index = 0
  #depth = 0

  constructor(tokens: readonly Token[], report: Report, layout: Layout) {
    this.#tokens = tokens
    this.report = report
    this.layout = layout
  }

  get token(): Token {
    return this.#tokens[this.#index]!
  }

  get index(): number {
    return this.#index
  }

  get isOver(): boolean {
    return this.token.kind === 'end'
  }

  /** A later token, or the end. */
  ahead(places = 1): Token {
    return this.#tokens[Math.min(this.#index + places, this.#tokens.length - 1)]!
  }

  take(): Token {
    const token = this.token
    if (!this.isOver) this.#index++
    return token
  }

  /** Whether the current token is this word or sign. Texts are never words. */
  at(raw: string, token: Token = this.token): boolean {
    return (token.kind === 'word' || token.kind === 'sign') && token.raw === raw
  }

  accept(raw: string): Token | undefined {
    return this.at(raw) ? this.take() : undefined
  }

  expect(raw: string, where: string): Token {
    return this.accept(raw) ?? this.fail(`Expected \`${raw}\` ${where}`)
  }

  /** A word as a name. */
  name(what: string, help?: string): Word {
    if (this.token.kind !== 'word') this.fail(`Expected ${what}`, help === undefined ? {} : { help })
    const token = this.take()
    return { text: token.raw, span: spanOf(token) }
  }

  text(what: string): Word {
    if (this.token.kind !== 'text') {
      const { kind, raw } = this.token
      this.fail(`Expected ${what} in quotes`, kind === 'word' ? { help: `Write \`"${raw}"\`.` } : {})
    }
    const token = this.take()
    return { text: String(token.value), span: spanOf(token) }
  }

  /** The source from a token up to the previous one. */
  from(first: Token): Span {
    const last = this.#tokens[this.#index - 1] ?? first
    return { ...spanOf(first), end: Math.max(first.end, last.end) }
  }

  /** Reports what was expected and gives up the item. */
  fail(expected: string, finding: Finding = {}): never {
    return this.refuse('E-rag-syntax', `${expected}, found ${describe(this.token)}.`, finding)
  }

  /** Reports a problem, by default at the current token, and gives up the item. */
  refuse(code: ErrorDiagnosticCode, message: string, finding: Finding = {}): never {
    this.report.error(code, message, { span: spanOf(this.token), ...finding })
    throw STOP
  }

  /** Parses something recursive; gives up if it is nested too deep. */
  nested<T>(read: () => T): T {
    if (this.#depth >= RAG_LIMITS.depth)
      this.refuse('E-rag-too-deep', `Values are nested more than ${RAG_LIMITS.depth} deep.`)
    this.#depth++
    try {
      return read()
    } finally {
      this.#depth--
    }
  }

  /**
   * Executes `read`; after a failure skips to where the next item can start: at a word of the block (`isStart`), at the first word of a line, or
   * where one of `words` opens. Always advances.
   */
  attempt<T>(read: () => T, isStart: () => boolean, words: readonly string[] = ['graph', 'node']): T | undefined {
    const before = this.#index
    try {
      return read()
    } catch (error) {
      if (error !== STOP) throw error
      if (this.report.isFull) this.#index = this.#tokens.length - 1
      if (this.#index === before && !this.at('}')) this.take()
      this.#skip(before, isStart, words)
      return undefined
    }
  }

  #skip(from: number, isStart: () => boolean, words: readonly string[]): void {
    let depth = 0
    const count = (): void => {
      if (this.at('{') || this.at('[')) depth++
      else if (this.at('}') || this.at(']')) depth = Math.max(0, depth - 1)
    }
    const end = this.#index
    for (this.#index = from; this.#index < end; this.#index++) count()
    for (; !this.isOver; this.take()) {
      const { isFirst, kind } = this.token
      const isItem = isStart() || (isFirst && (kind === 'word' || kind === 'text') && words.includes('node'))
      if (isOpening(this, words) || (depth === 0 && (this.at('}') || isItem)) || (isFirst && isStart())) return
      count()
    }
  }
}

/** Whether a graph or a node opens here. Inside a block that cannot contain one, this means that the block was not closed. */
export function isOpening(cursor: Cursor, words: readonly string[]): boolean {
  return words.some((word) => cursor.at(word)) && cursor.ahead().kind === 'word' && cursor.at('{', cursor.ahead(2))
}

export function spanOf({ start, end, line, column }: Span): Span {
  return { start, end, line, column }
}

function describe(token: Token): string {
  switch (token.kind) {
    case 'end':
      return 'the end of the text'
    case 'text':
      return `the text ${token.raw.length > 40 || token.raw.includes('\n') ? `${token.raw.slice(0, 30).split('\n')[0]}…` : token.raw}`
    default:
      return `\`${token.raw.slice(0, 60)}\``
  }
}
