import type { FieldNames } from '../../core/index.ts'
import type { PromptStoreOptions } from '../prompts/library.ts'
import type { RecordOptions } from './space.ts'

/** The options of each client of a store; all others belong to the store. */
export type DataClientOptions = Omit<RecordOptions, 'sealer' | 'searchable'>
export type PromptClientOptions = Omit<PromptStoreOptions, 'sealer'>

export const DATA_CLIENT_OPTIONS: FieldNames<DataClientOptions> = {
  clock: 'object',
  namespace: 'text',
  labels: 'texts',
  maxCount: true,
  maxBytes: true,
}
export const PROMPT_CLIENT_OPTIONS: FieldNames<PromptClientOptions> = {
  clock: 'object',
  policy: 'object',
  onChange: 'function',
  estimateTokens: 'function',
}

/** The client's part of options that are given for store and client together. */
export function clientOptions({ clock, namespace, maxCount, maxBytes, labels }: DataClientOptions): DataClientOptions {
  return { clock, namespace, maxCount, maxBytes, labels }
}

/** The same for prompts. */
export function promptClientOptions({
  clock,
  policy,
  onChange,
  estimateTokens,
}: PromptClientOptions): PromptClientOptions {
  return { clock, policy, onChange, estimateTokens }
}
