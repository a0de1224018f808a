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
