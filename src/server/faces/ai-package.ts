import type * as Ai from 'ai'
import { loadPackage } from '../../core/index.ts'

export type { UIMessageChunk } from 'ai'

/** The module type of the `ai` package. */
export type AiPackage = typeof Ai

/** Loads the AI SDK, which only servers of `useChat` need. */
export function loadAi(): Promise<AiPackage> {
  return loadPackage('ai', 'A server for `useChat`')
}
