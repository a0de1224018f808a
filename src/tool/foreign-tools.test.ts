import { expect, test } from 'vitest'
import { MandateError } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import { defineTool, toolFrom } from './index.ts'
import type { Tool } from './index.ts'
import { toolContext } from '../../test/tools/tool-context.fixture.ts'

const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }
const metadata = { user: 'ana' }

/** Checks and calls, as the kernel does. */
async function call(tool: Tool, input: Json): Promise<unknown> {
  const checked = await tool.validate(input)
  if (!checked.valid) return { invalid: checked.issues }
  return tool.run(checked.value, toolContext({ metadata, toolCallId: 'call-1' }))
}

async function failure(tool: Tool, input: Json): Promise<unknown> {
  try {
    return { accepted: await call(tool, input) }
  } catch (error) {
    return MandateError.isInstance(error) ? [error.code, error.message] : error
  }
}

/** Whether the guard would ask, once the input has been checked. */
async function asks(tool: Tool, input: Json): Promise<boolean | undefined> {
  await tool.validate(input)
  return typeof tool.needsApproval === 'function' ? tool.needsApproval(input) : tool.needsApproval
}

/** As `tool()` of LangChain makes it: a class whose `invoke` checks the input and calls `func`. */
class LangChainTool {
  readonly lc_runnable = true
  readonly metadata = { id: 'a version', versions: {} }
  readonly name = 'adder'
  readonly description = 'Adds one.'
  readonly schema = schema
  readonly func: (input: never) => unknown

  constructor(func: (input: never) => unknown) {
    this.func = func
  }

  async invoke(input: unknown, config: { signal: AbortSignal; configurable: { user: string } }): Promise<unknown> {
    config.signal.throwIfAborted()
    return this.func({ ...(input as object), user: config.configurable.user } as never)
  }
}

test('a tool of LangChain is invoked as it is there: with its config, on itself', async () => {
  const tool = defineTool(new LangChainTool(({ a, user }: { a: number; user: string }) => `${a + 1} for ${user}`))
  expect(tool).toMatchObject({ name: 'adder', description: 'Adds one.', inputSchema: schema })
  expect(await call(tool, { a: 1 })).toBe('2 for ana')
  expect(await call(tool, { a: 'x' })).toHaveProperty('invalid')
})

test('a message that a tool of LangChain gives is what it says; one with an error is a failure', async () => {
  const message = (fields: object): object => ({ lc_namespace: ['langchain_core', 'messages'], ...fields })
  const says = defineTool(new LangChainTool(() => message({ content: 'said', status: 'success' })))
  expect(await call(says, { a: 1 })).toBe('said')
  const fails = defineTool(new LangChainTool(() => message({ content: 'no way', status: 'error' })))
  expect(await failure(fails, { a: 1 })).toEqual(['TOOL_FAILED', 'no way'])
})

test('what LangChain calls func and _call are called with the config last, and an artifact is left out', async () => {
  const plain = {
    name: 'plain',
    schema,
    func: async (input: { a: number }, manager: unknown, config: { configurable: object }) => [
      input,
      manager,
      config.configurable,
    ],
  }
  expect(await call(defineTool(plain), { a: 1 })).toEqual([{ a: 1 }, undefined, metadata])
  const artifact = { ...plain, responseFormat: 'content_and_artifact', func: async () => ['content', { large: true }] }
  expect(await call(defineTool(artifact), { a: 1 })).toBe('content')
  class Own {
    readonly name = 'own'
    async _call(input: object): Promise<string> {
      return `${this.name} ${JSON.stringify(input)}`
    }
  }
  expect(await call(toolFrom(new Own()), { a: 1 })).toBe('own {"a":1}')
})

test('the older tools of LangChain, which take one text, say so to models', async () => {
  class DynamicTool {
    static lc_name = (): string => 'DynamicTool'
    readonly name = 'older'
    readonly schema = { '~standard': { version: 1, vendor: 'zod', validate: (value: unknown) => ({ value }) } }
    invoke = async (input: { input: string }): Promise<string> => input.input.toUpperCase()
  }
  const tool = toolFrom(new DynamicTool())
  expect(tool.inputSchema).toMatchObject({ required: ['input'] })
  expect(await call(tool, { input: 'text' })).toBe('TEXT')
})

/** As `tool()` of OpenAI Agents makes it. */
function openAiTool(fields: object = {}): Parameters<typeof defineTool>[0] {
  return {
    type: 'function',
    name: 'adder',
    description: 'Adds one.',
    parameters: schema,
    strict: true,
    needsApproval: async () => false,
    isEnabled: async () => true,
    inputGuardrails: [],
    outputGuardrails: [],
    invoke: async (
      run: { context: object },
      text: string,
      details: { toolCall: { callId: string }; signal: AbortSignal },
    ) => {
      const { a } = JSON.parse(text) as { a: number }
      details.signal.throwIfAborted()
      return { sum: a + 1, context: run.context, callId: details.toolCall.callId }
    },
    ...fields,
  } as never
}

