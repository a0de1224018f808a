export type {
  Comparison,
  DatabaseClient,
  DatabaseHit,
  DatabaseQuery,
  DatabaseQueryOptions,
  DatabaseRecord,
  MemoryChange,
  MemoryClient,
  MemoryReadOptions,
  MemorySearchOptions,
} from './clients.ts'
export { hydrate } from './hydrate.ts'
export type { HydrateOptions } from './hydrate.ts'
export { inMemoryDatabase } from './in-memory-database.ts'
export { inMemoryPrompts } from './in-memory-prompts.ts'
export type { InMemoryPromptsOptions, PromptChange, PromptPolicy } from './in-memory-prompts.ts'
export { inMemory } from './in-memory.ts'
export type { InMemoryOptions } from './in-memory.ts'
export type {
  PromptDraft,
  PromptEngine,
  PromptParams,
  PromptStore,
  PromptTemplate,
  PromptValidation,
  RenderOptions,
  RenderedPrompt,
} from './prompt-store.ts'
export { compareJson, matchesQuery } from './query.ts'
export { scoreWords, wordsOf } from './words.ts'
