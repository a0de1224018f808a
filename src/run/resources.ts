import type { Model } from '../model/index.ts'
import type { DatabaseClient, MemoryClient, PromptStore } from '../memory/index.ts'
import type { Tool } from '../tool/index.ts'

/** What effects can reach, by name. A run looks in its own first, then in its mind's, then in the host's. */
export interface Resources {
  readonly tools?: ReadonlyMap<string, Tool> | undefined
  readonly models?: ReadonlyMap<string, Model> | undefined
  readonly memory?: MemoryClient | undefined
  readonly database?: DatabaseClient | undefined
  readonly prompts?: PromptStore | undefined
}
