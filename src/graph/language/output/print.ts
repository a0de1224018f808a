import type { Json, JsonObject } from '../../../core/index.ts'
import { MandateError } from '../../../core/index.ts'
import { CATALOG_KINDS } from '../../blueprint/blueprint.ts'
import type {
  Blueprint,
  ChannelBlueprint,
  CommandBlueprint,
  FieldBlueprint,
  GraphDefaults,
  NodeBlueprint,
  RetryBlueprint,
  RouteBlueprint,
  SendBlueprint,
} from '../../blueprint/blueprint.ts'
import { NAME } from '../../blueprint/name.ts'
import { normalBlueprint } from '../../blueprint/normal.ts'
import { formatRag } from './format.ts'
import { ALLOW_LISTS, DEFAULT_SETTINGS, RETRY_SETTINGS } from '../syntax/keywords.ts'
import { writeDuration, writeText } from './text-writer.ts'

/**
 * Prints a blueprint as `.rag` text that compiles to the same blueprint, with the same hash.
 *
 * @example
 * ```ts
 * import { compileRag, printRag } from 'mandate/graph'
 * const { graphs } = compileRag('graph hello { start say node say { prompt "Say hello." next END } }')
 * console.log(graphs.map(printRag).join('\n'))
 * ```
 */
export function printRag(blueprint: Blueprint): string {
  const { text, diagnostics } = formatRag(printGraph(normalBlueprint(blueprint)))
  if (text !== undefined) return text
  throw unprintable(diagnostics[0]?.message ?? '')
}

function printGraph(graph: Blueprint): string {
  const lines = [
    `graph ${name(graph.name)} {`,
    ...(graph.description === undefined ? [] : [`description ${writeText(graph.description)}`]),
    ...(graph.start === '' ? [] : [`start ${name(graph.start)}`]),
    ...(['state', 'input', 'output'] as const).flatMap((list) => printFields(list, graph[list])),
    ...(graph.defaults ? [`defaults ${printDefaults(graph.defaults)}`] : []),
    ...(graph.checkpoint === undefined ? [] : [`checkpoint ${name(graph.checkpoint)}`]),
    ...(graph.pause === undefined ? [] : [`interrupt ${name(graph.pause)}`]),
    ...printAllow(graph),
    ...(graph.metadata ? [`metadata ${printRecord(graph.metadata)}`] : []),
    ...graph.channels.map(printChannel),
    ...graph.nodes.map((node) => `\n${printNode(node)}`),
    '',
    ...graph.edges.map(({ from, to }) => `${name(from)} -> ${name(to)}`),
    ...graph.joins.map(({ sources, to }) => `join ${printNames(sources)} -> ${name(to)}`),
    '}',
  ]
  return lines.join('\n')
}

function printChannel({ name: channel, reducer, args, initial }: ChannelBlueprint): string {
  const parts = ['channel', name(channel), nameOrText(reducer), ...args.map(printValue)]
  return [...parts, ...(initial === undefined ? [] : ['initial', printValue(initial)])].join(' ')
}

function printFields(list: string, fields: readonly FieldBlueprint[] | undefined): string[] {
  if (fields === undefined) return []
  const lines = fields.map((field) => {
    const type = field.type === 'list' && field.items !== undefined ? `${name(field.items)}[]` : name(field.type)
    return `${name(field.name)} ${type}${field.optional === true ? '?' : ''}`
  })
  return [`${list} {`, ...lines, '}']
}

function printAllow({ allow = {} }: Blueprint): string[] {
  return CATALOG_KINDS.flatMap((kind) => {
    const names = allow[kind]
    const list = Object.entries(ALLOW_LISTS).find(([, each]) => each === kind)?.[0]
    return names === undefined ? [] : [`allow ${list} ${printTexts(names)}`]
  })
}

