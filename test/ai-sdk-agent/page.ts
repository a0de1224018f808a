import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { AbstractChat, DefaultChatTransport, createAgentUIStreamResponse } from 'ai'
import type { ChatInit, UIMessage } from 'ai'
import type { Agent } from 'mandate'

/** A server on loopback that answers `useChat` for an agent. The agent can be replaced by one of another process. */
export class AgentServer {
  agent: Agent
  readonly #server: Server

  private constructor(agent: Agent, server: Server) {
    this.agent = agent
    this.#server = server
  }

  static async start(agent: Agent): Promise<AgentServer> {
    const server = createServer()
    const own = new AgentServer(agent, server)
    server.on('request', (request, response) => void own.#serve(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return own
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { messages } = JSON.parse(await text(request)) as { messages: UIMessage[] }
    const answer = await createAgentUIStreamResponse({ agent: this.agent, uiMessages: messages, onError: String })
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    for await (const chunk of answer.body!) response.write(chunk)
    response.end()
  }

  get api(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/chat`
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** What `useChat` holds, without React: the AI SDK's own chat over the AI SDK's own transport. */
export class Page extends AbstractChat<UIMessage> {
  readonly errors: string[]

  constructor(api: string, init: Pick<ChatInit<UIMessage>, 'messages' | 'sendAutomaticallyWhen' | 'onToolCall'> = {}) {
    const { messages = [], ...rest } = init
    const errors: string[] = []
    const state = {
      status: 'ready' as const,
      error: undefined,
      messages: [...messages],
      pushMessage: (message: UIMessage) => void (state.messages = [...state.messages, message]),
      popMessage: () => void (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (index: number, message: UIMessage) =>
        void (state.messages = state.messages.with(index, message)),
      snapshot: <T>(thing: T): T => structuredClone(thing),
    }
    super({
      ...rest,
      state,
      transport: new DefaultChatTransport({ api }),
      onError: (error) => void errors.push(error.message),
    })
    this.errors = errors
  }

  get answer(): UIMessage {
    return this.messages.at(-1)!
  }

  /** The calls in the last message, by their tools. */
  call(tool: string): { toolCallId: string; state: string; input: unknown; output?: unknown; errorText?: string } {
    return this.answer.parts.find(({ type }) => type === `tool-${tool}`) as never
  }

  /** Gives the result of a call, and sends it unless the chat does so by itself. */
  async give(tool: string, output: unknown): Promise<void> {
    await this.addToolOutput({ tool, toolCallId: this.call(tool).toolCallId, output: output as never })
  }
}
