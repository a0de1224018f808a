import type { Json } from '../core/index.ts'
import { scripted } from '../model/index.ts'
import type { Model, ModelPart, ModelRequest, ScriptedModel, ScriptedStep } from '../model/index.ts'
import { AgentService } from '../agent/index.ts'
import type { AgentConfig, ServiceOptions } from '../agent/index.ts'

/** An agent with a script. */
export function member(
  id: string,
  script: readonly ScriptedStep[],
  more: Omit<AgentConfig, 'id' | 'model'> = {},
): AgentConfig & { readonly id: string; readonly model: ScriptedModel } {
  return { id, ...more, model: scripted(script, { name: id, by: 'call' }) }
}

/** An agent whose answer follows from the request. */
export function answering(
  id: string,
  reply: (text: string, asked: Asked) => string | Promise<string>,
  more: Omit<AgentConfig, 'id' | 'model'> = {},
): AgentConfig & { readonly id: string } {
  const model: Model = {
    id: `test/${id}`,
    provider: 'test',
    modelId: id,
    async *stream(request, { signal }): AsyncGenerator<ModelPart> {
      yield { type: 'text-delta', text: await reply(lastText(request), { request, signal }) }
      yield { type: 'finish', reason: 'stop' }
    },
  }
  return { id, ...more, model }
}

interface Asked {
  readonly request: ModelRequest
  readonly signal: AbortSignal
}

/** Never answers, until it is cut. */
export function untilCut(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('cut')), { once: true }))
}

/** The text of the last message of a request. */
export function lastText(request: ModelRequest): string {
  return request.messages
    .at(-1)!
    .content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('')
}

/** A reply that calls tools. */
export function calls(name: string, input: Json): { toolCalls: { name: string; input: Json }[] } {
  return { toolCalls: [{ name, input }] }
}

export function planOf(...tasks: readonly object[]): string {
  return JSON.stringify({ tasks })
}

export function serviceOf(agents: readonly AgentConfig[], options: ServiceOptions = {}): AgentService {
  return new AgentService({ agents, ...options })
}
