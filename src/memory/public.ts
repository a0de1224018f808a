// What `mandate/memory` offers: memory, databases and prompts.
export { hydrate, inMemory, inMemoryDatabase, inMemoryPrompts } from './index.ts'
export type { DatabaseClient, DatabaseQuery, MemoryClient, MemoryPolicy, PromptStore, PromptTemplate } from './index.ts'
