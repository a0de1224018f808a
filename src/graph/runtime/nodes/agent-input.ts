import { isRecord } from '../../../core/index.ts'
import type { Json } from '../../../core/index.ts'
import { userMessage } from '../../../model/index.ts'
import type { Message } from '../../../model/index.ts'

/** What a run of an agent is given: a task, and the conversation before it. */
export function agentInput(prompt: string | Message | null, history: readonly Message[] = []): Json {
  return { prompt: typeof prompt === 'string' ? userMessage(prompt) : prompt, history, context: null }
}

/** The answer in what a run of an agent gave. */
export function answerFrom(output: Json): Json {
  if (!isRecord(output)) return output
  const { result, text } = output as { readonly result?: Json; readonly text?: Json }
  return result ?? text ?? null
}
