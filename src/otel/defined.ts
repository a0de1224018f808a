import type { Attributes } from './api.ts'

/** The attributes that have a value. */
export function defined(given: Attributes): Attributes {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
