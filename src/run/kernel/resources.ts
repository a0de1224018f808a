import type { EmbeddingModel, Model } from '../../model/index.ts'
import type { DatabaseClient, MemoryClient, MemoryPolicy, PromptStore } from '../../memory/index.ts'
import type { Tool } from '../../tool/index.ts'

/** The models, tools and stores that effects can name. A run looks in its own first, then in its mind's, then in the host's. */
export interface Resources {
  readonly tools?: ReadonlyMap<string, Tool> | undefined
  readonly models?: ReadonlyMap<string, Model> | undefined
  readonly memory?: MemoryClient | undefined
  readonly database?: DatabaseClient | undefined
  readonly prompts?: PromptStore | undefined
  /** Embeds texts, for effects of kind `embed`. */
  readonly embedding?: EmbeddingModel | undefined
  /** Limits what the run may do with memory and database. */
  readonly memoryPolicy?: MemoryPolicy | undefined
}
