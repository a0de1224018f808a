import { Agent, defineTool } from 'mandate'
import type { ServiceOptions } from 'mandate'
import { collectReply, scripted, userMessage } from 'mandate/model'
import { toolCallsOf, toolMessage } from '../src/model/index.ts'
import type { Message, Model } from 'mandate/model'
import { specOf } from '../src/tool/index.ts'
import type { Tool } from 'mandate/tool'

const SCHEMA = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const

/** A tool with negligible work, so that the measurement covers only the overhead. */
export function tinyTool(facts: { idempotent?: boolean } = {}): Tool {
  return defineTool({
    name: 'add_one',
    description: 'Adds one.',
    inputSchema: SCHEMA,
    risk: 'read',
    ...facts,
    run: ({ n }: { n: number }) => ({ n: n + 1 }),
  })
}

/** A model that calls the tool `turns` times and then replies that it is done. The reply depends only on the conversation. */
export function tinyModel(turns: number): Model {
  return scripted((_request, { position }) =>
    position < turns
      ? { text: `Step ${position}.`, toolCalls: [{ name: 'add_one', input: { n: position } }] }
      : 'Done.',
  )
}

/** Runs an agent with `turns` tool calls, through the gate and into a journal. */
export async function runAgent(
  turns: number,
  host: ServiceOptions,
  options: { maxMessages?: number; facts?: { idempotent?: boolean } } = {},
): Promise<Agent> {
  const history = options.maxMessages === undefined ? undefined : { maxMessages: options.maxMessages }
  const agent = new Agent(
    {
      id: 'bench',
      model: tinyModel(turns),
      tools: [tinyTool(options.facts)],
      maxTurns: turns + 1,
      history,
      mandate: { callCap: turns },
    },
    host,
  )
  const result = await agent.service.run(agent.id, 'Go.')
  if (result.status !== 'completed' || result.actions.length !== turns)
    throw new Error(`The benchmark's run ended ${result.status}: ${result.error?.message}`)
  return agent
}

/** Runs the same conversation without the library: nothing is decided, recorded or limited. */
export async function runByHand(turns: number): Promise<void> {
  const model = tinyModel(turns)
  const tool = tinyTool()
  const messages: Message[] = [userMessage('Go.')]
  for (;;) {
    const call = { signal: new AbortController().signal, attempt: 1, idempotencyKey: 'x' }
    const reply = await collectReply(model.stream({ messages, tools: [specOf(tool)] }, call))
    messages.push(reply.message)
    const [toolCall] = toolCallsOf(reply.message)
    if (toolCall === undefined) return
    const value = (await tool.run(toolCall.input, {} as never)) as { n: number }
    messages.push(
      toolMessage([{ type: 'tool-result', toolCallId: toolCall.toolCallId, name: toolCall.name, status: 'ok', value }]),
    )
  }
}
