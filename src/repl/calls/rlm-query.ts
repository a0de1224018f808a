import type { Json, JsonObject } from '../../core/index.ts'
import { userMessage } from '../../model/index.ts'
import { fieldsOf, textField } from './call-input.ts'
import { mergedLabels } from './call-labels.ts'
import { modelQuery } from './model-query.ts'
import { oneEffect } from './planned-call.ts'
import type { PlannedCall } from './planned-call.ts'
import { answerOf } from './run-calls.ts'

/** What `rlm_query` starts. */
export interface RlmParts {
  /** The agent that answers a question over a context of its own; a plain call of the model without it. */
  readonly agent: string | undefined
  readonly model: string | undefined
  /** The run that is started would stand deeper than the policy allows. */
  readonly isDeepest: boolean
  /** Contexts of up to so many characters go straight to the model. */
  readonly plainChars: number
}

const FIELDS = ['prompt', 'context', 'model', 'system']

/**
 * `rlm_query({ prompt, context? })`, or with the prompt alone: the answer of a session of its own, which has `context` and works on it. At the greatest
 * depth, for a short context, and where no such mind is registered, it is a plain call of the model.
 */
export function rlmQuery(input: Json, { agent, model, isDeepest, plainChars }: RlmParts): PlannedCall {
  const fields: JsonObject = typeof input === 'string' ? { prompt: input } : fieldsOf('rlm_query', input, FIELDS)
  const prompt = textField('rlm_query', fields, 'prompt')
  const { context, model: asked, system } = fields
  const text = context === undefined ? '' : typeof context === 'string' ? context : JSON.stringify(context)
  if (agent === undefined || isDeepest || text.length <= plainChars) {
    const whole = text === '' ? prompt : `${prompt}\n\n${text}`
    const given = {
      prompt: whole,
      ...(asked === undefined ? {} : { model: asked }),
      ...(system === undefined ? {} : { system }),
    }
    return modelQuery(given, model)
  }
  const task = { prompt: userMessage(prompt), history: [], context: context ?? null }
  return {
    kind: 'agent',
    name: agent,
    isRun: true,
    perform: oneEffect(
      (labels) => ({ kind: 'agent', name: agent, input: task, labels: mergedLabels(labels) }),
      answerOf,
    ),
    detail: (value) => ({ chars: typeof value === 'string' ? value.length : JSON.stringify(value).length }),
  }
}
