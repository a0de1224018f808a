import { checkFields, isRecord, unknownField } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import { divide } from './chunks.ts'
import type { ChunkOptions } from './chunks.ts'
import { isContextPart } from './context.ts'
import type { Context, OpenContext } from './context.ts'
import { count, search, tally } from './find.ts'
import type { FindRange, SearchOptions, TallyOptions } from './find.ts'
import { badCall } from './limits.ts'
import type { PatternInput } from './pattern.ts'
import { RECORD_FORMATS } from './record-format.ts'
import type { RecordFormat } from './record-format.ts'

/** A method of `context` in scripts. */
export interface ContextOperation {
  readonly name: string
  /** Names of the positional arguments. An options object may follow them. */
  readonly params: readonly string[]
  /** The TypeScript signature shown to a model. */
  readonly signature: string
  readonly description: string
  /** JSON Schema properties of its input: arguments and options. */
  readonly properties: JsonObject
  readonly required?: readonly string[]
  run(context: OpenContext, input: never, signal: AbortSignal | undefined): Promise<unknown>
}

const POSITION: Json = { type: 'integer' }
const COUNT: Json = { type: 'integer', minimum: 0 }
const RANGE: JsonObject = { from: POSITION, to: POSITION }
const PATTERN: Json = {
  anyOf: [
    { type: 'string', minLength: 1 },
    {
      type: 'object',
      properties: { source: { type: 'string', minLength: 1 }, flags: { type: 'string' } },
      required: ['source'],
      additionalProperties: false,
    },
  ],
}
const FORMAT: Json = { enum: [...RECORD_FORMATS] }

interface Positions {
  readonly from?: number
  readonly to?: number
}

const HEAD = 2_000

export const CONTEXT_OPERATIONS: readonly ContextOperation[] = [
  {
    name: 'slice',
    params: ['from', 'to'],
    signature: 'slice(from?: number, to?: number): Promise<string>',
    description: 'Characters of the text, as `slice` of a string; also of a part: `slice(part)`.',
    properties: RANGE,
    run: ({ view }, { from, to }: Positions) => view.slice(from, to),
  },
  {
    name: 'head',
    params: ['chars'],
    signature: 'head(chars = 2000): Promise<string>',
    description: 'The first characters.',
    properties: { chars: COUNT },
    run: ({ view }, { chars = HEAD }: { readonly chars?: number }) => view.slice(0, chars),
  },
  {
    name: 'tail',
    params: ['chars'],
    signature: 'tail(chars = 2000): Promise<string>',
    description: 'The last characters.',
    properties: { chars: COUNT },
    run: ({ view }, { chars = HEAD }: { readonly chars?: number }) => view.slice(Math.max(view.length - chars, 0)),
  },
  {
    name: 'lines',
    params: ['from', 'to'],
    signature: 'lines(from?: number, to?: number): Promise<string[]>',
    description: 'Lines by their number from 0, without line breaks, as `slice` of a list of them.',
    properties: RANGE,
    run: ({ view }, { from, to }: Positions) => view.lines(from, to),
  },
  {
    name: 'search',
    params: ['pattern'],
    signature:
      'search(pattern: string | RegExp, options?: { limit?: number, around?: number, from?: number, to?: number }): Promise<{ at: number, end: number, line: number, match: string, groups?: (string | null)[], named?: Record<string, string | null>, excerpt: string }[]>',
    description:
      'The first matches (20), with 80 characters on each side; a list as long as `limit` may not be all: go on with `from`.',
    properties: { pattern: PATTERN, limit: COUNT, around: { type: 'integer', minimum: 0, maximum: 2_000 }, ...RANGE },
    required: ['pattern'],
    run: ({ view }, { pattern, ...options }: SearchOptions & { readonly pattern: PatternInput }, signal) =>
      search(view, pattern, { ...options, signal }),
  },
  {
    name: 'count',
    params: ['pattern'],
    signature: 'count(pattern: string | RegExp, options?: { from?: number, to?: number }): Promise<number>',
    description: 'How many matches there are.',
    properties: { pattern: PATTERN, ...RANGE },
    required: ['pattern'],
    run: ({ view }, { pattern, ...range }: FindRange & { readonly pattern: PatternInput }, signal) =>
      count(view, pattern, { ...range, signal }),
  },
  {
    name: 'tally',
    params: ['pattern'],
    signature:
      'tally(pattern: string | RegExp, options?: { group?: number | string, limit?: number, from?: number, to?: number }): Promise<{ total: number, distinct: number, values: { value: string, count: number }[] }>',
    description: 'Counts matches by what a group of the pattern matched; the most frequent values first.',
    properties: { pattern: PATTERN, group: { type: ['integer', 'string'] }, limit: COUNT, ...RANGE },
    required: ['pattern'],
    run: ({ view }, { pattern, ...options }: TallyOptions & { readonly pattern: PatternInput }, signal) =>
      tally(view, pattern, { ...options, signal }),
  },
  {
    name: 'chunks',
    params: [],
    signature:
      "chunks(options?: { size?: number, overlap?: number, by?: 'chars' | 'lines' | 'paragraphs', from?: number, to?: number }): Promise<{ context: string, from: number, to: number, line: number }[]>",
    description:
      'Divides the text into parts of at most `size` characters (100000) that end anywhere, behind a line, or behind a paragraph. Parts hold no text: give one to `slice` or `rlm_query`.',
    properties: { size: COUNT, overlap: COUNT, by: { enum: ['chars', 'lines', 'paragraphs'] }, ...RANGE },
    run: chunks,
  },
  {
    name: 'records',
    params: ['from', 'to'],
    signature:
      "records(from?: number, to?: number, options?: { format?: 'jsonl' | 'json' | 'csv' | 'tsv' }): Promise<any[]>",
    description: 'Records by their number from 0: values of JSON lines or of a JSON array, or rows of CSV as objects.',
    properties: { ...RANGE, format: FORMAT },
    run: ({ records }, { from, to, format }: Positions & { readonly format?: RecordFormat }) =>
      records.read(from, to, format),
  },
  {
    name: 'recordCount',
    params: [],
    signature: "recordCount(options?: { format?: 'jsonl' | 'json' | 'csv' | 'tsv' }): Promise<number>",
    description: 'How many records there are.',
    properties: { format: FORMAT },
    run: ({ records }, { format }: { readonly format?: RecordFormat }) => records.count(format),
  },
]