function printNode(node: NodeBlueprint): string {
  const lines = [
    `node ${name(node.name)} {`,
    `kind ${name(node.kind)}`,
    ...(['model', 'agent', 'graph', 'script', 'router', 'tool', 'system', 'prompt', 'input'] as const).flatMap(
      (item) => {
        const text = node[item]
        return text === undefined ? [] : [`${item} ${writeText(text)}`]
      },
    ),
    ...(node.tools ? [`tools ${printTexts(node.tools)}`] : []),
    ...(node.options ? [`options ${printTexts(node.options)}`] : []),
    ...(node.sources ? [`sources ${printNames(node.sources)}`] : []),
    ...(node.ends ? [`ends ${printNames(node.ends)}`] : []),
    ...(node.writes === undefined ? [] : [`writes ${name(node.writes)}`]),
    ...(node.timeoutMs === undefined ? [] : [`timeout ${writeDuration(number(node.timeoutMs))}`]),
    ...(node.retry ? [`retry ${printRetry(node.retry)}`] : []),
    ...(node.maxVisits === undefined ? [] : [`visits ${number(node.maxVisits)}`]),
    ...(node.checkpoint === undefined ? [] : [`checkpoint ${name(node.checkpoint)}`]),
    ...(node.pause === undefined ? [] : [`interrupt ${name(node.pause)}`]),
    ...(node.metadata ? [`metadata ${printRecord(node.metadata)}`] : []),
    ...(node.sends ? [`sends [${node.sends.map(printSend).join(', ')}]`] : []),
    ...(node.command ? [printCommand(node.command)] : []),
    ...(node.routes ? ['routes {', ...node.routes.map(printRoute), '}'] : []),
    ...(node.next === undefined ? [] : [`next ${name(node.next)}`]),
    '}',
  ]
  return lines.join('\n')
}

function printRoute({ label, when, to }: RouteBlueprint): string {
  if (when !== undefined) return `when ${writeText(when)} -> ${name(to)}`
  if (label === undefined) return `otherwise -> ${name(to)}`
  const isPlain = NAME.test(label) && label !== 'otherwise'
  return `${isPlain ? label : writeText(label)} -> ${name(to)}`
}

function printSend({ to, input, each }: SendBlueprint): string {
  const parts = ['send', name(to)]
  if (input !== undefined) parts.push(printValue(input))
  if (each !== undefined) parts.push('each', writeText(each))
  return parts.join(' ')
}

function printCommand({ goto, update }: CommandBlueprint): string {
  const values = update.map((each) => {
    const value = 'expr' in each ? `expr ${writeText(each.expr)}` : printValue(each.value)
    return `${name(each.channel)}: ${value}`
  })
  const lines = ['command {', ...(goto === undefined ? [] : [`goto ${name(goto)}`])]
  if (values.length > 0) lines.push(`update { ${values.join(' ')} }`)
  return [...lines, '}'].join('\n')
}

function printDefaults(defaults: GraphDefaults): string {
  const settings = Object.entries(DEFAULT_SETTINGS).flatMap(([word, [field, form]]) => {
    const value = defaults[field]
    if (value === undefined) return []
    if (typeof value === 'object') return [`${word} ${printRetry(value)}`]
    const shown =
      typeof value === 'string' ? writeText(value) : form === 'duration' ? writeDuration(number(value)) : number(value)
    return [`${word} ${shown}`]
  })
  return `{\n${settings.join('\n')}\n}`
}

function printRetry(retry: RetryBlueprint): string {
  const settings = Object.entries(RETRY_SETTINGS).flatMap(([word, [field, form]]) => {
    const value = retry[field]
    return value === undefined ? [] : [`${word} ${form === 'duration' ? writeDuration(number(value)) : number(value)}`]
  })
  return `{ ${settings.join(' ')} }`
}

function printValue(value: Json): string {
  if (typeof value === 'string') return writeText(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return `[${value.map(printValue).join(', ')}]`
  return printRecord(value as JsonObject)
}

function printRecord(record: JsonObject): string {
  const entries = Object.entries(record).map(([key, value]) => `${nameOrText(key)}: ${printValue(value)}`)
  return `{ ${entries.join(' ')} }`
}

function printTexts(texts: readonly string[]): string {
  return `[${texts.map(writeText).join(', ')}]`
}

function printNames(names: readonly string[]): string {
  return `[${names.map(name).join(', ')}]`
}

/** A name without quotes. Any other text would change the structure of the graph. */
function name(text: string): string {
  if (NAME.test(text)) return text
  throw unprintable(`\`${text.slice(0, 60)}\` is not a name.`)
}

function number(value: number): number {
  if (Number.isFinite(value)) return value
  throw unprintable('A number is not finite.')
}

function unprintable(problem: string): MandateError {
  return new MandateError(
    'INPUT_INVALID',
    `The blueprint cannot be written as .rag: ${problem} Check it with \`readBlueprint\`.`,
  )
}

/** A valid name as it is, any other text in quotes. */
function nameOrText(text: string): string {
  return NAME.test(text) ? text : writeText(text)
}
