import type * as Ai from 'ai'
import { missingPackage } from '../../core/index.ts'

export type { UIMessageChunk } from 'ai'

/** The module type of the `ai` package. */
export type AiPackage = typeof Ai

/** Loads the AI SDK, which only servers of `useChat` need. */
export async function loadAi(): Promise<AiPackage> {
  try {
    return await import('ai')
  } catch (error) {
    throw missingPackage(error, 'ai', 'A server for `useChat`')
  }
}
