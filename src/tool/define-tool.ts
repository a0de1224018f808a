import { type FieldNames, type Json, MandateError, checkFields } from '../core/index.ts'
import { approvedAhead, isPromising } from './precomputed-approval.ts'
import { checkDefinition } from './definition-fields.ts'
import { checkedOutput } from './checked-output.ts'
import { FACT_NAMES, type ToolFacts, readFacts } from './facts.ts'
import { clientProblem, clientStandIn } from './ready/client-tool.ts'
import { type ReadSchema, readOutputSchema, readSchema } from './schema.ts'
import { type Shape, badField, readShape } from './shape.ts'
import { shownBy } from './results/shown-output.ts'
import type { SchemaInput, SchemaOutput } from './types/schema-types.ts'
import type { Tool, ToolContext } from './tool.ts'
import type { ResultOf, ToolInput, ToolLike, ToolList, ToolName, ToolOutput } from './types/tool-types.ts'

const marker: unique symbol = Symbol.for('mandate.tool') as never

/**
 * The definition of a tool. The input type of `run` and `needsApproval` follows from the schema `S`, or from the parameter of `run`; the result type
 * from the schema `O`, or from the return type of `run`.
 */
export interface ToolDefinition<Name extends string = string, S = object, R = unknown, O = object> extends Omit<
  ToolFacts,
  'fatal' | 'needsApproval' | 'outputSchema'
> {
  readonly name: Name
  readonly description?: string | undefined
  /** A schema of zod, valibot, ArkType or another Standard Schema library, or JSON Schema. Without one any object is accepted. */
  readonly inputSchema?: S | undefined
  /** The schema of the result, of the same kinds. It is enforced, and its output is the result. */
  readonly outputSchema?: O | undefined
  /** Whether a call with this input needs an approval. */
  readonly needsApproval?: boolean | ((input: SchemaInput<S>) => boolean | PromiseLike<boolean>) | undefined
  /** Whether an error ends the run instead of being returned to the model. */
  readonly fatal?: boolean | ((error: unknown) => boolean) | undefined
  run(input: SchemaOutput<S>, ctx: ToolContext): R
}

type AnyFunction = (...args: never[]) => unknown

/** The shapes of other frameworks; their members are checked when they are read. */
type OtherTool =
  | Tool
  | (ToolLike &
      (
        | { readonly execute: AnyFunction }
        | { readonly invoke: AnyFunction }
        | { readonly func: AnyFunction }
        | { readonly definition: object; readonly handler: AnyFunction }
        | { readonly id: string }
        | { readonly metadata: object; readonly run: AnyFunction }
        // Without a function the client performs the call.
        | { readonly inputSchema: unknown; readonly run?: undefined; readonly handler?: undefined }
      ))

/** Facts given here override those of the tool itself. */
interface DefineOptions<Name extends string = string> extends ToolFacts {
  /** The key of the tool in a record. */
  readonly name?: Name | undefined
  /** A text that begins with "Error" is a failure of this tool. */
  readonly errorText?: boolean | undefined
}

const DEFINE_OPTIONS: FieldNames<DefineOptions> = { name: true, errorText: true, ...FACT_NAMES }

/**
 * Converts any accepted shape to the canonical tool: `{ name, inputSchema, run }`, the AI SDK's `{ description, inputSchema, execute }`, `{
 * definition, handler }`, `{ id, schema, run }`, connectors `{ metadata, run }`, and the tools of LangChain, OpenAI Agents and Mastra. A definition
 * with an `inputSchema` and no function is a client tool: a call of it is a question, and the answer its result. An invalid definition throws at
 * once, with the tool and the field.
 *
 * @example
 * ```ts
 * import { defineTool } from 'mandate/tool'
 * const add = defineTool({
 *   name: 'add',
 *   description: 'Adds two numbers.',
 *   inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
 *   idempotent: true,
 *   risk: 'read',
 *   run: ({ a, b }) => a + b,
 * })
 * ```
 */
export function defineTool<const T extends OtherTool, const N extends string = ToolName<T>>(
  definition: T,
  options?: DefineOptions<N>,
): Tool<N, ToolInput<T>, ToolOutput<T>>
// The last overload, because TypeScript shows the error of the last one.
export function defineTool<const N extends string, const S extends object, R, const O extends object = object>(
  definition: ToolDefinition<N, S, R, O>,
  options?: DefineOptions,
): Tool<N, SchemaInput<S>, object extends O ? ResultOf<R> : SchemaOutput<O>>
export function defineTool(definition: unknown, options: DefineOptions = {}): Tool {
  return toolFrom(definition, options)
}