test('a tool of OpenAI Agents gets its input as JSON, a run context and the call', async () => {
  const tool = defineTool(openAiTool())
  expect(tool).toMatchObject({ name: 'adder', inputSchema: schema })
  expect(await call(tool, { a: 1 })).toEqual({ sum: 2, context: metadata, callId: 'call-1' })
})

test('the text by which a tool of OpenAI Agents fails is a failure; one that is off does not run', async () => {
  const text = 'An error occurred while running the tool. Please try again. Error: boom'
  expect(await failure(defineTool(openAiTool({ invoke: async () => text })), { a: 1 })).toEqual(['TOOL_FAILED', text])
  expect(await failure(defineTool(openAiTool({ isEnabled: async () => false })), { a: 1 })).toEqual([
    'TOOL_FAILED',
    'The tool "adder" is not enabled now.',
  ])
})

test('guardrails that would not be executed are refused', () => {
  for (const name of ['inputGuardrails', 'outputGuardrails'])
    expect(() => defineTool(openAiTool({ [name]: [{ name: 'no numbers' }] }))).toThrow(name)
})

test('what a tool promises about approval is asked before the guard needs it; no answer means ask', async () => {
  const isLarge = async (_run: unknown, input: { a: number }): Promise<boolean> => {
    if (input.a === 13) throw new Error('unlucky')
    return input.a > 1
  }
  const tool = defineTool(openAiTool({ needsApproval: isLarge }))
  expect([await asks(tool, { a: 1 }), await asks(tool, { a: 2 }), await asks(tool, { a: 13 })]).toEqual([
    false,
    true,
    true,
  ])
  expect((tool.needsApproval as (input: Json) => boolean)({ a: 0 })).toBe(true)
  expect(await asks(defineTool(openAiTool()), { a: 1 })).toBe(false)
  expect(await asks(defineTool(openAiTool({ needsApproval: true })), { a: 1 })).toBe(true)
  const sdk = defineTool({
    name: 'sdk',
    inputSchema: schema,
    needsApproval: async ({ a }: { a: number }) => a > 1,
    execute: () => 1,
  })
  expect([await asks(sdk, { a: 1 }), await asks(sdk, { a: 2 })]).toEqual([false, true])
  expect(defineTool(openAiTool({ needsApproval: isLarge }), { needsApproval: false }).needsApproval).toBe(false)
})

/** As `createTool()` of Mastra makes it. */
function mastraTool(fields: object): Parameters<typeof defineTool>[0] {
  return { id: 'adder', description: 'Adds one.', inputSchema: schema, ...fields } as never
}

test('a tool of Mastra gets its input as the version it was made with gives it', async () => {
  const now = mastraTool({
    [Symbol('mastra.core.tool.Tool')]: true,
    execute: async (input: { a: number }, context: { abortSignal: AbortSignal }) => [
      input.a,
      context.abortSignal instanceof AbortSignal,
    ],
  })
  expect(await call(defineTool(now), { a: 1 })).toEqual([1, true])
  const before = mastraTool({ mastra: undefined, execute: async (given: { context: object }) => ({ ...given }) })
  expect(await call(defineTool(before), { a: 1 })).toEqual({ context: { a: 1 } })
  const literals = [
    mastraTool({ execute: async ({ context }: { context: { a: number } }) => context.a }),
    mastraTool({ execute: async ({ a }: { a: number }) => a }),
  ]
  for (const literal of literals) expect(await call(defineTool(literal), { a: 1 })).toBe(1)
})

test('what Mastra returns instead of throwing is a failure, and its approval is ours', async () => {
  const invalid = { error: true, message: 'Tool input validation failed', validationErrors: {} }
  expect(await failure(defineTool(mastraTool({ execute: async () => invalid })), { a: 1 })).toEqual([
    'TOOL_FAILED',
    invalid.message,
  ])
  const execute = async (): Promise<number> => 1
  expect(await asks(defineTool(mastraTool({ execute, requireApproval: true })), { a: 1 })).toBe(true)
  const byInput = mastraTool({ execute, requireApproval: true, needsApprovalFn: ({ a }: { a: number }) => a > 1 })
  expect([await asks(defineTool(byInput), { a: 1 }), await asks(defineTool(byInput), { a: 2 })]).toEqual([false, true])
})
