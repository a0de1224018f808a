import { expect, test } from 'vitest'
import { Agent } from '../agent/index.ts'
import { agentChatResult, chatText } from '../chat/index.ts'
import { scripted } from '../model/index.ts'
import { defineTool } from '../tool/index.ts'
import { runnerResult, turnResult } from './results.ts'

/** The result type that callers of a runner have, as its documents write it down. */
interface ProposedResult {
  id: string
  sessionId?: string
  success: boolean
  result?: unknown
  error?: { message: string; code?: string; info?: unknown }
  startedAt: string
  finishedAt: string
  steps?: number
  actions?: {
    id: string
    toolId: string
    input: unknown
    output: unknown
    ok: boolean
    startedAt: string
    finishedAt: string
  }[]
  modelCalls?: { id: string; provider: string; model: string; promptRef: string }[]
  tokenUsage?: { promptTokens: number; completionTokens: number; totalTokens: number }
  costEstimate?: number
  eventStream?: { t: string; type: string; payload: unknown }[] | string
  memoryDeltas?: { key: string; op: 'set' | 'append' | 'delete'; before?: unknown; after?: unknown }[]
  provenance?: { models: string[] }
  diagnostics?: { warnings?: string[]; traces?: string[] }
  aborted?: boolean
  retryInfo?: { attempts: number; lastError?: string }
  seed?: number
  deterministic?: boolean
  metrics?: { durationMs?: number; toolLatencyMs?: Record<string, number> }
  attachments?: Record<string, string>
}

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
  risk: 'read',
  run: ({ a, b }: { a: number; b: number }) => a + b,
})

function agent(): Agent {
  const model = scripted([
    {
      toolCalls: [
        { name: 'add', input: { a: 1, b: 2 } },
        { name: 'add', input: { a: 2, b: 2 } },
      ],
    },
    'The sums are 3 and 4.',
  ])
  return new Agent({ id: 'sums', model, tools: [add] })
}

test('a turn tells its status, its text, each tool once and what it spent', async () => {
  const result = await agent().run('Add.')
  expect(turnResult(result)).toEqual({
    status: 'completed',
    text: 'The sums are 3 and 4.',
    toolsUsed: ['add'],
    tokenUsage: { inputTokens: result.usage.inputTokens, outputTokens: result.usage.outputTokens },
    phase: 'completed',
  })
})

test('a chat turn has the answer apart from the calls and results on the way to it', async () => {
  const { assistantMessage, intermediateMessages } = agentChatResult(await agent().run('Add.'))
  expect(chatText(assistantMessage)).toBe('The sums are 3 and 4.')
  expect(intermediateMessages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool'])
})

test('a turn that waits for a person says so', async () => {
  const tool = defineTool({ ...add, name: 'add', needsApproval: true })
  const model = scripted([{ toolCalls: [{ name: 'add', input: { a: 1, b: 2 } }] }])
  const result = await new Agent({ id: 'asks', model, tools: [tool] }).run('Add.')
  expect(turnResult(result)).toMatchObject({ status: 'await_user' })
})

test('a runner has everything at once, and its own names for it', async () => {
  const result = await agent().run('Add.')
  // Checked by the compiler, under exact optional properties.
  const proposed: ProposedResult = runnerResult(result)
  const { inputTokens, outputTokens, totalTokens } = result.usage
  expect(proposed).toMatchObject({
    id: result.id,
    success: true,
    done: true,
    aborted: false,
    summary: result.text,
    response: result.text,
    costEstimate: 0,
    tokenUsage: { promptTokens: inputTokens, completionTokens: outputTokens, totalTokens },
    modelCalls: [{ id: 'turn:1/model' }, { id: 'turn:2/model' }],
    actions: [{ toolId: 'add' }, { toolId: 'add' }],
    diagnostics: { warnings: [] },
  })
})
