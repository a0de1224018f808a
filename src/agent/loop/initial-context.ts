import { MandateError, canonical, codeOf, describeOutcome } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import type { DatabaseRecord, RenderedPrompt } from '../../memory/index.ts'
import { INTENT_INSTRUCTIONS } from '../../gate/index.ts'
import { systemMessage, textOf } from '../../model/index.ts'
import type { Message } from '../../model/index.ts'
import type { Embedded, RunContext } from '../../run/index.ts'
import type { AgentSpec } from '../config/config-types.ts'
import { HANDLE_INSTRUCTIONS } from '../transcript/result-handles.ts'
import type { Loop } from './loop.ts'
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
async function hydrateMemory(preparation: Preparation): Promise<readonly Json[]> {
  const { spec, context } = preparation
  if (spec.hydrate === undefined) return []
  const { collection, query = {}, limit = RECALLED_MAX } = spec.hydrate
  return context.task('hydrate', async (strand) => {
    const ask =
      spec.hydrate?.byPrompt === true
        ? await likePrompt(preparation, strand, { collection, where: query, limit })
        : { op: 'query', collection, query: query as Json, limit }
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
      // An approver who refused the first would refuse the others.
      if (outcome.status !== 'ok') break
      filled.push(entry)
    }
    return filled
  })
}

/** A search for what has to do with the prompt. */
async function likePrompt({ spec, input }: Preparation, strand: RunContext, rest: JsonObject): Promise<JsonObject> {
  const query = input.prompt === null ? '' : textOf(input.prompt)
  return { op: 'search', query, ...rest, ...(await vectorFor(spec, strand, query, 'kickoff')) }
}

/** The vector of a text, as an effect; nothing where there is no model for it, or it did not answer: words find much as well. */
async function vectorFor(
  { embedding }: AgentSpec,
  context: RunContext,
  text: string,
  origin: string,
): Promise<{ readonly vector?: string }> {
  if (embedding === undefined || text.trim() === '') return {}
  const outcome = await context.perform<Embedded>({
    kind: 'embed',
    name: embedding.id,
    input: { values: [text] },
    origin,
  })
  const vector = outcome.status === 'ok' ? outcome.value.vectors[0] : undefined
  return vector === undefined ? {} : { vector }
}

/** What the run came to goes into the session's memory, through the gate like any other write. */
export async function remember(loop: Loop, context: RunContext): Promise<void> {
  const { spec, prompt, text } = loop
  const entry = { prompt, text, ...reasoningOf(loop), at: context.now() }
  const vector =
    spec.embedding === undefined
      ? {}
      : await context.task('remember', (strand) => vectorFor(spec, strand, `${prompt}\n${text}`, 'reflect'))
  const input = { op: 'append', stream: context.sessionId, entry, ...vector }
  await context.perform({ kind: 'memory', name: 'memory', key: 'remember', input, origin: 'reflect' })
}

/** What the model thought is kept only where that was asked for. */
function reasoningOf({ spec, transcript }: Loop): { readonly reasoning?: string } {
  if (spec.memoryPolicy?.keepReasoning !== true) return {}
  const parts = transcript.messages.flatMap((message) => message.content.filter((part) => part.type === 'reasoning'))
  return parts.length === 0 ? {} : { reasoning: parts.map(({ text }) => text).join('\n') }
}
