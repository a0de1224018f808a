import { canonical } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import type { DatabaseRecord } from '../../memory/index.ts'
import { systemMessage, textOf } from '../../model/index.ts'
import type { Message } from '../../model/index.ts'
import type { Embedded, RunContext } from '../../run/index.ts'
import type { AgentSpec } from '../config/config-types.ts'
import type { Loop } from '../loop/loop.ts'
import type { Preparation } from '../loop/setup.ts'
import { isWithheld } from './agent-note.ts'

/** The default number of recalled entries. */
const RECALLED_MAX = 20

/** The default number of related entries, if they are requested. */
const RELATED_MAX = 5

/** The memory of the session, as messages before the others. */
export async function recall(preparation: Preparation): Promise<readonly Message[]> {
  const newest = await recallNewest(preparation)
  const related = await recallRelated(preparation, newest)
  const place = preparation.spec.recall?.scope === 'identity' ? 'earlier sessions' : 'earlier in this session'
  return [
    ...listed(`Remembered from ${place}, because it may have to do with the prompt:`, related),
    ...listed(`Remembered from ${place}:`, newest),
  ]
}

function listed(title: string, entries: readonly Json[]): readonly Message[] {
  if (entries.length === 0) return []
  return [systemMessage(`${title}\n${entries.map((entry) => `- ${JSON.stringify(entry)}`).join('\n')}`)]
}

async function recallNewest(preparation: Preparation): Promise<readonly Json[]> {
  const { spec, context } = preparation
  const limit = spec.recall?.last ?? RECALLED_MAX
  if (limit === 0) return []
  const input = { op: 'read', stream: streamOf(spec, context), limit }
  const effect = { kind: 'memory' as const, name: 'memory', key: 'recall', input, origin: 'kickoff' }
  const outcome = await context.perform<readonly Json[]>(effect)
  if (outcome.status !== 'ok') return []
  return outcome.value.length > 0 ? outcome.value : hydrateMemory(preparation)
}

/** Older entries related to the prompt, by words and by vector similarity, without the newest ones that are recalled anyway. */
async function recallRelated(preparation: Preparation, known: readonly Json[]): Promise<readonly Json[]> {
  const { spec, context, pins } = preparation
  const limit = spec.recall === undefined ? 0 : (spec.recall.related ?? RELATED_MAX)
  if (limit === 0) return []
  const stream = streamOf(spec, context)
  // Enlarged, because some of the results may be recalled already.
  const rest = { stream, limit: limit + known.length }
  const outcome = await context.task('recall-related', async (strand) =>
    strand.perform<readonly Json[]>({
      kind: 'memory',
      name: 'memory',
      input: await likePrompt(preparation, strand, rest),
      origin: 'kickoff',
    }),
  )
  if (outcome.status !== 'ok' || isWithheld(outcome, pins)) return []
  const shown = new Set(known.map((entry) => canonical(entry)))
  return outcome.value.filter((entry) => !shown.has(canonical(entry))).slice(0, limit)
}

/** The memory stream of the owner. Ids of sessions contain no colon, so none can name the memory of an identity. */
function streamOf({ recall: { scope } = {} }: AgentSpec, { sessionId, identity }: RunContext): string {
  return scope === 'identity' ? `identity:${identity.id}` : sessionId
}

/**
 * Initializes the memory of a new session from the database. Every step passes the gate and is journaled, so that a resumed run does not do it twice.
 * Records that are refused or fail are left out.
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
      const input = { op: 'append', stream: streamOf(spec, context), entry }
      const outcome = await strand.perform({ kind: 'memory', name: 'memory', input, origin: 'kickoff' })
      // An approver who refused the first would refuse the others.
      if (outcome.status !== 'ok') break
      filled.push(entry)
    }
    return filled
  })
}

/** A search related to the prompt. */
async function likePrompt({ spec, input }: Preparation, strand: RunContext, rest: JsonObject): Promise<JsonObject> {
  const query = input.prompt === null ? '' : textOf(input.prompt)
  return { op: 'search', query, ...rest, ...(await vectorFor(spec, strand, query, 'kickoff')) }
}

/** The vector of a text, as an effect; empty if there is no model for it or the model failed, because a search by words still works. */
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

/** Adds the result of the run to the session's memory, through the gate like any other write. */
export async function remember(loop: Loop, context: RunContext): Promise<void> {
  const { spec, prompt, text } = loop
  const entry = { prompt, text, ...reasoningOf(loop), at: context.now() }
  const vector =
    spec.embedding === undefined
      ? {}
      : await context.task('remember', (strand) => vectorFor(spec, strand, `${prompt}\n${text}`, 'reflect'))
  const input = { op: 'append', stream: streamOf(spec, context), entry, ...vector }
  await context.perform({ kind: 'memory', name: 'memory', key: 'remember', input, origin: 'reflect' })
}

/** The model's reasoning, kept only if that is configured. */
function reasoningOf({ spec, transcript }: Loop): { readonly reasoning?: string } {
  if (spec.memoryPolicy?.keepReasoning !== true) return {}
  const parts = transcript.messages.flatMap((message) => message.content.filter((part) => part.type === 'reasoning'))
  return parts.length === 0 ? {} : { reasoning: parts.map(({ text }) => text).join('\n') }
}
