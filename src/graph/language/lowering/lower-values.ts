import type { Json, JsonObject } from '../../../core/index.ts'
import { memberPointer, setMember } from '../../../core/index.ts'
import type { Span } from '../../blueprint/blueprint.ts'
import { didYouMean } from '../../blueprint/report.ts'
import type { Report } from '../../blueprint/report.ts'
import { CONSTANTS, DEFAULT_SETTINGS, RETRY_SETTINGS } from '../syntax/keywords.ts'
import type { Entry, Value, Word } from '../syntax/syntax-tree.ts'

/** The context of lowering: where findings go, and the source positions of the blueprint's parts. */
export interface Lowering {
  readonly report: Report
  /** By JSON pointer. */
  readonly places: Map<string, Span>
}

/** A value as JSON. Durations are milliseconds; words other than `true`, `false` and `null` are texts. */
export function lowerValue(value: Value, path: string, lowering: Lowering): Json {
  lowering.places.set(path, value.span)
  switch (value.type) {
    case 'word':
      return Object.hasOwn(CONSTANTS, value.value) ? CONSTANTS[value.value]! : value.value
    case 'list':
      return value.items.map((item, index) => lowerValue(item, `${path}/${index}`, lowering))
    case 'record':
      return lowerRecord(value.entries, path, lowering)
    case 'expr':
      lowering.report.error('E-rag-invalid-value', 'An expression cannot stand here.', {
        span: value.span,
        help: 'Expressions are for `update` in a command; write the value itself.',
      })
      return value.value
    default:
      return value.value
  }
}

export function lowerRecord(entries: readonly Entry[], path: string, lowering: Lowering): JsonObject {
  const record: Record<string, Json> = {}
  warnOfRepeated(
    entries.map(({ key }) => key),
    'The key',
    lowering,
  )
  for (const { key, value } of entries)
    setMember(record, key.text, lowerValue(value, memberPointer(path, key.text), lowering))
  return record
}

type Settings = Readonly<Record<string, readonly [field: string, form: string]>>

/** The `retry` of a node or of the defaults. */
export function lowerRetry(entries: readonly Entry[], path: string, lowering: Lowering): JsonObject {
  const settings = lowerSettings(entries, RETRY_SETTINGS, path, lowering)
  if (!entries.some(({ key }) => key.text === 'attempts'))
    lowering.report.missing('E-rag-invalid-value', '`retry` does not say how often the node is tried.', {
      path,
      help: 'Write `retry { attempts 3 }`.',
    })
  return settings
}

export function lowerDefaults(entries: readonly Entry[], path: string, lowering: Lowering): JsonObject {
  return lowerSettings(entries, DEFAULT_SETTINGS, path, lowering)
}

function lowerSettings(entries: readonly Entry[], known: Settings, path: string, lowering: Lowering): JsonObject {
  const found: Record<string, Json> = {}
  const name = path.slice(path.lastIndexOf('/') + 1)
  warnOfRepeated(
    entries.map(({ key }) => key),
    'The setting',
    lowering,
  )
  for (const { key, value } of entries) {
    const setting = Object.hasOwn(known, key.text) ? known[key.text] : undefined
    if (setting === undefined) {
      lowering.report.error('E-rag-unknown-setting', `\`${key.text}\` is not a setting of \`${name}\`.`, {
        span: key.span,
        help: didYouMean(key.text, Object.keys(known)),
      })
      continue
    }
    const [field, form] = setting
    const place = `${path}/${field}`
    const isRetry = form === 'retry' && value.type === 'record'
    const lowered = isRetry ? lowerRetry(value.entries, place, lowering) : literalOf(value, form, key.text, lowering)
    if (lowered === undefined) continue
    found[field] = lowered
    lowering.places.set(place, value.span)
  }
  return found
}

const EXPECTED: Readonly<Record<string, readonly [needed: string, help: (shown: string) => string]>> = {
  text: ['a text in quotes', (shown) => `Write \`"${shown}"\`.`],
  number: ['a number', () => 'Write digits, such as `3`.'],
  duration: [
    'a duration',
    (shown) =>
      /^\d+$/.test(shown)
        ? `Add a unit: \`${shown}s\` or \`${shown}ms\`.`
        : 'Write it as `500ms`, `60s`, `5m`, `2h` or `1d`.',
  ],
  retry: ['a block', () => 'Write `retry { attempts 3 }`.'],
}

/** The value of a setting that takes one literal; reports any other form. */
export function literalOf(value: Value, form: string, name: string, lowering: Lowering): string | number | undefined {
  if (value.type === form && 'value' in value) return value.value
  const [needed, help] = EXPECTED[form]!
  lowering.report.error('E-rag-invalid-value', `\`${name}\` takes ${needed}.`, {
    span: value.span,
    help: help('value' in value ? String(value.value) : '…'),
  })
  return undefined
}

/** Warns of repeated names, of which the last one counts. */
export function warnOfRepeated(names: readonly Word[], what: string, { report }: Lowering): void {
  const first = new Map<string, Word>()
  for (const name of names) {
    const before = first.get(name.text)
    first.set(name.text, before ?? name)
    if (before !== undefined)
      report.warning('W-rag-repeated-item', `${what} \`${name.text}\` stands here again; the last one counts.`, {
        span: name.span,
        related: [{ span: before.span, label: 'first here' }],
        help: 'Keep one of them.',
      })
  }
}
