import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { MandateError, defineTool } from 'mandate'
import type { Json } from 'mandate'
import type { Tool, ToolContext } from 'mandate/tool'

// The packages that the benchmark measures beside ours; where they are not installed, test/tools and src/tool hold their shapes by hand.
const peers = fileURLToPath(new URL('../../bench/peers/package.json', import.meta.url))
const hasPeers = existsSync(peers.replace('package.json', 'node_modules/@langchain/core'))

// What the packages export is theirs to say; here only what a user would write is called.
type Loose = Record<string, (...args: unknown[]) => never> & {
  readonly z: { [type: string]: (...args: unknown[]) => object }
}

async function load(name: string): Promise<Loose> {
  return (await import(pathToFileURL(createRequire(peers).resolve(name)).href)) as Loose
}

const context = {
  runId: 'run_1',
  signal: new AbortController().signal,
  idempotencyKey: 'key',
  metadata: { user: 'ana' },
  emit: () => {},
} as unknown as ToolContext

/** What a call gives, what was wrong with its input, or how it failed; and whether it would have been asked for. */
async function call(tool: Tool, input: Json): Promise<unknown> {
  const checked = await tool.validate(input)
  if (!checked.valid) return 'invalid'
  const asks = typeof tool.needsApproval === 'function' ? tool.needsApproval(checked.value) : tool.needsApproval
  try {
    return { gives: await tool.run(checked.value, context), asks: asks === true }
  } catch (error) {
    return MandateError.isInstance(error) ? error.code : 'thrown'
  }
}

describe.skipIf(!hasPeers)('the tools of other frameworks, made by their own packages', () => {
  test('LangChain', async () => {
    const [{ tool }, { z }] = [await load('@langchain/core/tools'), await load('zod')]
    const schema = z['object']!({ a: z['number']!() })
    const make = (run: unknown): Tool => defineTool(tool!(run, { name: 'adder', description: 'Adds.', schema }))
    const adder = make(async ({ a }: { a: number }, { configurable }: { configurable: object }) => ({
      sum: a + 1,
      ...configurable,
    }))
    expect(await call(adder, { a: 1 })).toEqual({ gives: { sum: 2, user: 'ana' }, asks: false })
    expect(await call(adder, { a: 'x' })).toBe('invalid')
    expect(
      await call(
        make(() => Promise.reject(new Error('boom'))),
        { a: 1 },
      ),
    ).toBe('thrown')
  })

  test('OpenAI Agents', async () => {
    const [{ tool }, { z }] = [await load('@openai/agents'), await load('zod')]
    const parameters = z['object']!({ a: z['number']!() })
    const make = (fields: object): Tool =>
      defineTool(tool!({ name: 'adder', description: 'Adds.', parameters, ...fields }))
    const adder = make({
      needsApproval: async (_run: unknown, { a }: { a: number }) => a > 1,
      execute: async ({ a }: { a: number }, run: { context: { user: string } }) => `${a + 1} for ${run.context.user}`,
    })
    expect(await call(adder, { a: 1 })).toEqual({ gives: '2 for ana', asks: false })
    expect(await call(adder, { a: 2 })).toEqual({ gives: '3 for ana', asks: true })
    expect(await call(adder, { a: 'x' })).toBe('invalid')
    expect(await call(make({ execute: () => Promise.reject(new Error('boom')) }), { a: 1 })).toBe('TOOL_FAILED')
    expect(await call(make({ isEnabled: false, execute: async () => 1 }), { a: 1 })).toBe('TOOL_FAILED')
  })

  test('Mastra', async () => {
    const [{ createTool }, { z }] = [await load('@mastra/core/tools'), await load('zod')]
    const schemas = {
      inputSchema: z['object']!({ a: z['number']!() }),
      outputSchema: z['object']!({ sum: z['number']!() }),
    }
    const make = (fields: object): Tool =>
      defineTool(createTool!({ id: 'adder', description: 'Adds.', ...schemas, ...fields }))
    const adder = make({ requireApproval: true, execute: async ({ a }: { a: number }) => ({ sum: a + 1 }) })
    expect(await call(adder, { a: 1 })).toEqual({ gives: { sum: 2 }, asks: true })
    expect(await call(adder, { a: 'x' })).toBe('invalid')
    expect(await call(make({ execute: async () => ({ sum: 'no number' }) }), { a: 1 })).toBe('TOOL_FAILED')
  })
})
