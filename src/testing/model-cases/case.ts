import { type Json, MandateError } from '../../core/index.ts'
import {
  type Model,
  type ModelCallContext,
  type ModelPart,
  type ModelReply,
  type ModelRequest,
  collectReply,
  userMessage,
} from '../../model/index.ts'
import type { TestApi } from '../test-api.ts'

/** What the provider behind a model under test does at every call. */
export type ModelBehaviour =
  | {
      readonly kind: 'say'
      readonly text: string
      readonly usage?: { readonly inputTokens: number; readonly outputTokens: number }
    }
  | {
      readonly kind: 'call'
      readonly calls: readonly { readonly toolCallId: string; readonly name: string; readonly input: Json }[]
    }
  /** Calls the tool `look` with this text as its arguments. */
  | { readonly kind: 'call-raw'; readonly rawInput: string }
  /** Answers with the text, and with something for which messages have no part. */
  | { readonly kind: 'say-unknown'; readonly text: string }
  | { readonly kind: 'fail'; readonly status: number; readonly message: string; readonly retryAfterMs?: number }
  /** The stream breaks off after the text. */
  | { readonly kind: 'break'; readonly text: string }
  /** The stream hangs after the text. */
  | { readonly kind: 'hang'; readonly text: string }

export interface OpenedModel {
  readonly model: Model
  close?(): Promise<void>
}

export interface ModelSubject {
  readonly name: string
  /** Opens a model whose provider behaves like this. */
  open(behaviour: ModelBehaviour): Promise<OpenedModel> | OpenedModel
  /** Behaviours that the provider cannot produce; their tests are left out. */
  readonly cannot?: readonly ModelBehaviour['kind'][] | undefined
}

interface ModelCheck {
  readonly model: Model
  readonly expect: TestApi['expect']
}

/** A guarantee of every model, with its check. */
export interface ModelCase {
  readonly name: string
  readonly behaviour: ModelBehaviour
  readonly check: (check: ModelCheck) => Promise<void>
}

const tools: NonNullable<ModelRequest['tools']> = [
  {
    name: 'look',
    description: 'Looks at a place.',
    inputSchema: { type: 'object', properties: { at: { type: 'number' } }, required: ['at'] },
  },
]

export const request: ModelRequest = { messages: [userMessage('Begin.')], tools, maxOutputTokens: 100 }

export function callWith(signal: AbortSignal = new AbortController().signal): ModelCallContext {
  return { signal, attempt: 1, idempotencyKey: 'run_1/turn:1/model' }
}

/** Makes one call, and returns all parts with the reply that they make. */
export async function ask(
  model: Model,
  asked: ModelRequest = request,
  signal?: AbortSignal,
): Promise<{ parts: ModelPart[]; reply: ModelReply }> {
  const parts: ModelPart[] = []
  const reply = await collectReply(model.stream(asked, callWith(signal)), (part) => parts.push(part), asked)
  return { parts, reply }
}

/** Returns the error of a call; `code` begins with `none` if the call succeeded, or threw no `MandateError`. */
export async function failureOf(asking: Promise<unknown>): Promise<{ code: string; message: string; info: unknown }> {
  try {
    await asking
    return { code: 'none: the call succeeded', message: '', info: undefined }
  } catch (error) {
    if (!MandateError.isInstance(error)) return { code: `none of ours: ${String(error)}`, message: '', info: undefined }
    return { code: error.code, message: error.message, info: error.info }
  }
}
