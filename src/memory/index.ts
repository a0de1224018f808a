export type {
  CollectionSize,
  DatabaseClient,
  DatabaseEntry,
  DatabaseQuery,
  DatabaseRecord,
  DatabaseSearchOptions,
  MemoryChange,
  MemoryClient,
  MemoryReadOptions,
  Trimmed,
  WriteOptions,
} from './clients.ts'
export type { ContextSource } from './context-source.ts'
export { hydrate } from './hydrate.ts'
export { inMemoryDatabase } from './in-memory-database.ts'
export { inMemoryPrompts } from './in-memory-prompts.ts'
export type { PromptChange } from './in-memory-prompts.ts'
export { inMemory } from './in-memory.ts'
export type { PromptDraft, PromptParams, PromptStore, PromptTemplate, RenderedPrompt } from './prompt-store.ts'
export type { MemoryPolicy } from './policy.ts'
export { promptsOver } from './prompts/library.ts'
export type { PromptStoreOptions, WholePromptStore } from './prompts/library.ts'
export type { PromptPort, PromptRow } from './prompts/port.ts'
export { conditionsOf, meets } from './query.ts'
export type { Condition } from './query.ts'
export {
  DATA_CLIENT_OPTIONS,
  PROMPT_CLIENT_OPTIONS,
  clientOptions,
  promptClientOptions,
} from './records/client-options.ts'
export type { DataClientOptions, PromptClientOptions } from './records/client-options.ts'
export { databaseOver } from './records/database.ts'
export type { WholeDatabase } from './records/database.ts'
export { memoryOver } from './records/memory.ts'
export type { WholeMemory } from './records/memory.ts'
export type {
  NearestAsked,
  QueryAsked,
  RankedRow,
  RecordPort,
  ScanFilter,
  StoredRow,
  TrimAsked,
  WordsAsked,
} from './records/port.ts'
export { Best } from './records/rank.ts'
export { Selection } from './records/selection.ts'
export type { RecordOptions } from './records/space.ts'
export { dot } from './records/vector.ts'
export { packLabels, unpackLabels } from './stored-labels.ts'
export { vectorFrom, vectorText } from './vector-text.ts'
