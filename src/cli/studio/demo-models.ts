import type { Json } from '../../core/index.ts'
import { scripted } from '../../model/index.ts'
import type { Model, PriceTable, ScriptedStep } from '../../model/index.ts'

/** Prices of the scripted models, in three sizes as providers offer them. */
export const DEMO_PRICES: PriceTable = {
  date: '2026-11-01',
  currency: 'USD',
  models: {
    'scripted/large': { inputPerMillion: 3, outputPerMillion: 15 },
    'scripted/mini': { inputPerMillion: 0.15, outputPerMillion: 0.6 },
    'scripted/small': { inputPerMillion: 0.25, outputPerMillion: 2 },
  },
}

type Call = { readonly name: string; readonly input: Json }
type Reply = { readonly text?: string; readonly toolCalls?: readonly Call[]; readonly delayMs?: number }
type Step = string | Reply | { readonly error: string }

/** Creates a scripted model that counts tokens like a real one: each turn reads all previous messages. */
export function demoModel(name: 'large' | 'small' | 'mini', steps: readonly Step[]): Model {
  return scripted(steps.map(counted), { name })
}

function counted(step: Step, index: number): ScriptedStep {
  const reply = typeof step === 'string' ? { text: step } : step
  if ('error' in reply) return reply
  const written = 60 + Math.ceil((JSON.stringify(reply.toolCalls ?? []).length + (reply.text ?? '').length) / 4)
  return { ...reply, usage: { inputTokens: 1_400 + 620 * index, outputTokens: written } }
}

export const call = (name: string, input: Json): Call => ({ name, input })