/** `defineTool` for a value of unknown type. */
export function toolFrom(definition: unknown, options: DefineOptions = {}): Tool {
  if (isTool(definition) && Object.keys(options).length === 0) return definition
  checkFields(options, 'an option of a tool', DEFINE_OPTIONS)
  const shape = readShape(definition, options)
  if (!isTool(definition)) checkDefinition(definition as object, shape.name)
  const owner = `Tool "${shape.name}"`
  const schema = readOwnCheck(shape, owner) ?? readSchema(shape.schema, { owner, field: 'inputSchema' })
  const overlay = options as Readonly<Record<string, unknown>>
  const givenOutput = overlay['outputSchema'] ?? shape.fact('outputSchema')
  const output = givenOutput === undefined ? undefined : readOutputSchema(givenOutput, { owner, field: 'outputSchema' })
  const wish = overlay['needsApproval'] ?? shape.approval ?? shape.fact('needsApproval')
  const facts = readFacts(
    (field) => (field === 'needsApproval' ? wish : (overlay[field] ?? shape.fact(field))),
    shape.name,
  )
  const tool: Tool = {
    ...(shape.isClient === true ? readClient(shape, (field) => overlay[field] ?? shape.fact(field), owner) : {}),
    name: shape.name,
    ...(shape.description === undefined ? {} : { description: shape.description }),
    inputSchema: schema.inputSchema,
    ...(schema.unvalidated === true ? { unvalidated: true } : {}),
    ...(output === undefined ? {} : { outputSchema: output.outputSchema }),
    ...facts,
    ...readShow(shape),
    validate: (input) => schema.validate(input),
    run: (input, ctx) => {
      const returned = shape.parsesItself === true ? shape.run(input, ctx) : runWith(schema, shape, input, ctx)
      return output === undefined ? returned : checkedOutput(returned, output, shape.name)
    },
    ...(isPromising(wish) || (wish === shape.approval && typeof wish === 'function')
      ? approvedAhead((input) => schema.validate(input), wish as (input: Json, options: object) => unknown)
      : {}),
  }
  Object.defineProperty(tool, marker, { value: true })
  return Object.freeze(tool)
}

/** Whether a value is a canonical tool already, including one of another copy of this package. */
export function isTool(value: unknown): value is Tool {
  return typeof value === 'object' && value !== null && marker in value
}

/**
 * Converts a record of tools, as in the AI SDK (keys are names), or a list. Two tools of one name are an error.
 *
 * @example
 * ```ts
 * import { toolsFrom } from 'mandate/tool'
 * const tools = toolsFrom({ ping: { description: 'Answers.', execute: async () => 'pong' } })
 * ```
 */
export function toolsFrom(tools: ToolList, options: Omit<DefineOptions, 'name'> = {}): readonly Tool[] {
  const made = Array.isArray(tools)
    ? tools.map((tool: unknown) => toolFrom(tool, options))
    : Object.entries(tools).map(([name, tool]) =>
        toolFrom(tool, isTool(tool) && tool.name === name ? options : { ...options, name }),
      )
  const names = new Set<string>()
  for (const { name } of made) {
    if (names.has(name))
      throw new MandateError('DUPLICATE', `Two tools are named "${name}". Rename one, or leave one out.`)
    names.add(name)
  }
  return made
}

/** The description of a tool for models. */
export function specOf(tool: Tool): {
  readonly name: string
  readonly description?: string
  readonly inputSchema: Json
} {
  const { name, description, inputSchema } = tool
  return description === undefined ? { name, inputSchema } : { name, description, inputSchema }
}

/** A tool that the client performs is a question to it, unless its author sets `standsFor`. */
function readClient(shape: Shape, fact: (field: string) => unknown, owner: string): Pick<Tool, 'standsFor'> {
  const problem = clientProblem(fact)
  if (problem !== undefined) throw badField(shape.name, problem.field, problem.what)
  const given = fact('outputSchema')
  const answer = given === undefined ? undefined : readOutputSchema(given, { owner, field: 'outputSchema' }, 'input')
  return { standsFor: clientStandIn({ ...shape, answer }) }
}

/** A canonical tool that was copied has `show`; tools of other frameworks have `toModelOutput`. */
function readShow(shape: Shape): Pick<Tool, 'show'> {
  const show = shape.fact('show') ?? shape.fact('toModelOutput')
  if (show === undefined) return {}
  if (typeof show !== 'function') throw badField(shape.name, 'toModelOutput', 'must be a function')
  if (show === shape.fact('show')) return { show: show as NonNullable<Tool['show']> }
  return { show: shownBy(show as (...args: unknown[]) => unknown, shape.name, typeof shape.fact('id') === 'string') }
}

/** A definition with its own `validate` is canonical already; its schema is only the description for models. */
function readOwnCheck(shape: Shape, owner: string): ReadSchema | undefined {
  const validate = shape.fact('validate')
  if (validate === undefined) return undefined
  if (typeof validate !== 'function') throw badField(shape.name, 'validate', 'must be a function')
  return {
    inputSchema: readSchema(shape.schema, { owner, field: 'inputSchema' }).inputSchema,
    validate: (input) => (validate as Tool['validate'])(input),
    decode: (input) => (validate as Tool['validate'])(input),
    parse: (input) => input,
    ...(shape.fact('unvalidated') === true ? { unvalidated: true } : {}),
  }
}

function runWith(schema: ReadSchema, shape: Shape, input: Json, ctx: ToolContext): unknown {
  const parsed = schema.parse(input)
  return parsed instanceof Promise ? parsed.then((value) => shape.run(value, ctx)) : shape.run(parsed, ctx)
}
