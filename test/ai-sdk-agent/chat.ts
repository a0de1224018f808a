import { DefaultChatTransport, createAgentUIStreamResponse, readUIMessageStream } from 'ai'
import type { UIMessage } from 'ai'
import type { Agent } from 'mandate'

/** A client of an agent behind HTTP, made of the AI SDK's own parts: its transport, its stream reader, its server-side response. */
export class Chat {
  readonly agent: Agent
  messages: UIMessage[] = []
  readonly errors: string[] = []
  #count = 0

  constructor(agent: Agent) {
    this.agent = agent
  }

  /** Says something and gives the answer, whole. */
  async say(text: string, abort?: AbortSignal): Promise<UIMessage> {
    this.messages.push({ id: `u${++this.#count}`, role: 'user', parts: [{ type: 'text', text }] })
    return this.submit(abort)
  }

  /** Answers every approval that the last message asks for. */
  async answer(approved: boolean, reason?: string): Promise<UIMessage> {
    const last = this.messages.at(-1)!
    const parts = last.parts.map((part) => {
      if (!('state' in part) || part.state !== 'approval-requested') return part
      const approval = {
        ...(part as { approval: { id: string } }).approval,
        approved,
        ...(reason === undefined ? {} : { reason }),
      }
      return { ...part, state: 'approval-responded', approval }
    })
    this.messages = [...this.messages.slice(0, -1), { ...last, parts } as UIMessage]
    return this.submit()
  }

  async submit(abort?: AbortSignal): Promise<UIMessage> {
    const transport = new DefaultChatTransport({
      api: 'http://agent.test/chat',
      fetch: (_url, init) => this.#serve(init),
    })
    const stream = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: 'chat',
      messageId: undefined,
      messages: this.messages,
      abortSignal: abort,
    })
    const last = this.messages.at(-1)!
    let answer: UIMessage = { id: `a${++this.#count}`, role: 'assistant', parts: [] }
    // An answer that goes on belongs to the message that waited.
    if (last.role === 'assistant') answer = last
    const start = structuredClone(answer)
    for await (const message of readUIMessageStream({
      stream,
      message: start,
      onError: (error) => void this.errors.push(String(error)),
    }))
      answer = message
    this.messages = [...this.messages.filter(({ id }) => id !== answer.id), answer]
    return answer
  }

  async #serve(init: RequestInit | undefined): Promise<Response> {
    const { messages } = JSON.parse(init?.body as string) as { messages: UIMessage[] }
    return createAgentUIStreamResponse({
      agent: this.agent,
      uiMessages: messages,
      onError: (error) => (error instanceof Error ? error.message : String(error)),
      ...(init?.signal == null ? {} : { abortSignal: init.signal }),
    })
  }
}

/** What a message shows: its texts, and its calls by name and state. */
export function shown({ parts }: UIMessage): string[] {
  return parts.flatMap((part) => {
    if (part.type === 'text') return [part.text]
    if (part.type === 'reasoning') return [`(${part.text})`]
    if (part.type === 'dynamic-tool') return [`${part.toolName}: ${part.state}`]
    return part.type.startsWith('tool-') && 'state' in part ? [`${part.type.slice(5)}: ${part.state}`] : []
  })
}

/** The call in a message. */
export function callIn({ parts }: UIMessage): Record<string, unknown> {
  return parts.find(({ type }) => type.startsWith('tool-') || type === 'dynamic-tool') as unknown as Record<
    string,
    unknown
  >
}
