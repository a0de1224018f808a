import type { Json, JsonObject } from '../../core/index.ts'
import { userMessage } from '../../model/index.ts'
import { isContextPart } from '../context/context.ts'
import type { ContextPart } from '../context/context.ts'
import { contextToolName } from '../context/context-tools.ts'
import { fieldsOf, textField } from './call-input.ts'
import { mergedLabels, withMore } from './call-labels.ts'
import { modelQuery } from './model-query.ts'
import { oneEffect } from './planned-call.ts'
import type { PlannedCall } from './planned-call.ts'
import { answerOf } from './run-calls.ts'

/** Settings of `rlm_query`. */
export interface RlmParts {
  /** The agent that answers a question over its own context. If absent, the model is called directly. */
  readonly agent: string | undefined
  readonly model: string | undefined
  /** The child run would exceed the maximum depth of the policy. */
  readonly isDeepest: boolean
  /** Contexts with at most this many characters are passed directly to the model. */
  readonly plainChars: number
}

const NAME = 'rlm_query'
const FIELDS = ['prompt', 'context', 'model', 'system']

/**
 * Plans `rlm_query({ prompt, context? })` or `rlm_query(prompt)`: the answer of a child session that works on its own `context`. At the maximum depth, for a
 * short context, and if no such agent is configured, it is a plain model call.
 */
export function rlmQuery(input: Json, { agent, model, isDeepest, plainChars }: RlmParts): PlannedCall {
  const fields: JsonObject = typeof input === 'string' ? { prompt: input } : fieldsOf(NAME, input, FIELDS)
  const prompt = textField(NAME, fields, 'prompt')
  const { context, model: asked, system } = fields
  const part = isContextPart(context) ? context : undefined
  const text = context === undefined ? '' : typeof context === 'string' ? context : JSON.stringify(context)
  const length = part === undefined ? text.length : part.to - part.from
  if (agent === undefined || isDeepest || length <= plainChars) {
    const plain = (over: string): PlannedCall => {
      const whole = over === '' ? prompt : `${prompt}\n\n${over}`
      const given = {
        prompt: whole,
        ...(asked === undefined ? {} : { model: asked }),
        ...(system === undefined ? {} : { system }),
      }
      return { ...modelQuery(given, model), calledAs: NAME }
    }
    return part === undefined ? plain(text) : overPart(part, plain)
  }
  const task = { prompt: userMessage(prompt), history: [], context: context ?? null }
  return {
    kind: 'agent',
    name: agent,
    calledAs: NAME,
    isRun: true,
    perform: oneEffect(
      (labels) => ({ kind: 'agent', name: agent, input: task, labels: mergedLabels(labels) }),
      answerOf,
    ),
    detail: (value) => ({ chars: typeof value === 'string' ? value.length : JSON.stringify(value).length }),
  }
}

/** Plans a plain model call over a part of the session's context. The text is read first, as a separate effect. */
function overPart({ context, from, to }: ContextPart, plain: (text: string) => PlannedCall): PlannedCall {
  const name = contextToolName('slice')
  return {
    ...plain(''),
    perform: async (ask, labels) => {
      const read = await ask({ kind: 'tool', name, input: { context, from, to }, labels: mergedLabels(labels) })
      if (read.status !== 'ok') return read
      return plain(read.value as string).perform(ask, withMore(labels, read.labels ?? []))
    },
  }
}
