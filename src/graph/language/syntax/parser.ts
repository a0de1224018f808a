import type { Report } from '../../blueprint/report.ts'
import { didYouMean } from '../../blueprint/report.ts'
import { Cursor, isOpening, spanOf } from './cursor.ts'
import { ALLOW_LISTS, CONSTANTS, GRAPH_ITEMS } from './keywords.ts'
import type { GraphItemName } from './keywords.ts'
import type { Layout } from './layout.ts'
import { newLayout } from './layout.ts'
import { parseNode } from './node-parser.ts'
import type { Field, GraphItem, GraphTree, Value, Word } from './syntax-tree.ts'
import type { Token } from './token.ts'
import { parseBlock, parseEntries, parseList, parseValue, skipColon } from './value-parser.ts'

interface ParsedFile {
  readonly graphs: readonly GraphTree[]
  readonly layout: Layout
}

/** Parses the graphs of a text. Reports all errors; the result has what could be parsed. */
export function parseFile(tokens: readonly Token[], report: Report): ParsedFile {
  const cursor = new Cursor(tokens, report, newLayout())
  const graphs: GraphTree[] = []
  const isStart = (): boolean => isOpening(cursor, ['graph'])
  while (!cursor.isOver) {
    const index = cursor.index
    const graph = cursor.attempt(() => parseGraph(cursor), isStart, ['graph'])
    if (graph !== undefined) {
      cursor.layout.items.add(index)
      graphs.push(graph)
    } else if (!cursor.isOver && !isStart()) cursor.take()
  }
  return { graphs, layout: cursor.layout }
}

function parseGraph(cursor: Cursor): GraphTree {
  const first = cursor.token
  const errors = cursor.report.errors
  if (!cursor.at('graph')) refuseOpening(cursor)
  cursor.take()
  const name = cursor.name('the name of the graph')
  const items = parseBlock(cursor, {
    what: `the graph \`${name.text}\``,
    read: () => parseItem(cursor),
    isStart: () => cursor.token.kind === 'word' && isGraphItem(cursor.token.raw),
    holdsNodes: true,
  })
  return { name, items, isWhole: cursor.report.errors === errors, span: cursor.from(first) }
}

/** A misspelt `graph` before a name and a brace is treated as `graph`, so that the rest is parsed too. */
function refuseOpening(cursor: Cursor): void {
  const { raw } = cursor.token
  if (cursor.at('}')) cursor.fail('Expected `graph`', { help: 'This brace closes nothing; leave it out.' })
  if (raw === 'node' || !isOpening(cursor, [raw]))
    cursor.fail('Expected `graph`', { help: 'A file holds graphs: `graph name { … }`.' })
  cursor.report.error('E-rag-unknown-item', `\`${raw}\` opens nothing here.`, {
    span: spanOf(cursor.token),
    help: 'Write `graph`.',
  })
}

function isGraphItem(word: string): word is GraphItemName {
  return Object.hasOwn(GRAPH_ITEMS, word)
}

function parseItem(cursor: Cursor): GraphItem {
  const first = cursor.token
  const word = cursor.name('an item of the graph, or `}`')
  if (cursor.at('->')) return parseEdge(cursor, word, first)
  if (!isGraphItem(word.text)) return unknownItem(cursor, word)
  const parts = parseParts(cursor, word.text, first)
  return { ...parts, word, span: cursor.from(first) }
}

type Parts = GraphItem extends infer Item ? (Item extends GraphItem ? Omit<Item, 'word' | 'span'> : never) : never

function parseParts(cursor: Cursor, name: GraphItemName, first: Token): Parts {
  if (name !== 'node' && name !== 'join' && name !== 'channel' && name !== 'allow') skipColon(cursor)
  switch (name) {
    case 'start':
    case 'checkpoint':
    case 'interrupt': {
      const { text, span } = cursor.name(name === 'start' ? 'the name of a node' : `a word after \`${name}\``)
      return { type: 'value', name, value: { type: 'word', value: text, span } }
    }
    case 'description': {
      const { text, span } = cursor.text('the text of `description`')
      return { type: 'value', name, value: { type: 'text', value: text, span } }
    }
    case 'defaults':
    case 'metadata':
      return { type: 'entries', name, entries: parseEntries(cursor, `\`${name}\``, name === 'metadata') }
    case 'input':
    case 'output':
    case 'state':
      return { type: 'fields', name, fields: parseFields(cursor, name) }
    case 'channel':
      return parseChannel(cursor)
    case 'join':
      return parseJoin(cursor)
    case 'allow':
      return parseAllow(cursor)
    case 'node':
      return { type: 'node', node: parseNode(cursor, first) }
  }
}

