import { join } from 'node:path'
import { z } from 'zod'
import { load } from '../peers/load.ts'
import { checkpointDatabase } from './langgraph-sqlite.ts'
import type { Add, DurableSide, PeerSide } from './side.ts'
import { DELTA, INSTRUCTIONS, TURNS } from './side.ts'

interface Message {
  readonly content: unknown
  getType(): string
}

interface LangChain {
  readonly createAgent: (options: object) => {
    invoke(input: object, options: object): Promise<{ readonly messages: readonly Message[] }>
    stream(input: object, options: object): Promise<AsyncIterable<readonly [Message]>>
  }
  readonly tool: (run: (input: { a: number; b: number }) => Promise<string>, options: object) => object
}
type MessageClass = new (fields: object) => Message
type ChunkClass = new (fields: { text: string; message: Message }) => object
interface ChatModels {
  readonly BaseChatModel: new (fields: object) => object
}
interface Callbacks {
  handleLLMNewToken(...token: readonly unknown[]): Promise<void>
}

const { createAgent, tool } = await load<LangChain>('langchain')
const { AIMessage, AIMessageChunk } = await load<{ AIMessage: MessageClass; AIMessageChunk: MessageClass }>(
  '@langchain/core/messages',
)
const { ChatGenerationChunk } = await load<{ ChatGenerationChunk: ChunkClass }>('@langchain/core/outputs')
const { BaseChatModel } = await load<ChatModels>('@langchain/core/language_models/chat_models')

class Mock extends BaseChatModel {
  constructor() {
    super({})
  }

  _llmType(): string {
    return 'mock'
  }

  bindTools(): this {
    return this
  }

  async _generate(messages: readonly Message[]): Promise<object> {
    const turn = messages.filter((message) => message.getType() === 'tool').length
    const call = { id: `c${turn}`, name: 'add', args: { a: turn, b: 1 }, type: 'tool_call' }
    const fields = turn < TURNS ? { content: '', tool_calls: [call] } : { content: `done ${turn}` }
    return { generations: [{ text: '', message: new AIMessage(fields) }] }
  }
}

class StreamingMock extends Mock {
  readonly deltas: number

  constructor(deltas: number) {
    super()
    this.deltas = deltas
  }

  async *_streamResponseChunks(_messages: unknown, _options: unknown, callbacks?: Callbacks): AsyncGenerator<object> {
    for (let index = 0; index < this.deltas; index++) {
      const chunk = new ChatGenerationChunk({ text: DELTA, message: new AIMessageChunk({ content: DELTA }) })
      yield chunk
      await callbacks?.handleLLMNewToken(DELTA, undefined, undefined, undefined, undefined, { chunk })
    }
  }
}

function agent(add: Add, deltas: number, options: object = {}): ReturnType<LangChain['createAgent']> {
  const schema = z.object({ a: z.number(), b: z.number() })
  const run = async (input: { a: number; b: number }): Promise<string> => JSON.stringify(await add(input))
  const tools = [tool(run, { name: 'add', description: 'add', schema })]
  const model = deltas > 0 ? new StreamingMock(deltas) : new Mock()
  return createAgent({ model, tools, systemPrompt: INSTRUCTIONS, ...options })
}

const input = { messages: [{ role: 'user', content: 'go' }] }

function make(add: Add): () => Promise<string> {
  const made = agent(add, 0)
  return async () => String((await made.invoke(input, { recursionLimit: 100 })).messages.at(-1)?.content)
}

async function stream(deltas: number): Promise<number> {
  const chunks = await agent(async () => ({ sum: 0 }), deltas).stream(input, { streamMode: 'messages' })
  let count = 0
  for await (const [message] of chunks) count += message.content === DELTA ? 1 : 0
  return count
}

async function durable(folder: string): Promise<DurableSide> {
  const { SqliteSaver } = await load<{ SqliteSaver: new (db: object) => object }>(
    '@langchain/langgraph-checkpoint-sqlite',
  )
  const checkpointer = new SqliteSaver(checkpointDatabase(join(folder, 'checkpoints.db')))
  const made = agent(async ({ a, b }) => ({ sum: a + b }), 0, { checkpointer })
  let thread = 0
  const run = async (): Promise<string> => {
    const options = { recursionLimit: 100, durability: 'sync', configurable: { thread_id: `t${thread++}` } }
    return String((await made.invoke(input, options)).messages.at(-1)?.content)
  }
  return { label: 'langchain 1.5, createAgent, SqliteSaver of LangGraph', run }
}

export const side: PeerSide = { label: 'langchain 1.5, createAgent', make, stream, durable }
