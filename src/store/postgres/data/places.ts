import { sha256 } from '../../../core/index.ts'

/** A unique key of a place with a length that an index accepts. */
export function hashOf(...parts: readonly string[]): string {
  return sha256(JSON.stringify(parts)).slice(0, 40)
}
