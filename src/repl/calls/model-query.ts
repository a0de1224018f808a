import { MandateError } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import { systemMessage, textOf, userMessage } from '../../model/index.ts'
import type { ModelReply } from '../../model/index.ts'
import { fieldsOf } from './call-input.ts'
import { mergedLabels } from './call-labels.ts'
import { oneEffect } from './planned-call.ts'
import type { PlannedCall } from './planned-call.ts'

const FIELDS = ['prompt', 'model', 'system', 'structured', 'maxOutputTokens', 'temperature', 'responseFormat']

/**
 * Plans `model_query({ prompt, model?, system?, structured? })` or `model_query(prompt)`. The result is the text of the reply or, if `structured`, `{
 * content, finishReason }`.
 */
export function modelQuery(input: Json, model: string | undefined): PlannedCall {
  const fields = typeof input === 'string' ? { prompt: input } : fieldsOf('model_query', input, FIELDS)
  const { prompt, system, structured, model: asked, ...options }: JsonObject = fields
  const name = typeof asked === 'string' ? asked : model
  if (name === undefined)
    throw new MandateError('INPUT_INVALID', 'model_query needs `model`: this session has no model of its own.')
  const messages = [
    ...(typeof system === 'string' ? [systemMessage(system)] : []),
    userMessage(typeof prompt === 'string' ? prompt : JSON.stringify(prompt ?? '')),
  ]
  return {
    kind: 'model',
    name,
    perform: oneEffect(
      (labels) => ({ kind: 'model', name, input: { messages, ...options }, labels: mergedLabels(labels) }),
      (reply) => {
        const { message, finishReason } = reply as unknown as ModelReply
        const content = textOf(message)
        return structured === true ? { content, finishReason } : content
      },
    ),
    detail: (value) => ({
      chars: (typeof value === 'string' ? value : ((value as JsonObject)['content'] as string)).length,
    }),
  }
}
