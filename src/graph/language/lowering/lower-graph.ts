import type { Json } from '../../../core/index.ts'
import type { Blueprint, Span } from '../../blueprint/blueprint.ts'
import { didYouMean } from '../../blueprint/report.ts'
import { ALLOW_LISTS, FIELD_TYPES, REPEATABLE } from '../syntax/keywords.ts'
import type { Fields } from './lower-node.ts'
import { lowerNode, pauseOf } from './lower-node.ts'
import type { Lowering } from './lower-values.ts'
import { lowerDefaults, lowerRecord, lowerValue, warnOfRepeated } from './lower-values.ts'
import type { Field, GraphItem, GraphTree, Word } from '../syntax/syntax-tree.ts'

/** An unchecked blueprint with the positions of its parts by name. */
interface LoweredGraph {
  readonly blueprint: Blueprint
  readonly spans: Readonly<Record<string, Span>>
}

interface Draft {
  readonly fields: Fields
  readonly nodes: Fields[]
  readonly channels: Fields[]
  readonly edges: Fields[]
  readonly joins: Fields[]
  readonly spans: Record<string, Span>
}

export function lowerGraph(tree: GraphTree, lowering: Lowering): LoweredGraph {
  const draft: Draft = { fields: {}, nodes: [], channels: [], edges: [], joins: [], spans: { graph: tree.span } }
  lowering.places.set('', tree.name.span)
  lowering.places.set('/name', tree.name.span)
  const single = tree.items.filter((item) => item.type !== 'edge' && !REPEATABLE.has(item.word.text))
  warnOfRepeated(
    single.map(({ word }) => word),
    'The item',
    lowering,
  )
  for (const item of tree.items) lowerItem(item, draft, lowering)
  const { nodes, channels, edges, joins, spans, fields } = draft
  const blueprint = { blueprint: 1, name: tree.name.text, start: '', ...fields, nodes, channels, edges, joins }
  // The checks of blueprints decide whether it is valid.
  return { blueprint: blueprint as unknown as Blueprint, spans }
}

function lowerItem(item: GraphItem, draft: Draft, lowering: Lowering): void {
  const { nodes, channels, edges, joins, spans, fields } = draft
  switch (item.type) {
    case 'value':
      lowerSingle(item, fields, lowering)
      return
    case 'entries': {
      const path = `/${item.name}`
      lowering.places.set(path, item.word.span)
      const lower = item.name === 'defaults' ? lowerDefaults : lowerRecord
      fields[item.name] = lower(item.entries, path, lowering)
      return
    }
    case 'fields':
      lowering.places.set(`/${item.name}`, item.word.span)
      fields[item.name] = item.fields.map((field, index) => lowerField(field, `/${item.name}/${index}`, lowering))
      return
    case 'channel':
      spans[`channel:${item.channel.text}`] ??= item.span
      channels.push(lowerChannel(item, `/channels/${channels.length}`, lowering))
      return
    case 'join': {
      const path = `/joins/${joins.length}`
      lowering.places.set(path, item.word.span)
      lowering.places.set(`${path}/to`, item.to.span)
      joins.push({ sources: texts(item.sources, `${path}/sources`, lowering), to: item.to.text })
      return
    }
    case 'allow':
      lowerAllow(item, fields, lowering)
      return
    case 'edge': {
      const path = `/edges/${edges.length}`
      spans[`edge:${item.from.text}`] ??= item.span
      lowering.places.set(path, item.from.span)
      lowering.places.set(`${path}/from`, item.from.span)
      lowering.places.set(`${path}/to`, item.to.span)
      edges.push({ from: item.from.text, to: item.to.text })
      return
    }
    case 'node':
      spans[`node:${item.node.name.text}`] ??= item.span
      nodes.push(lowerNode(item.node, `/nodes/${nodes.length}`, lowering))
  }
}

function lowerSingle(item: GraphItem & { type: 'value' }, fields: Fields, lowering: Lowering): void {
  const { value } = item
  const word = 'value' in value ? String(value.value) : ''
  const field = item.name === 'interrupt' ? 'pause' : item.name
  const path = `/${field}`
  lowering.places.set(path, value.span)
  const lowered =
    item.name === 'interrupt' ? pauseOf(word, path, lowering) : item.name === 'checkpoint' ? checkpointOf(word) : word
  if (lowered === undefined) delete fields[field]
  else fields[field] = lowered
}

/** `async` is the name of `batch` in other runtimes. */
function checkpointOf(word: string): string {
  return word === 'async' ? 'batch' : word
}

function lowerField(field: Field, path: string, { places, report }: Lowering): Fields {
  places.set(path, field.name.span)
  places.set(`${path}/type`, field.type.span)
  const { text } = field.type
  if (!(FIELD_TYPES as readonly string[]).includes(text))
    report.error('E-rag-invalid-value', `\`${text}\` is not a type.`, {
      span: field.type.span,
      help: didYouMean(text, FIELD_TYPES),
    })
  return {
    name: field.name.text,
    type: field.isList ? 'list' : text,
    ...(field.isList && { items: text }),
    ...(field.isOptional && { optional: true }),
  }
}

function lowerChannel(item: GraphItem & { type: 'channel' }, path: string, lowering: Lowering): Fields {
  const { places } = lowering
  places.set(path, item.channel.span)
  places.set(`${path}/reducer`, item.reducer.span)
  const args = item.args.map((value, index): Json => {
    if (value.type === 'duration')
      lowering.report.error('E-rag-invalid-value', 'A channel takes texts, numbers, `true` and `false`.', {
        span: value.span,
      })
    return lowerValue(value, `${path}/args/${index}`, lowering)
  })
  const initial = item.initial && { initial: lowerValue(item.initial, `${path}/initial`, lowering) }
  return { name: item.channel.text, reducer: item.reducer.text, args, ...initial }
}

function lowerAllow(item: GraphItem & { type: 'allow' }, fields: Fields, lowering: Lowering): void {
  lowering.places.set('/allow', item.word.span)
  const allow = { ...(fields['allow'] as Fields | undefined) }
  for (const { list, names } of item.lists) {
    const kind = ALLOW_LISTS[list.text]!
    if (allow[kind] !== undefined)
      lowering.report.warning('W-rag-repeated-item', `\`${list.text}\` are allowed here again; the last list counts.`, {
        span: list.span,
        help: 'Write one list of each kind.',
      })
    lowering.places.set(`/allow/${kind}`, list.span)
    allow[kind] = texts(names, `/allow/${kind}`, lowering)
  }
  fields['allow'] = allow
}

function texts(words: readonly Word[], path: string, { places }: Lowering): string[] {
  words.forEach((word, index) => places.set(`${path}/${index}`, word.span))
  return words.map(({ text }) => text)
}
