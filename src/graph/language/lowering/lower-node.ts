import type { Json } from '../../../core/index.ts'
import type { Lowering } from './lower-values.ts'
import { literalOf, lowerRecord, lowerRetry, lowerValue, warnOfRepeated } from './lower-values.ts'
import { KIND_ALIASES } from '../syntax/keywords.ts'
import type { Entry, NodeItem, NodeTree, Route, Send } from '../syntax/syntax-tree.ts'

/** The fields of a node under construction: they are checked once, on the blueprint. */
export type Fields = Record<string, Json>

/** Items whose field has another name. */
const FIELD_OF: Readonly<Record<string, string>> = { visits: 'maxVisits', timeout: 'timeoutMs', interrupt: 'pause' }

export function lowerNode(tree: NodeTree, path: string, lowering: Lowering): Fields {
  const node: Fields = { name: tree.name.text, kind: 'model' }
  lowering.places.set(path, tree.name.span)
  lowering.places.set(`${path}/name`, tree.name.span)
  warnOfRepeated(
    tree.items.map(({ word }) => word),
    'The item',
    lowering,
  )
  for (const item of tree.items) {
    const field = FIELD_OF[item.name] ?? item.name
    const place = `${path}/${field}`
    lowering.places.set(place, item.word.span)
    const value = lowerItem(item, place, lowering)
    if (value === undefined) delete node[field]
    else node[field] = value
  }
  moveReference(node, path, lowering)
  return node
}

function lowerItem(item: NodeItem, path: string, lowering: Lowering): Json | undefined {
  switch (item.type) {
    case 'value':
      return lowerSingle(item, path, lowering)
    case 'words':
      item.words.forEach((word, index) => lowering.places.set(`${path}/${index}`, word.span))
      return item.words.map((word) => word.text)
    case 'entries':
      return item.name === 'retry'
        ? lowerRetry(item.entries, path, lowering)
        : lowerRecord(item.entries, path, lowering)
    case 'routes':
      return item.routes.map((route, index) => lowerRoute(route, `${path}/${index}`, lowering))
    case 'sends':
      return item.sends.map((send, index) => lowerSend(send, `${path}/${index}`, lowering))
    case 'command':
      return lowerCommand(item, path, lowering)
    case 'steering':
      return undefined
  }
}

function lowerSingle(item: NodeItem & { type: 'value' }, path: string, lowering: Lowering): Json | undefined {
  const { name, value } = item
  lowering.places.set(path, value.span)
  const text = 'value' in value ? String(value.value) : ''
  switch (name) {
    case 'visits':
      return literalOf(value, 'number', name, lowering)
    case 'timeout':
      return literalOf(value, 'duration', name, lowering)
    case 'kind':
      return Object.hasOwn(KIND_ALIASES, text) ? KIND_ALIASES[text] : text
    case 'interrupt':
      return pauseOf(text, path, lowering)
    case 'checkpoint':
      return checkpointOfNode(text, path, lowering)
    default:
      return text
  }
}

/**
 * `interrupt before|after|none`; `undefined` for `none`.
 */
export function pauseOf(word: string, path: string, { report }: Lowering): string | undefined {
  if (word === 'before' || word === 'after') return word
  if (word !== 'none')
    report.error('E-rag-invalid-value', `\`interrupt\` is \`before\`, \`after\` or \`none\`, not \`${word}\`.`, {
      path,
      help: 'To ask a person a question, write a node of `kind interrupt`.',
    })
  return undefined
}

function checkpointOfNode(word: string, path: string, { report }: Lowering): string | undefined {
  if (word === 'sync') return word
  report.error('E-rag-invalid-value', `The \`checkpoint\` of a node can only be \`sync\`, not \`${word}\`.`, {
    path,
    help: 'Write `sync`, or leave it out and set `checkpoint` for the graph.',
  })
  return undefined
}

function lowerRoute(route: Route, path: string, { places }: Lowering): Fields {
  places.set(path, route.span)
  places.set(`${path}/to`, route.to.span)
  if (route.label) places.set(`${path}/label`, route.label.span)
  if (route.when) places.set(`${path}/when`, route.when.span)
  return {
    to: route.to.text,
    ...(route.label && { label: route.label.text }),
    ...(route.when && { when: route.when.text }),
  }
}

function lowerSend(send: Send, path: string, lowering: Lowering): Fields {
  lowering.places.set(path, send.span)
  lowering.places.set(`${path}/to`, send.to.span)
  if (send.each) lowering.places.set(`${path}/each`, send.each.span)
  return {
    to: send.to.text,
    ...(send.input && { input: lowerValue(send.input, `${path}/input`, lowering) }),
    ...(send.each && { each: send.each.text }),
  }
}

function lowerCommand(item: NodeItem & { type: 'command' }, path: string, lowering: Lowering): Fields {
  const words = item.gotos.map(({ span }) => ({ text: 'goto', span }))
  warnOfRepeated(words, 'The item', lowering)
  warnOfRepeated(
    item.updates.map(({ key }) => key),
    'The channel',
    lowering,
  )
  const goto = item.gotos.at(-1)
  if (goto) lowering.places.set(`${path}/goto`, goto.span)
  const last = new Map(item.updates.map((entry) => [entry.key.text, entry]))
  const update = [...last.values()].map((entry, index) => lowerUpdate(entry, `${path}/update/${index}`, lowering))
  return { ...(goto && { goto: goto.text }), update }
}

function lowerUpdate({ key, value }: Entry, path: string, lowering: Lowering): Fields {
  lowering.places.set(path, key.span)
  lowering.places.set(`${path}/channel`, key.span)
  if (value.type !== 'expr') return { channel: key.text, value: lowerValue(value, `${path}/value`, lowering) }
  lowering.places.set(`${path}/expr`, value.span)
  return { channel: key.text, expr: value.value }
}

/** Routers and subgraphs may also be named by `model`, as in the language from which this one derives. */
function moveReference(node: Fields, path: string, { places }: Lowering): void {
  const field = node['kind'] === 'router' ? 'router' : node['kind'] === 'subgraph' ? 'graph' : undefined
  if (field === undefined || node[field] !== undefined || node['model'] === undefined) return
  node[field] = node['model']
  places.set(`${path}/${field}`, places.get(`${path}/model`)!)
  delete node['model']
}
