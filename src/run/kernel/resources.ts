import type { EmbeddingModel, Model } from '../../model/index.ts'
import type { DatabaseClient, MemoryClient, MemoryPolicy, PromptStore } from '../../memory/index.ts'
import type { Tool } from '../../tool/index.ts'

/** What effects can reach, by name. A run looks in its own first, then in its mind's, then in the host's. */
export interface Resources {
  readonly tools?: ReadonlyMap<string, Tool> | undefined
  readonly models?: ReadonlyMap<string, Model> | undefined
  readonly memory?: MemoryClient | undefined
  readonly database?: DatabaseClient | undefined
  readonly prompts?: PromptStore | undefined
  /** Turns texts into vectors, for effects of kind `embed`. */
  readonly embedding?: EmbeddingModel | undefined
  /** What the run may do with memory and database. */
  readonly memoryPolicy?: MemoryPolicy | undefined
}
