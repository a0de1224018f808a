import type { FieldNames } from '../../core/index.ts'
import type { PromptStoreOptions } from '../prompts/library.ts'
import type { RecordOptions } from './space.ts'

/** What each user of a store may choose; the rest is a matter of the store. */
export type DataClientOptions = Omit<RecordOptions, 'sealer' | 'searchable'>
export type PromptClientOptions = Omit<PromptStoreOptions, 'sealer'>

export const DATA_CLIENT_OPTIONS: FieldNames<DataClientOptions> = {
  clock: true,
  namespace: true,
  labels: true,
  maxCount: true,
  maxBytes: true,
}
export const PROMPT_CLIENT_OPTIONS: FieldNames<PromptClientOptions> = {
  clock: true,
  policy: true,
  onChange: true,
  estimateTokens: true,
}

/** Those of the options that are the user's, where a store is given all of them at once. */
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
