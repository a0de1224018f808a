import { MandateError } from '../core/index.ts'
import { toolLater } from './later.ts'
import type { ToolContext } from './tool.ts'

export type Fields = Readonly<Record<string, unknown>>
export type AnyFunction = (...args: unknown[]) => unknown

/** A tool that was written for another framework, and how that framework would call it. */
export interface Foreign {
  run(input: unknown, ctx: ToolContext): unknown
  /** What models are told of its input, where the tool itself cannot say it. */
  readonly schema?: object | undefined
  /** It checks its input itself, and wants it as the model wrote it. */
  readonly parsesItself?: boolean | undefined
  /** What it says about being approved, which may take a promise. */
  readonly approval?: boolean | ((input: unknown) => unknown) | undefined
}

/** Reads the shapes of OpenAI Agents, LangChain and Mastra; undefined for any other. They are plain objects here: none of their packages is needed. */
export function readForeign(fields: Fields): Foreign | undefined {
  if (isFunction(fields['run']) || isFunction(fields['handler'])) return undefined
  if (fields['type'] === 'function' && isFunction(fields['invoke'])) return openAiAgents(fields, fields['invoke'])
  if (isFunction(fields['execute']))
    return typeof fields['id'] === 'string' ? mastra(fields, fields['execute']) : undefined
  return langChain(fields)
}

/** `{ type: 'function', name, parameters, invoke(runContext, json, details), needsApproval(runContext, input, callId), isEnabled }` */
function openAiAgents(fields: Fields, invoke: AnyFunction): Foreign {
  for (const guardrails of ['inputGuardrails', 'outputGuardrails']) {
    const given = fields[guardrails]
    if (Array.isArray(given) && given.length > 0)
      throw new MandateError(
        'CONFIG_INVALID',
        `Tool "${String(fields['name'])}": \`${guardrails}\` would not run here. Say the same in the rules of a mandate, and leave them out.`,
      )
  }
  const { needsApproval } = fields
  return {
    parsesItself: true,
    approval: isFunction(needsApproval)
      ? (input) => needsApproval(openAiContext(), input, undefined)
      : (needsApproval as boolean | undefined),
    run: async (input, ctx) => toolLater(({ runOpenAiAgents }) => runOpenAiAgents(fields, invoke, input, ctx)),
  }
}

/** What its functions are told of the run they are in. */
export function openAiContext(ctx?: ToolContext): object {
  return { context: ctx?.metadata ?? {}, usage: {}, isToolApproved: () => true }
}

/** The older kind of LangChain's tools takes one text. */
const ONE_TEXT = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] }

/** `{ name, description, schema, invoke(input, config) }`, or its `func` or `_call` alone, which get a callback manager in between. */
function langChain(fields: Fields): Foreign | undefined {
  const { invoke, func, _call: call } = fields
  const alone = isFunction(func) ? func : call
  if (!isFunction(invoke) && !isFunction(alone)) return undefined
  const { lc_name: className } = fields.constructor as { lc_name?: () => string }
  return {
    ...(className?.() === 'DynamicTool' ? { schema: ONE_TEXT } : {}),
    parsesItself: isFunction(invoke),
    run: async (input, ctx) => toolLater(({ runLangChain }) => runLangChain(fields, input, ctx)),
  }
}

/** `{ id, inputSchema, execute(input, context) }`; before version 1 `execute({ context: input }, options)`. */
function mastra(fields: Fields, execute: AnyFunction): Foreign {
  const isNew = Object.getOwnPropertySymbols(fields).some((symbol) => symbol.description === 'mastra.core.tool.Tool')
  const isOld = !isNew && Object.hasOwn(fields, 'mastra')
  const approval = fields['needsApproval'] ?? fields['needsApprovalFn'] ?? fields['requireApproval']
  return {
    parsesItself: isNew || isOld,
    approval: isFunction(approval) ? (input) => approval(input, {}) : (approval as boolean | undefined),
    run: async (input, ctx) =>
      toolLater(({ bothWays, runMastra }) => {
        const given = isNew ? input : isOld ? { context: input } : bothWays(input)
        return runMastra((options) => execute.call(fields, given, options), ctx)
      }),
  }
}

/** Whether something can be called. */
export function isFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function'
}
