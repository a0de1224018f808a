import { MandateError, canonical, codeOf, describeOutcome } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import type { DatabaseRecord, RenderedPrompt } from '../memory/index.ts'
import { INTENT_INSTRUCTIONS } from '../gate/index.ts'
import { systemMessage } from '../model/index.ts'
import type { Message } from '../model/index.ts'
import type { RunContext } from '../run/index.ts'
import { HANDLE_INSTRUCTIONS } from './handles.ts'
import type { Loop } from './loop.ts'
import type { Preparation } from './preparation.ts'

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

/** How many remembered things a run begins with. */
const RECALLED_MAX = 20

/** What is remembered of the session, as a message that stands before the others. */
export async function recall(preparation: Preparation): Promise<readonly Message[]> {
  const { context } = preparation
  const input = { op: 'read', stream: context.sessionId, limit: RECALLED_MAX }
  const effect = { kind: 'memory' as const, name: 'memory', key: 'recall', input, origin: 'kickoff' }
  const outcome = await context.perform<readonly Json[]>(effect)
  if (outcome.status !== 'ok') return []
  const entries = outcome.value.length > 0 ? outcome.value : await hydrateMemory(preparation)
  if (entries.length === 0) return []
  const lines = entries.map((entry) => `- ${canonical(entry)}`)
  return [systemMessage(`Remembered from earlier in this session:\n${lines.join('\n')}`)]
}

/**
 * Fills the memory of a session that has none yet with what the database has. Every step passes the gate and is journaled, so that a
 * resumed run does not fill it twice. What is refused or fails is left out: a run can do without.
 */
async function hydrateMemory({ spec, context }: Preparation): Promise<readonly Json[]> {
  if (spec.hydrate === undefined) return []
  const { collection, query = {}, limit = RECALLED_MAX } = spec.hydrate
  return context.task('hydrate', async (strand) => {
    const ask = { op: 'query', collection, query: query as Json, limit }
    const stored = await strand.perform<readonly DatabaseRecord[]>({
      kind: 'database',
      name: 'database',
      input: ask,
      origin: 'kickoff',
    })
    const filled: Json[] = []
    for (const { value: entry } of stored.status === 'ok' ? stored.value.slice(0, limit) : []) {
      const input = { op: 'append', stream: context.sessionId, entry }
      const outcome = await strand.perform({ kind: 'memory', name: 'memory', input, origin: 'kickoff' })
      // Whoever refused the first will hardly want the others.
      if (outcome.status !== 'ok') break
      filled.push(entry)
    }
    return filled
  })
}

/** What the run came to goes into the session's memory, through the gate like any other write. */
export async function remember(loop: Loop, context: RunContext): Promise<void> {
  const entry = { prompt: loop.prompt, text: loop.text, at: context.now() }
  const input = { op: 'append', stream: context.sessionId, entry }
  await context.perform({ kind: 'memory', name: 'memory', key: 'remember', input, origin: 'reflect' })
}