function unknownItem(cursor: Cursor, word: Word): never {
  return cursor.refuse('E-rag-unknown-item', `\`${word.text}\` is not an item of a graph.`, {
    span: word.span,
    help: didYouMean(word.text, Object.keys(GRAPH_ITEMS)),
  })
}

function parseEdge(cursor: Cursor, from: Word, first: Token): GraphItem {
  cursor.take()
  const to = cursor.name('the name of a node, or END')
  if (cursor.at('->'))
    cursor.fail('Expected one edge', { help: `Write \`${from.text} -> ${to.text}\` and \`${to.text} -> …\`.` })
  return { type: 'edge', from, to, word: from, span: cursor.from(first) }
}

function parseFields(cursor: Cursor, name: string): Field[] {
  return parseBlock(cursor, {
    what: `\`${name}\``,
    read: () => {
      const field = cursor.name('the name of a field, or `}`')
      skipColon(cursor)
      const type = cursor.name(`the type of \`${field.text}\``)
      const isList = cursor.at('[')
      if (isList) {
        cursor.layout.glued.add(cursor.index)
        cursor.take()
        cursor.layout.glued.add(cursor.index)
        cursor.expect(']', 'after `[`')
      }
      const isOptional = cursor.at('?')
      if (isOptional) cursor.layout.glued.add(cursor.index)
      cursor.accept('?')
      return { name: field, type, isList, isOptional }
    },
    isStart: () => cursor.token.kind === 'word' && cursor.token.isFirst,
  })
}

function parseChannel(cursor: Cursor): Parts {
  const channel = cursor.name('the name of the channel')
  skipColon(cursor)
  const reducer =
    cursor.token.kind === 'text'
      ? cursor.text('a reducer')
      : cursor.name('what becomes of its values, such as `last_value`')
  const args: Value[] = []
  while (isArgument(cursor)) args.push(parseValue(cursor, channel.text))
  if (!cursor.at('initial') || cursor.at('->', cursor.ahead())) return { type: 'channel', channel, reducer, args }
  cursor.take()
  skipColon(cursor)
  return { type: 'channel', channel, reducer, args, initial: parseValue(cursor, 'initial') }
}

function isArgument(cursor: Cursor): boolean {
  const { kind, raw } = cursor.token
  if (kind === 'word') return Object.hasOwn(CONSTANTS, raw) && !cursor.at('->', cursor.ahead())
  return kind === 'text' || kind === 'number' || kind === 'duration'
}

function parseJoin(cursor: Cursor): Parts {
  const sources = parseList(cursor, 'the sources of the join', () => cursor.name('the name of a node'))
  cursor.expect('->', 'before the target of the join')
  return { type: 'join', sources, to: cursor.name('the name of a node') }
}

function parseAllow(cursor: Cursor): Parts {
  const lists: { list: Word; names: Word[] }[] = []
  do {
    const list = cursor.name('what is allowed, such as `tools`')
    if (!Object.hasOwn(ALLOW_LISTS, list.text))
      cursor.refuse('E-rag-unknown-item', `\`${list.text}\` is nothing that can be allowed.`, {
        span: list.span,
        help: didYouMean(list.text, Object.keys(ALLOW_LISTS)),
      })
    skipColon(cursor)
    lists.push({ list, names: parseList(cursor, `the list \`${list.text}\``, () => cursor.text('a name')) })
  } while (
    cursor.token.kind === 'word' &&
    Object.hasOwn(ALLOW_LISTS, cursor.token.raw) &&
    cursor.at('[', cursor.ahead())
  )
  return { type: 'allow', lists }
}