async function chunks({ view, facts }: OpenContext, options: ChunkOptions): Promise<unknown> {
  const parts = []
  for (const { from, to } of await divide(view, options))
    parts.push({ context: facts.ref, from, to, line: await view.lineAt(from) })
  return parts
}

/**
 * Calls a method of a context from TypeScript, with the arguments that scripts pass. It is a plain call, not an effect of a run.
 *
 * @example
 * ```ts
 * import { contextOf, queryContext } from 'mandate/repl'
 * const context = contextOf('one\ntwo\nthree', { label: 'numbers.txt' })
 * await queryContext(context, 'search', [/t\w+/, { limit: 1 }]) // [{ at: 4, end: 7, line: 1, match: 'two', excerpt: … }]
 * ```
 */
export async function queryContext(context: Context, method: string, args: readonly unknown[] = []): Promise<unknown> {
  const operation = CONTEXT_OPERATIONS.find(({ name }) => name === method)
  if (operation === undefined)
    throw badCall(
      `${unknownField(
        method,
        'a method of a context',
        CONTEXT_OPERATIONS.map(({ name }) => name),
      )}.`,
    )
  const plain = args.map((arg) => (arg instanceof RegExp ? { source: arg.source, flags: arg.flags } : arg)) as Json[]
  return operation.run(await context.open(), contextInput(operation, plain) as never, undefined)
}

/**
 * Builds the input of a call from its positional arguments. A part of a context is replaced by its positions. The last argument may be an options object.
 * Regular expressions arrive as `{ source, flags }`.
 */
export function contextInput(operation: ContextOperation, args: readonly Json[]): JsonObject {
  const { name, params } = operation
  const given = args.flatMap((arg, index): readonly Json[] =>
    index === 0 && params[0] === 'from' && isContextPart(arg) ? [{ from: arg.from, to: arg.to }] : [arg],
  )
  const input: Record<string, Json> = {}
  for (const [index, arg] of given.entries()) {
    if (arg === null) continue
    const param = params[index]
    const isOptions = isRecord(arg) && (param !== 'pattern' || index > 0)
    if (isOptions) Object.assign(input, checkedOptions(operation, arg))
    else if (param !== undefined) input[param] = arg
    else
      throw badCall(
        `\`context.${name}\` takes ${params.join(', ') || 'no positions'} and options: ${operation.signature}`,
      )
  }
  return input
}

function checkedOptions({ name, properties }: ContextOperation, options: JsonObject): JsonObject {
  checkFields(options, `an option of \`context.${name}\``, properties, 'INPUT_INVALID')
  return options
}
