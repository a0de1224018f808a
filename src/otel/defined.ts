import type { Attributes } from './api.ts'

/** Returns the attributes without those whose value is undefined. */
export function defined(given: Attributes): Attributes {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
