import { type PromptStoreOptions, type WholePromptStore, promptsOver } from './prompts/library.ts'
import { mapPromptPort } from './prompts/port.ts'

export type { PromptChange } from './prompts/policy.ts'

type InMemoryPromptsOptions = Omit<PromptStoreOptions, 'sealer'>

/**
 * Creates a prompt store in the memory of this process. Each `put` adds an immutable version. Labels such as `production` point to a version, and can
 * be moved.
 *
 * @example
 * ```ts
 * import { inMemoryPrompts } from 'mandate/memory'
 * const prompts = inMemoryPrompts({ policy: { authors: ['ada'] } })
 * await prompts.put({ id: 'summary', text: 'Summarise {{topic}} in {{count}} lines.', requiredVars: ['topic'] }, { author: 'ada' })
 * await prompts.label('summary', 'production', '1', { author: 'ada' })
 * const { text } = await prompts.render('summary', { topic: 'the release notes', count: 3 }, { version: 'production' })
 * ```
 */
export function inMemoryPrompts(options: InMemoryPromptsOptions = {}): WholePromptStore {
  return promptsOver(mapPromptPort(), options)
}
