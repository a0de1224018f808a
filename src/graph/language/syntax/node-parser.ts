import { didYouMean } from '../../blueprint/report.ts'
import type { Cursor } from './cursor.ts'
import { spanOf } from './cursor.ts'
import { CONSTANTS, NODE_ITEMS } from './keywords.ts'
import type { NodeItemName } from './keywords.ts'
import type { Entry, NodeItem, NodeTree, Route, Send, Word } from './syntax-tree.ts'
import type { Token } from './token.ts'
import { parseBlock, parseEntries, parseList, parseValue, skipColon } from './value-parser.ts'

/** `node ID { … }`, after the word `node`. */
export function parseNode(cursor: Cursor, first: Token): NodeTree {
  const name = cursor.name('the name of the node')
  const items = parseBlock(cursor, {
    what: `the node \`${name.text}\``,
    read: () => parseItem(cursor, name.text),
    isStart: () => cursor.token.kind === 'word' && isNodeItem(cursor.token.raw),
  })
  return { name, items, span: cursor.from(first) }
}

function isNodeItem(word: string): word is NodeItemName {
  return Object.hasOwn(NODE_ITEMS, word)
}

function parseItem(cursor: Cursor, node: string): NodeItem {
  const first = cursor.token
  const word = cursor.name(`an item of the node \`${node}\`, or \`}\``)
  const name = word.text
  if (!isNodeItem(name)) return unknownItem(cursor, word)
  const parts = parseParts(cursor, name, word)
  return { ...parts, name, word, span: cursor.from(first) }
}

type Parts = NodeItem extends infer Item
  ? Item extends NodeItem
    ? Omit<Item, 'name' | 'word' | 'span'>
    : never
  : never

function parseParts(cursor: Cursor, name: NodeItemName, word: Word): Parts {
  skipColon(cursor)
  switch (NODE_ITEMS[name]) {
    case 'word':
    case 'target':
      return { type: 'value', value: wordValue(cursor, name) }
    case 'text': {
      const { text, span } = cursor.text(`the text of \`${name}\``)
      return { type: 'value', value: { type: 'text', value: text, span } }
    }
    case 'number':
    case 'duration':
      return { type: 'value', value: parseValue(cursor, name) }
    case 'texts':
      return { type: 'words', words: parseList(cursor, `the list \`${name}\``, () => cursor.text('a name')) }
    case 'targets':
      return {
        type: 'words',
        words: parseList(cursor, `the list \`${name}\``, () => cursor.name('the name of a node')),
      }
    case 'settings':
    case 'record':
      return { type: 'entries', entries: parseEntries(cursor, `\`${name}\``, NODE_ITEMS[name] === 'record') }
    case 'routes':
      return { type: 'routes', routes: parseRoutes(cursor) }
    case 'sends':
      return { type: 'sends', sends: parseList(cursor, 'the list `sends`', () => parseSend(cursor)) }
    case 'command':
      return parseCommand(cursor)
    case 'steering':
      return refuseSteering(cursor, word)
  }
}

function wordValue(cursor: Cursor, name: string): { type: 'word'; value: string; span: Word['span'] } {
  const { kind, raw, value } = cursor.token
  const isTarget = NODE_ITEMS[name as NodeItemName] === 'target'
  const help = kind === 'text' ? `Write \`${name} ${String(value).slice(0, 60)}\` without quotes.` : undefined
  const { text, span } = cursor.name(isTarget ? 'the name of a node, or END' : `a word after \`${name}\``, raw && help)
  return { type: 'word', value: text, span }
}

function unknownItem(cursor: Cursor, word: Word): never {
  if (cursor.at('->'))
    return cursor.refuse('E-rag-syntax', 'An edge cannot stand inside a node.', {
      span: word.span,
      help: `Write \`next …\` inside a node, \`routes { ${word.text} -> … }\` for a label, or the edge \`${word.text} -> …\` beside the nodes.`,
    })
  return cursor.refuse('E-rag-unknown-item', `\`${word.text}\` is not an item of a node.`, {
    span: word.span,
    help: didYouMean(word.text, Object.keys(NODE_ITEMS)),
  })
}

function parseRoutes(cursor: Cursor): Route[] {
  return parseBlock(cursor, {
    what: '`routes`',
    read: () => parseRoute(cursor),
    isStart: () => cursor.at('when') || cursor.at('otherwise') || cursor.at('->', cursor.ahead()),
  })
}

function parseRoute(cursor: Cursor): Route {
  const first = cursor.token
  const isLabel = cursor.at('->', cursor.ahead())
  let way: { label?: Word; when?: Word } = {}
  if (cursor.at('when') && !isLabel) {
    cursor.take()
    way = { when: cursor.text('the condition') }
  } else if (cursor.at('otherwise')) cursor.take()
  else
    way = { label: first.kind === 'text' ? cursor.text('a label') : cursor.name('a label, `when`, `otherwise` or `}`') }
  cursor.expect('->', 'before the target of the route')
  const to = cursor.name('the name of a node, or END')
  return { ...way, to, span: cursor.from(first) }
}

function parseSend(cursor: Cursor): Send {
  const first = cursor.token
  cursor.expect('send', 'in the list `sends`')
  const to = cursor.name('the name of a node')
  const input = hasInput(cursor) ? parseValue(cursor, 'send') : undefined
  const each = cursor.accept('each') ? cursor.text('an expression that gives a list') : undefined
  return { to, ...(input && { input }), ...(each && { each }), span: cursor.from(first) }
}

function hasInput(cursor: Cursor): boolean {
  const { kind, raw } = cursor.token
  if (kind === 'word') return Object.hasOwn(CONSTANTS, raw)
  return kind === 'text' || kind === 'number' || kind === 'duration' || raw === '{' || raw === '['
}

function parseCommand(cursor: Cursor): Parts {
  const gotos: Word[] = []
  const updates: Entry[] = []
  parseBlock(cursor, {
    what: '`command`',
    read: () => {
      if (cursor.accept('goto')) {
        skipColon(cursor)
        return gotos.push(cursor.name('the name of a node, or END'))
      }
      if (!cursor.at('update'))
        return cursor.fail('Expected `goto`, `update` or `}`', {
          help: didYouMean(cursor.token.raw, ['goto', 'update']),
        })
      cursor.take()
      skipColon(cursor)
      return updates.push(...parseEntries(cursor, '`update`', true))
    },
    isStart: () => cursor.at('goto') || cursor.at('update'),
  })
  return { type: 'command', gotos, updates }
}

/** Parsed to its end, so that it is reported once. */
function refuseSteering(cursor: Cursor, word: Word): Parts {
  cursor.report.error('E-rag-steering', 'Steering is not part of a graph: it would not be enforced.', {
    span: spanOf(word.span),
    help: 'Send messages to a run with `service.steer(…)`, and say in the roles of the service who may.',
  })
  if (cursor.at('{'))
    parseBlock(cursor, {
      what: '`steering`',
      read: () => {
        if (cursor.at('[')) return parseList(cursor, 'a list', () => parseValue(cursor, 'allow'))
        return parseValue(cursor, 'steering')
      },
      isStart: () => false,
    })
  return { type: 'steering' }
}
