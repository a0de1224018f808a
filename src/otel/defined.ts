import type { AttributeValue, Attributes } from './api.ts'

/** The attributes that have a value. */
export function defined(given: Readonly<Record<string, AttributeValue | undefined>>): Attributes {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
