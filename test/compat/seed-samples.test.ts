import { expect, test } from 'vitest'
import { LoopAgent as Agent, agentChatResult, runnerResult, turnResult } from '../../src/compat/public.ts'
import type { AtlasProvider, ChatProvider, LlmClient, TurnResult } from '../../src/compat/public.ts'
import { AgentService } from '../../src/agent/index.ts'
import type { AgentRunHook } from '../../src/agent/index.ts'
import { scripted } from '../../src/model/index.ts'
import { defineTool, toolFrom } from '../../src/tool/index.ts'
import { toAtlasProvider, toChatProvider, toLlmClient } from '../../src/compat/public.ts'

/**
 * Samples of the documents that the names, shapes and adapters of `mandate/compat` come from, as written but for the paths of imports. What samples
 * leave open (`httpTool`, `stubLLMClient`) is filled in here and changes nothing of what they show.
 */

const said = (text: string): ReturnType<typeof scripted> =>
  scripted([{ toolCalls: [{ name: 'kv', input: { key: 'a' } }] }, text])

test('an agent of tools and clients runs its task and sums up', async () => {
  const kept: unknown[] = []
  const httpTool = {
    metadata: { id: 'http', description: 'Fetches.', safeByDefault: true },
    run: async () => ({ ok: true, output: 1 }),
  }
  const kvTool = {
    metadata: { id: 'kv', description: 'Reads a key.', safeByDefault: true },
    run: async (input: unknown) => (kept.push(input), { ok: true, output: 'value' }),
  }
  const stubLLMClient: LlmClient = toLlmClient(said('The issue is written.'))
  const lines: unknown[] = []
  const console = { log: (line: unknown) => lines.push(line) }

  const agent = new Agent({
    id: 'create-issue',
    taskPrompt: 'Create an issue describing a reproducible test failure',
    tools: [httpTool, kvTool],
    modelProviders: [stubLLMClient],
  })

  const result = runnerResult(await agent.run())
  console.log(result.summary)

  expect(kept).toEqual([{ key: 'a' }])
  expect(lines).toEqual(['The issue is written.'])
  expect(result).toMatchObject({ success: true, steps: 2 })
  expect(result.finishedAt >= result.startedAt).toBe(true)
})

test('a session holds what changes in a run, and a run can be cut', async () => {
  const agent = new Agent({ id: 'a', modelProviders: [toLlmClient(scripted(['Done.', 'Done.']))] })
  const session = agent.createSession()
  expect(runnerResult(await session.run('Go.'))).toMatchObject({ sessionId: session.id, success: true })
  expect(runnerResult(await agent.runOnce({ prompt: 'Go.' }))).toMatchObject({ success: true })
  await agent.stop()
})

test('an agent of a provider, its model and its tools gives the result of a turn', async () => {
  const seen: string[] = []
  const provider: ChatProvider = toChatProvider(
    scripted([
      {
        text: '<intent>{"toolName":"kv","purpose":"look","expectedOutcome":"a value","riskLevel":"read"}</intent>',
        toolCalls: [{ name: 'kv', input: { key: 'a' } }],
      },
      'Found.',
    ]),
  )
  const hook: AgentRunHook = (context) => void seen.push(context.systemPrompt)
  const agent = new Agent({
    provider,
    model: 'claude',
    tools: [
      {
        name: 'kv',
        description: 'Reads a key.',
        inputSchema: { type: 'object', properties: { key: { type: 'string' } } },
        run: async (input: Record<string, unknown>) => `value of ${String(input['key'])}`,
      },
    ],
    systemPrompt: 'Be brief.',
    maxTurns: 20,
    maxTokens: 1_000,
    sessionId: 's1',
    intentRequired: true,
    policyProfile: 'local-permissive',
    hooks: [hook],
  })
  const turn: TurnResult = turnResult(await agent.run('Look it up.'))
  expect(turn).toMatchObject({ status: 'completed', toolsUsed: ['kv'], phase: 'completed' })
  expect(turn.tokenUsage.inputTokens).toBeGreaterThan(0)
  expect(seen).toEqual([expect.stringContaining('Be brief.')])
})

test('an agent of named provider and model calls tools of definition and handler, and gives the result of a chat turn', async () => {
  const asked: unknown[] = []
  const tool = {
    definition: {
      name: 'kv',
      description: 'Reads a key.',
      parameters: { type: 'object', properties: { key: { type: 'string', description: 'Which.' } }, required: ['key'] },
    },
    handler: async (args: unknown, ctx: { requestId: string; conversation: unknown; agent: unknown }) => {
      asked.push([args, typeof ctx.requestId, ctx.conversation !== undefined, ctx.agent !== undefined])
      return 'value'
    },
  }
  const openai: AtlasProvider = toAtlasProvider(said('Found.'))
  const agent = new Agent({
    id: 'atlas',
    name: 'Atlas',
    provider: openai,
    model: 'gpt-4o',
    systemPrompt: 'Be brief.',
    temperature: 0.2,
    maxTokens: 500,
    tools: [tool],
    metadata: { team: 'blue' },
  })
  const { assistantMessage, intermediateMessages } = agentChatResult(await agent.run('Look it up.'))
  expect(assistantMessage.content).toEqual([{ type: 'text', text: 'Found.' }])
  expect(intermediateMessages.map(({ role }) => role)).toEqual(['assistant', 'tool'])
  expect(asked).toEqual([[{ key: 'a' }, 'string', true, true]])
})

test('what is described with other names can be one of many agents of a service', async () => {
  const tool = toolFrom(defineTool({ name: 'kv', risk: 'read', run: () => 'value' }))
  const service = new AgentService({
    agents: [
      Agent.config({
        id: 'one',
        systemPrompt: 'Be brief.',
        modelProviders: [said('Found.')],
        maxSteps: 3,
        tools: [tool],
      }),
    ],
  })
  expect(service.agent('one')).toMatchObject({ maxTurns: 3, systemPrompt: 'Be brief.' })
  expect(await service.run('one', 'Look.')).toMatchObject({ status: 'completed' })
})
