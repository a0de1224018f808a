import { MandateError, codeOf, describeOutcome } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { RenderedPrompt } from '../../memory/index.ts'
import { INTENT_INSTRUCTIONS } from '../../gate/index.ts'
import { HANDLE_INSTRUCTIONS } from '../transcript/result-handles.ts'
import type { Preparation } from './setup.ts'

/** After everything else, so that no hook and no template can leave it out. */
export function withInstructions(
  systemPrompt: string,
  asked: { readonly intentRequired: boolean; readonly handles: boolean },
): string {
  return [
    ...(systemPrompt === '' ? [] : [systemPrompt]),
    ...(asked.intentRequired ? [INTENT_INSTRUCTIONS] : []),
    ...(asked.handles ? [HANDLE_INSTRUCTIONS] : []),
  ].join('\n\n')
}

/** A prompt of the store is rendered once: the text is in the journal, and a resumed run keeps it. */
export async function renderPrompt({ spec, context }: Preparation): Promise<string> {
  if (typeof spec.systemPrompt === 'string') return spec.systemPrompt
  const { template, params = {} } = spec.systemPrompt
  const input = { op: 'render', id: template, params: params as Json }
  const effect = { kind: 'prompt' as const, name: 'prompts', key: 'prompt', input, origin: 'kickoff' }
  const outcome = await context.perform<RenderedPrompt>(effect)
  if (outcome.status === 'ok') return outcome.value.text
  throw new MandateError(codeOf(outcome), `The system prompt "${template}" is not there: ${describeOutcome(outcome)}`)
}
