import { isRecord } from '../../../core/index.ts'
import type { Json } from '../../../core/index.ts'
import { userMessage } from '../../../model/index.ts'
import type { Message } from '../../../model/index.ts'

/** The input of an agent's run: a task, and the conversation before it. */
export function agentInput(prompt: string | Message | null, history: readonly Message[] = []): Json {
  return { prompt: typeof prompt === 'string' ? userMessage(prompt) : prompt, history, context: null }
}

/** The answer in the output of an agent's run. */
export function answerFrom(output: Json): Json {
  if (!isRecord(output)) return output
  const { result, text } = output as { readonly result?: Json; readonly text?: Json }
  return result ?? text ?? null
}
