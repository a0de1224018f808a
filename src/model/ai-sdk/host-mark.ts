import type { Part, ProviderMetadata } from '../message.ts'

/** Laid on calls that a provider ran itself, and on their results: another provider would look for them on its own side and find nothing. */
export function hostMark(provider: string): ProviderMetadata {
  return { mandate: { ranBy: provider } }
}

/** Whether another provider than this one ran it. */
export function isForeign(part: Part, provider: string): boolean {
  const ranBy = part.providerMetadata?.['mandate']?.['ranBy']
  return ranBy !== undefined && ranBy !== provider
}
