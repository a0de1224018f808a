import type { Cursor } from './cursor.ts'
import { isOpening, spanOf } from './cursor.ts'
import type { Entry, Value, Word } from './syntax-tree.ts'

interface BlockForm<T> {
  /** For messages: "the node `ask`". */
  readonly what: string
  readonly read: () => T
  /** Whether an entry can start here: where parsing continues after an invalid one. */
  readonly isStart: () => boolean
  /** Whether nodes are entries of the block. */
  readonly holdsNodes?: boolean
}

/** Parses a block in braces. An invalid entry is reported and skipped. */
export function parseBlock<T>(cursor: Cursor, form: BlockForm<T>): T[] {
  const { what, read, isStart, holdsNodes = false } = form
  const openings = holdsNodes ? ['graph'] : ['graph', 'node']
  return cursor.nested(() => {
    const open = cursor.expect('{', `to open ${what}`)
    const found: T[] = []
    while (!cursor.at('}')) {
      if (cursor.isOver || isOpening(cursor, openings)) {
        cursor.report.error('E-rag-unclosed', `The \`}\` of ${what} is missing.`, {
          span: spanOf(cursor.token),
          related: [{ span: spanOf(open), label: 'opened here' }],
        })
        return found
      }
      const index = cursor.index
      const entry = cursor.attempt(read, isStart)
      if (entry !== undefined) {
        cursor.layout.items.add(index)
        found.push(entry)
      }
      skipComma(cursor)
    }
    cursor.take()
    return found
  })
}

/** Parses a list in brackets, whose commas are optional. */
export function parseList<T>(cursor: Cursor, what: string, read: () => T): T[] {
  const open = cursor.expect('[', `to open ${what}`)
  const found: T[] = []
  while (!cursor.accept(']')) {
    if (cursor.isOver)
      cursor.refuse('E-rag-unclosed', `The \`]\` of ${what} is missing.`, {
        related: [{ span: spanOf(open), label: 'opened here' }],
      })
    cursor.layout.items.add(cursor.index)
    found.push(read())
    skipComma(cursor)
  }
  return found
}

/** Parses a block of keys and values. With `isFree` any keys are allowed, and each is followed by a colon. */
export function parseEntries(cursor: Cursor, what: string, isFree: boolean): Entry[] {
  const read = (): Entry => parseEntry(cursor, what, isFree)
  return parseBlock(cursor, { what, read, isStart: () => isKeyStart(cursor) })
}

function parseEntry(cursor: Cursor, what: string, isFree: boolean): Entry {
  if (isFree) cursor.layout.keys.add(cursor.index)
  const key = parseKey(cursor, what)
  skipColon(cursor)
  return { key, value: parseValue(cursor, key.text, isFree) }
}

function parseKey(cursor: Cursor, what: string): Word {
  return cursor.token.kind === 'text' ? cursor.text('a key') : cursor.name(`a key of ${what}, or \`}\``)
}

/** Parses a literal, a list, a block, or `expr` with an expression. */
export function parseValue(cursor: Cursor, key: string, isFree = true): Value {
  const first = cursor.token
  const span = spanOf(first)
  if (cursor.at('{')) {
    const entries = parseEntries(cursor, `\`${key}\``, isFree)
    return { type: 'record', entries, span: cursor.from(first) }
  }
  if (cursor.at('['))
    return cursor.nested(() => {
      const items = parseList(cursor, `the list \`${key}\``, () => parseValue(cursor, key))
      return { type: 'list', items, span: cursor.from(first) }
    })
  if (cursor.at('expr') && cursor.ahead().kind === 'text') {
    cursor.take()
    const { text, span: place } = cursor.text('an expression')
    return { type: 'expr', value: text, span: place }
  }
  switch (first.kind) {
    case 'word':
    case 'text':
      return { type: first.kind, value: String(cursor.take().value), span }
    case 'number':
    case 'duration':
      return { type: first.kind, value: Number(cursor.take().value), span }
    default:
      return cursor.fail(`Expected a value for \`${key}\``)
  }
}

export function skipColon(cursor: Cursor): void {
  if (!cursor.at(':')) return
  cursor.layout.dropped.add(cursor.index)
  cursor.take()
}

function skipComma(cursor: Cursor): void {
  if (!cursor.at(',')) return
  cursor.layout.dropped.add(cursor.index)
  cursor.take()
}

function isKeyStart(cursor: Cursor): boolean {
  return (cursor.token.kind === 'word' || cursor.token.kind === 'text') && cursor.token.isFirst
}
