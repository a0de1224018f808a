import { systemMessage, textOf, userMessage } from '../../model/index.ts'
import type { ModelReply } from '../../model/index.ts'
import type { RunContext } from '../../run/index.ts'
import type { Loop, Stop } from './loop.ts'
import { stopForTool } from './stop-reasons.ts'
import { compactionStart, summarizedPart } from '../transcript/history-window.ts'

/** The history is summarized before the window is full, so that the summary itself still fits. */
const FULL_AT = 0.9
const KEEP = 0.5
const SUMMARY_TOKENS = 1024

const TASK =
  'Summarise the conversation so far for yourself: the goal, what was found out, what was done and what came of it, what is still open. Keep names, numbers and ids exactly. Write nothing else.'

/** Replaces the older part of a long conversation with a summary. The summary is a model call like any other: journaled, paid for, replayed. */
export async function compactHistory(loop: Loop, context: RunContext): Promise<Stop | undefined> {
  const { pins, transcript, setup } = loop
  const limit = pins.history.maxTokens ?? pins.contextTokens
  if (limit === null) return undefined
  // The context window of a model also holds the prompt and the tools; a limit set by the host is for messages alone.
  const besides = pins.history.maxTokens === undefined ? loop.setupTokens : 0
  if (besides + transcript.tokensFrom(0) < limit * FULL_AT) return undefined
  const from = compactionStart(transcript, Math.max(0, Math.floor(limit * KEEP) - besides))
  if (from === 0) return undefined
  const messages = [systemMessage(TASK), ...summarizedPart(transcript, from), userMessage('Summarise now.')]
  const outcome = await context.perform<ModelReply>({
    kind: 'model',
    name: setup.models[0]!.id,
    key: 'compact',
    input: { transcript: { count: from, hash: transcript.hash }, maxOutputTokens: SUMMARY_TOKENS },
    carry: { messages, maxOutputTokens: SUMMARY_TOKENS },
    origin: 'compaction',
  })
  // Without a summary the older part is left out, as it is without compaction.
  if (outcome.status !== 'ok') return stopForTool('compaction', outcome)
  transcript.compact(from, userMessage(`Summary of the conversation so far:\n${textOf(outcome.value.message)}`))
  return undefined
}
