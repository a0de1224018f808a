import { MandateError, canonical, messageOf, toPlain } from '../core/index.ts'
import { readForeign } from './foreign-tools.ts'
import type { Foreign } from './foreign-tools.ts'
import { shown } from './shown.ts'
import { failOnErrorText, unwrapConnector } from './outcome-shapes.ts'
import { isClientTool, refuseToRun } from './ready/client-tool.ts'
import type { ToolContext } from './tool.ts'

/** The common form of all accepted shapes. */
export interface Shape {
  readonly name: string
  readonly description: string | undefined
  readonly schema: unknown
  /** Reads a fact (risk, retry, …) from where this shape has it. */
  fact(field: string): unknown
  run(input: unknown, ctx: ToolContext): unknown
  /** `run` validates its input itself, and needs it as the model wrote it. */
  readonly parsesItself?: boolean | undefined
  /** It has no function: the client performs it. */
  readonly isClient?: boolean | undefined
  /** Whether a call needs approval, in the way of the original framework. */
  readonly approval?: Foreign['approval']
}

interface ShapeOptions {
  /** The key of the tool in a record. */
  readonly name?: string | undefined
  /** A text that begins with "Error" is a failure of this tool. */
  readonly errorText?: boolean | undefined
}

type Fields = Readonly<Record<string, unknown>>
type Callable = (input: unknown, ctx: unknown) => unknown

const NAME_SHAPE = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/

/**
 * Reads any accepted shape: `{ name, inputSchema, run }`, the AI SDK's `{ description, inputSchema, execute }`, `{ definition, handler }`, `{ id,
 * schema, run }`, connectors `{ metadata, run }`, and the tools of LangChain, OpenAI Agents and Mastra. Synonymous fields must agree. `{ inputSchema
 * }` without a function is a tool that the client performs.
 */
export function readShape(given: unknown, options: ShapeOptions): Shape {
  if (typeof given !== 'object' || given === null) {
    throw new MandateError(
      'CONFIG_INVALID',
      `A tool must be an object, not ${given === null ? 'null' : typeof given}. Give e.g. { name, inputSchema, run }.`,
    )
  }
  const fields = given as Fields
  const definition = fieldsIn(fields['definition'])
  const foreign = readForeign(fields)
  const isConnector =
    foreign === undefined &&
    fields['definition'] === undefined &&
    typeof fieldsIn(fields['metadata'])['id'] === 'string'
  const metadata = isConnector ? fieldsIn(fields['metadata']) : {}
  const name = readName([options.name, fields['name'], fields['id'], definition['name'], metadata['id']])
  const agree = (what: string, values: readonly unknown[]): unknown => agreedOn(values, name, what)
  const said = agree('description', [fields['description'], definition['description'], metadata['description']])
  const description = typeof said === 'function' ? describedBy(said as () => unknown, name) : said
  if (description !== undefined && typeof description !== 'string') throw badField(name, 'description', 'must be text')
  const schema = agree('inputSchema', [
    ...[fields['inputSchema'], fields['parameters'], fields['schema']],
    ...[definition['parameters'], definition['inputSchema'], definition['schema']],
    ...[metadata['inputSchema'], metadata['schema']],
  ])
  const plain =
    foreign === undefined ? readRun(fields, name) : (input: unknown, ctx: ToolContext) => foreign.run(input, ctx)
  const wrapped = isConnector ? unwrapConnector(plain, name) : plain
  return {
    name,
    description,
    schema: foreign?.schema ?? schema,
    fact: (field) => fields[field] ?? definition[field] ?? metadata[field],
    run: options.errorText === true ? failOnErrorText(wrapped, name) : wrapped,
    parsesItself: foreign?.parsesItself,
    isClient: foreign === undefined && !isConnector && functionIn(fields, name) === undefined,
    approval: foreign?.approval,
  }
}

/** In the AI SDK a description may be a function of the context; it is called once, when the tool is defined. */
function describedBy(say: (options: object) => unknown, name: string): unknown {
  try {
    return say({ context: {}, experimental_context: {} })
  } catch (cause) {
    throw badField(name, 'description', `is a function that failed: ${messageOf(cause)}. Give a text`)
  }
}

/** The error of an invalid definition, with the tool and the field. */
export function badField(tool: string, field: string, what: string): MandateError {
  return new MandateError('CONFIG_INVALID', `Tool "${tool}": \`${field}\` ${what}.`)
}

function functionIn(fields: Fields, name: string): unknown {
  return agreedOn([fields['run'], fields['execute'], fields['handler']], name, 'run')
}

function readRun(fields: Fields, name: string): Shape['run'] {
  const found = functionIn(fields, name)
  if (found === undefined && isClientTool(fields)) return () => refuseToRun(name)
  if (typeof found !== 'function') {
    const what =
      found === undefined
        ? 'is missing: give a function (`run`, `execute`, `handler` or `invoke`), or an `inputSchema` if the client carries the tool out'
        : 'must be a function'
    throw badField(name, 'run', what)
  }
  const call = (input: unknown, ctx: unknown): unknown => (found as Callable).call(fields, input, ctx)
  return fields['execute'] === found ? (input, ctx) => call(input, aiSdkOptions(ctx)) : call
}

/** The options that the AI SDK passes to `execute`, with this package's context. */
function aiSdkOptions(ctx: ToolContext): object {
  return {
    ...ctx,
    toolCallId: ctx.toolCallId ?? ctx.idempotencyKey,
    messages: ctx.conversation ?? [],
    abortSignal: ctx.signal,
    experimental_context: ctx.metadata,
    context: ctx.metadata,
  }
}

function readName(names: readonly unknown[]): string {
  const given = names.filter((name) => name !== undefined)
  const [name] = given
  if (name === undefined)
    throw new MandateError(
      'CONFIG_INVALID',
      'A tool has no name. Give it `name`, or put it in a record under its name.',
    )
  const checked = checkToolName(name)
  const other = given.find((alias) => alias !== name)
  if (other !== undefined) throw badField(checked, 'name', `is also given as ${shown(toPlain(other).value)}. Keep one`)
  return checked
}

/** Returns the name if every provider accepts it, or throws. */
export function checkToolName(name: unknown): string {
  if (typeof name === 'string' && NAME_SHAPE.test(name) && name !== '__proto__') return name
  throw new MandateError(
    'CONFIG_INVALID',
    `Tool ${shown(toPlain(name).value)}: \`name\` is not usable. Use 1 to 64 letters, digits, "_", "-" or ".", starting with a letter, digit or "_".`,
  )
}

/** The one value among synonymous fields; a second one must be equal. */
function agreedOn(values: readonly unknown[], tool: string, field: string): unknown {
  const [first, ...others] = values.filter((value) => value !== undefined)
  for (const other of others) {
    if (!isSame(first, other)) throw badField(tool, field, 'is given under two names that differ. Keep one')
  }
  return first
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object') return false
  try {
    return canonical(a) === canonical(b)
  } catch {
    return false
  }
}

function fieldsIn(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}
