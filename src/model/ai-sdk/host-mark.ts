import type { Part, ProviderMetadata } from '../message.ts'

/** Marks calls that a provider executed itself, and their results: another provider would search for them on its own servers. */
export function hostMark(provider: string): ProviderMetadata {
  return { mandate: { ranBy: provider } }
}

/** Whether another provider executed it. */
export function isForeign(part: Part, provider: string): boolean {
  const ranBy = part.providerMetadata?.['mandate']?.['ranBy']
  return ranBy !== undefined && ranBy !== provider
}
