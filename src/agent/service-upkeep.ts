import { MandateError, messageOf } from '../core/index.ts'
import type { Journal } from '../journal/index.ts'
import type { PromptDraft, PromptStore, PromptTemplate } from '../memory/index.ts'
import type { Health } from './service-options.ts'

/** Whether a service with these agents and this journal can do its work. */
export async function healthOf(agents: readonly string[], journal: Journal, isStopped: boolean): Promise<Health> {
  if (isStopped) return { ok: false, agents, store: 'closed', problem: 'the service has been stopped' }
  try {
    await journal.list({ limit: 1 })
    return { ok: true, agents, store: 'ok' }
  } catch (error) {
    return { ok: false, agents, store: 'failed', problem: messageOf(error) }
  }
}

/** Puts a new version of a prompt into the store, if there is one. */
export async function storePrompt(
  prompts: PromptStore | undefined,
  prompt: PromptDraft,
  author: string,
): Promise<PromptTemplate> {
  if (prompts === undefined)
    throw new MandateError('CONFIG_INVALID', 'There is no prompt store. Give the service a `promptStore`.')
  return prompts.put(prompt, { author })
}
